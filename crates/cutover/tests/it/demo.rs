use crate::harness::{Installation, text};
use serde_json::Value;

fn run_demo(installation: &Installation) -> Value {
    installation.run_json(&["demo", "--exit", "--accounts", "40"])
}

#[test]
fn the_demo_runs_twice_in_one_folder() {
    let mut installation = Installation::new();
    installation.set_variable("CUTOVER_LISTEN", "127.0.0.1:0");
    let first = run_demo(&installation);
    let second = run_demo(&installation);
    assert_ne!(first["supplier"], second["supplier"], "every run adds a supplier");
    for outcome in [&first, &second] {
        let states = &outcome["states"];
        assert!(states["PROCESSED"].as_u64().unwrap() > 20, "{states}");
        assert_eq!(states.get("IN_PROGRESS"), None, "{states}");
        assert_eq!(outcome["example"]["status"], "PROCESSED");
        assert!(text(&outcome["example"]["service_identifier"]).starts_with("A-"));
        assert!(outcome["business"]["service_business_id"].as_u64().unwrap() > 0);
        assert_ne!(outcome["additions"]["balance_before"], outcome["additions"]["balance_after"]);
        assert!(outcome["payments"]["asked"].as_u64().unwrap() > 0, "over a socket");
    }
    assert_ne!(first["business"]["service_business_id"], second["business"]["service_business_id"]);
}
