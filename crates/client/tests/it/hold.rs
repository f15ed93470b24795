//! `hold` and `release`.

use crate::harness::Sandbox;
use crate::stub::Stub;
use serde_json::{Value, json};

const HOLD: &str = "/v2/data-import/import-suppliers/ACME/hold/";
const RELEASE: &str = "/v2/data-import/import-suppliers/ACME/release/";

fn held(by: &str) -> Value {
    json!({"code": "ACME", "hold": {"by": by, "because": "wrong\ntariffs"}})
}

#[test]
fn a_supplier_holds_and_releases_its_imports() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(HOLD, [(200, held("supplier"))]);
    let ran = sandbox.run_with(&stub, &["hold", "ACME", "--because", "wrong tariffs"]);
    let text = "The imports of ACME are held. `cutover-client release ACME` ends that.\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), text, ""));
    assert_eq!(stub.state().queries.last().unwrap(), "because=wrong+tariffs");
    let ran = sandbox.run_with(&stub, &["hold", "ACME", "--json"]);
    assert_eq!(ran.summary(), held("supplier"));

    stub.answers(RELEASE, [(200, json!({"code": "ACME", "hold": null}))]);
    let ran = sandbox.run_with(&stub, &["release", "ACME"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The imports of ACME go on.\n"));
}

#[test]
fn a_hold_of_the_operator_stays() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(RELEASE, [(200, held("operator"))]);
    let ran = sandbox.run_with(&stub, &["release", "ACME"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("The imports of ACME are still held, by operator: "), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
}

#[test]
fn a_supplier_that_is_not_there_is_named() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    for act in ["hold", "release"] {
        let ran = sandbox.run_with(&stub, &[act, "NOBODY"]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("no import supplier NOBODY"), "{}", ran.err);
    }
}
