//! `hold` and `release`.

use crate::harness::Sandbox;
use crate::stub::Stub;
use serde_json::{Value, json};

const HOLD: &str = "/v2/data-import/import-suppliers/ACME/hold/";
const RELEASE: &str = "/v2/data-import/import-suppliers/ACME/release/";

const SINCE: &str = "2026-11-21T22:31:07.123456+11:00";

fn held(by: &str) -> Value {
    json!({"code": "ACME", "hold": {"by": by, "since": SINCE, "because": "wrong\ntariffs", "also": []}})
}

#[test]
fn a_supplier_holds_and_releases_its_imports() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(HOLD, [(200, held("supplier"))]);
    let ran = sandbox.run_with(&stub, &["hold", "ACME", "--because", "wrong tariffs"]);
    let text = format!(
        "The imports of ACME are held. `cutover-client release ACME --held-since {SINCE}` ends that.\n"
    );
    assert_eq!((ran.code, ran.out, ran.err), (Some(0), text, String::new()));
    assert_eq!(stub.state().queries.last().unwrap(), "because=wrong+tariffs");
    let ran = sandbox.run_with(&stub, &["hold", "ACME", "--json"]);
    assert_eq!(ran.summary(), held("supplier"));

    // The hold is shown before it is ended, also if the operator has added a reason.
    let also = json!([{"by": "supplier", "since": SINCE, "because": "wrong\ntariffs"}]);
    let both = json!({"code": "ACME", "hold": {"by": "operator", "since": "2026-11-21T20:00:00+11:00", "also": also}});
    for hold in [held("supplier"), both] {
        stub.state().settings.insert("ACME".into(), (200, hold));
        let ran = sandbox.run_with(&stub, &["release", "ACME"]);
        assert_eq!(ran.code, Some(2));
        let command = format!("This ends it: cutover-client release ACME --held-since {SINCE}\n");
        assert!(
            ran.err.contains(&format!("since {SINCE}: wrong")) && ran.err.ends_with(&command),
            "{}",
            ran.err
        );
    }
    stub.answers(RELEASE, [(200, json!({"code": "ACME", "hold": null}))]);
    let ran = sandbox.run_with(&stub, &["release", "ACME", "--held-since", SINCE]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The imports of ACME go on.\n"));
    assert_eq!(stub.state().queries.last().unwrap(), "held_since=2026-11-21T22%3A31%3A07.123456%2B11%3A00");
    let again = json!({"detail": "The supplier has held its imports again since.", "code": "hold_changed"});
    stub.answers(RELEASE, [(400, again)]);
    let ran = sandbox.run_with(&stub, &["release", "ACME", "--held-since", SINCE]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("has held its imports again since"), "{}", ran.err);
}

#[test]
fn a_hold_of_the_operator_stays() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.state().settings.insert("ACME".into(), (200, held("operator")));
    stub.answers(RELEASE, [(200, held("operator"))]);
    for args in [&["release", "ACME"][..], &["release", "ACME", "--held-since", SINCE]] {
        let ran = sandbox.run_with(&stub, args);
        assert_eq!(ran.code, Some(1));
        assert!(ran.out.starts_with("The imports of ACME are still held, by operator: "), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    }
}

#[test]
fn a_supplier_that_is_not_there_is_named() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let unknown = json!({"detail": "Not found.", "code": "not_found"});
    stub.state().settings.insert("NOBODY".into(), (404, unknown));
    for act in ["hold", "release"] {
        let ran = sandbox.run_with(&stub, &[act, "NOBODY"]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("no import supplier NOBODY"), "{}", ran.err);
    }
}
