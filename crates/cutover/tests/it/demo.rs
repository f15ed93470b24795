use crate::harness::{Installation, text};
use serde_json::{Value, json};

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
        check_night(&outcome["night"]);
        #[cfg(unix)]
        verify_evidence(&outcome["night"]["certificate"]);
    }
    assert_ne!(first["business"]["service_business_id"], second["business"]["service_business_id"]);
}

/// The rehearsals differ in the planted accounts, the wave stops at its third failure, the changed digit is found, and the
/// accounts of the wave that is undone are gone.
fn check_night(night: &Value) {
    let rehearsals = &night["rehearsals"];
    for (run, failed) in [("first", 4), ("second", 1)] {
        let counts = &rehearsals[run];
        assert_eq!(
            (&counts["DRY_RUN_SUCCEEDED"], &counts["DRY_RUN_ERRORED"]),
            (&json!(48 - failed), &json!(failed)),
            "{run}: {counts}"
        );
    }
    let difference = json!({
        "new": [],
        "gone": [],
        "changed": ["C-000012"],
        "fixed": ["C-000005", "C-000012", "C-000023"],
        "broken": [],
        "path_does_not_exist_in_file_store": [4, 1],
    });
    // Accounts are listed as they arrived, and several are sent at once.
    let mut shown = rehearsals["difference"].clone();
    shown["fixed"].as_array_mut().unwrap().sort_by_key(|number| number.as_str().map(str::to_owned));
    assert_eq!(shown, difference);

    let waves = &night["waves"];
    let hold =
        |n: usize| (&waves["holds"][n]["by"], &waves["holds"][n]["wave"], &waves["holds"][n]["failed"]);
    assert_eq!(hold(0), (&json!("error_rate"), &json!(1), &json!(3)), "{waves}");
    assert_eq!(hold(1), (&json!("wave"), &json!(1), &json!(0)), "it is repeated: {waves}");
    assert_eq!(hold(2), (&json!("wave"), &json!(2), &json!(0)), "{waves}");
    assert!(waves["stopped"]["PENDING"].as_u64().unwrap() >= 32, "later waves wait: {waves}");
    assert_eq!(waves["stops_lost"], "sample");
    // The sample too, if accounts whose statements are lost still wait.
    let stops = waves["stops_before"].as_str().unwrap();
    assert!(["failures", "sample, failures"].contains(&stops), "{waves}");
    assert_eq!(waves["stops_after"], "");
    assert_eq!(waves["counts"], json!({"PROCESSED": 48}));

    let certificate = &night["certificate"];
    let totals = &certificate["manifest"];
    assert_eq!((&certificate["accounts"], &totals["imported"]["accounts"]), (&json!(48), &json!(48)));
    assert_eq!((&totals["sent"], &totals["imported"]), (&totals["declared"], &totals["declared"]));
    assert_eq!(certificate["differing"], json!([]));
    assert_eq!(certificate["differing_then"], json!([certificate["changed"]]));
    assert_eq!(certificate["changed"], "C-000021");

    let undo = &night["undo"];
    assert_eq!((&undo["undone"], &undo["kept"]), (&json!(16), &json!(0)));
    assert_eq!(undo["counts"], json!({"PROCESSED": 32, "CANCELLED": 16}));
    assert_eq!(undo["totals"]["accounts"], 32);
    assert_eq!(
        (&undo["example"]["status"], &undo["example"]["service_identifier"]),
        (&json!("CANCELLED"), &json!(null))
    );
}

/// Runs the command that the demo shows.
#[cfg(unix)]
fn verify_evidence(certificate: &Value) {
    let mut command = std::process::Command::new(crate::migration::program());
    command.args(["verify", "certificate.json", "accounts.ndjson", "--leaves", "leaves.ndjson", "--json"]);
    command.args(["--public-key", &text(&certificate["public_key"])]);
    let output = command.current_dir(text(&certificate["folder"])).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["agrees"], &found["leaves"]), (&json!(true), &json!(48)), "{found}");
}

#[test]
fn one_generated_account_is_enough() {
    let mut installation = Installation::new();
    installation.set_variable("CUTOVER_LISTEN", "127.0.0.1:0");
    let outcome = installation.run_json(&["demo", "--exit", "--accounts", "1"]);
    check_night(&outcome["night"]);
}
