use crate::harness::{Installation, wait_for_count};
use crate::payloads::fixture;
use serde_json::Value;
use std::collections::BTreeSet;

/// Kills the server during 1,000 imports several times: every account is imported exactly once.
#[test]
fn killed_in_the_middle_of_a_thousand_imports() {
    let (installation, key) = Installation::with_supplier();
    {
        let api = installation.serve_with(&["--role", "api"]);
        let client = api.client(&key);
        std::thread::scope(|scope| {
            for part in 0..8 {
                let client = client.clone();
                scope.spawn(move || {
                    for i in (part..1_000).step_by(8) {
                        assert_eq!(client.create(&fixture("embedded_gas", &format!("K-{i:04}"))).status, 201);
                    }
                });
            }
        });
    }
    let count = |installation: &Installation, status: &str| {
        installation.run_json(&["process", "list", "ACME", "--status", status]).as_array().unwrap().len()
    };
    for wanted in [1, 200, 500] {
        let server = installation.serve();
        wait_for_count("some are imported", wanted, || count(&installation, "PROCESSED"));
        server.kill();
    }
    let server = installation.serve();
    wait_for_count("all are imported", 1_000, || count(&installation, "PROCESSED"));
    drop(server);

    let all = installation.run_json(&["process", "list", "ACME"]);
    let accounts: BTreeSet<String> =
        all.as_array().unwrap().iter().map(|p| p["service_identifier"].to_string()).collect();
    assert_eq!(accounts.len(), 1_000, "no number twice");
    for i in (0..1_000).step_by(97) {
        let shown = installation.show(&format!("K-{i:04}"));
        let imported = |e: &&Value| e["event"] == "imported";
        assert_eq!(shown["history"].as_array().unwrap().iter().filter(imported).count(), 1);
        let wanted = fixture("embedded_gas", "x");
        let points = &wanted["supply_addresses"][0]["meter_points"][0]["meters"][0]["reading_history"];
        let got = &shown["account"]["supply_addresses"][0]["meter_points"][0]["meters"][0]["reading_history"];
        assert_eq!(got.as_array().unwrap().len(), points.as_array().unwrap().len());
    }
    assert_eq!(installation.failed_checks(), [""; 0]);
}
