//! `runs` and `compare`.

use crate::harness::Sandbox;
use crate::stub::Stub;
use serde_json::{Value, json};

const RUNS: &str = "/v2/data-import/import-suppliers/ACME/runs/";

fn run(name: &str, ended_at: Value) -> Value {
    json!({"name": name, "started_at": "2026-11-14T20:00:00.000000+11:00", "ended_at": ended_at,
        "counts": {"PROCESSED": 0, "ERRORED": 0, "DRY_RUN_SUCCEEDED": 7, "DRY_RUN_ERRORED": 1},
        "totals": {"accounts": 7, "ledger_balance": "-10.50", "readings": 0, "transactions": 0, "documents": 0},
        "top_errors": [{"code": "invalid", "attr": "customers.#.mobile", "count": 1}],
        "refused": {"accounts": 2, "top_errors": [{"code": "required", "attr": "import_supplier", "count": 2}]},
        "first_at": null, "last_at": null, "rate_per_minute": "0.0"})
}

#[test]
fn runs_are_listed_over_all_pages() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let runs = json!([run("two", Value::Null), run("one", json!("2026-11-14T21:00:00.000000+11:00"))]);
    stub.answers(RUNS, [(200, runs.clone())]);
    let ran = sandbox.run_with(&stub, &["runs", "ACME"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for line in [
        "two\n",
        "ended                open",
        "DRY_RUN_SUCCEEDED    7",
        "error                1 invalid at customers.#.mobile",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
    assert_eq!(sandbox.run_with(&stub, &["runs", "ACME", "--json"]).summary(), runs);
    stub.answers(RUNS, [(200, json!([]))]);
    assert_eq!(sandbox.run_with(&stub, &["runs", "ACME"]).out, "No runs yet.\n");
}

#[test]
fn runs_are_started_and_ended_where_that_is_allowed() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(RUNS, [(201, run("two", Value::Null))]);
    let ran = sandbox.run_with(&stub, &["runs", "ACME", "--start", "two", "--json"]);
    assert_eq!((ran.code, &ran.summary()["name"]), (Some(0), &json!("two")), "{}", ran.err);
    let detail = json!({"detail": "You may not.", "code": "permission_denied"});
    stub.answers(&format!("{RUNS}two/end/"), [(403, detail)]);
    let ran = sandbox.run_with(&stub, &["runs", "ACME", "--end", "two"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the operator has not allowed"), "{}", ran.err);
    let open = json!({"detail": "A run of the supplier is open.", "code": "run_already_open"});
    stub.answers(RUNS, [(400, open)]);
    let ran = sandbox.run_with(&stub, &["runs", "ACME", "--start", "three"]);
    assert!(ran.code == Some(2) && ran.err.contains("A run of the supplier is open."), "{}", ran.err);
}

#[test]
fn two_runs_are_compared() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let none = json!({"count": 0, "examples": []});
    let figure = json!({"a": 1, "b": 2, "difference": 1});
    let diff = json!({"new": none, "gone": none, "changed": {"count": 12, "examples": ["A-1"]}, "fixed": none,
        "broken": none, "changed_accounts": [{"external_account_number": "A-1", "attrs": ["customers.#.mobile"]}],
        "changed_attrs": [{"attr": "customers.#.mobile", "count": 12}],
        "codes": [{"code": "invalid", "attr": null, "a": 3, "b": 0}],
        "totals": {"accounts": figure, "ledger_balance": {"a": "0.00", "b": "1.00", "difference": "1.00"},
            "readings": figure, "transactions": figure, "documents": figure}});
    stub.answers(&format!("{RUNS}one/diff/two/"), [(200, diff.clone())]);
    let ran = sandbox.run_with(&stub, &["compare", "ACME", "one", "two"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for line in [
        "changed  12 (A-1, …)",
        "changed at customers.#.mobile: 12",
        "  A-1: customers.#.mobile",
        "invalid at -: 3 -> 0",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
    assert_eq!(sandbox.run_with(&stub, &["compare", "ACME", "one", "two", "--json"]).summary(), diff);
    let ran = sandbox.run_with(&stub, &["compare", "ACME", "one", "none"]);
    assert_eq!(ran.code, Some(2));
}
