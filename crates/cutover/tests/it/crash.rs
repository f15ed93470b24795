use crate::harness::{Installation, wait_for_count};
use crate::payloads::fixture;
use serde_json::Value;
use std::collections::BTreeSet;

/// Enough that each server is killed before it has imported all.
const IMPORTS: usize = 300;

/// Kills the server during imports several times: every account is imported exactly once.
#[test]
fn killed_in_the_middle_of_many_imports() {
    let (installation, key) = Installation::with_supplier();
    {
        let api = installation.serve_with(&["--role", "api"]);
        let client = api.client(&key);
        std::thread::scope(|scope| {
            for part in 0..8 {
                let client = client.clone();
                scope.spawn(move || {
                    for i in (part..IMPORTS).step_by(8) {
                        assert_eq!(client.create(&fixture("embedded_gas", &format!("K-{i:04}"))).status, 201);
                    }
                });
            }
        });
    }
    let count = |installation: &Installation, status: &str| {
        installation.run_json(&["process", "list", "ACME", "--status", status]).as_array().unwrap().len()
    };
    for wanted in [1, IMPORTS / 5, IMPORTS / 2] {
        let server = installation.serve();
        wait_for_count("some are imported", wanted, || count(&installation, "PROCESSED"));
        server.kill();
    }
    let server = installation.serve();
    wait_for_count("all are imported", IMPORTS, || count(&installation, "PROCESSED"));
    drop(server);

    let all = installation.run_json(&["process", "list", "ACME"]);
    let accounts: BTreeSet<String> =
        all.as_array().unwrap().iter().map(|p| p["service_identifier"].to_string()).collect();
    assert_eq!(accounts.len(), IMPORTS, "no number twice");
    for i in (0..IMPORTS).step_by(37) {
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
