//! `manifest`.

use crate::harness::{Sandbox, account, line};
use crate::stub::Stub;
use serde_json::{Value, json};

const PATH: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/manifest/";

/// Three accounts of the fixture, of which each has a balance of -25 and two transactions; one occurs twice.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ndjson", ["N-0", "N-1", "N-2"].map(account).join(&b'\n'));
    sandbox.write("in/b.json", account("N-1"));
    sandbox
}

fn declared(stub: &Stub) -> Vec<Value> {
    stub.state().manifests.iter().map(|(path, body)| json!([path, body])).collect()
}

#[test]
fn the_manifest_is_computed_and_declared() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let ran = sandbox.run_with(&stub, &["manifest", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out);
    let counts = json!({"accounts": 3, "agreements": 3, "customers": 3, "ledgers": 3, "meter_points": 3,
        "payment_schedules": 3, "supply_addresses": 3, "transactions": 6});
    let body = json!({"accounts": 3, "ledger_balance": "-75", "readings": 0, "transactions": 6, "documents": 0,
        "counts": counts});
    assert_eq!(declared(&stub), [json!([PATH, body])]);
    let ran = sandbox.run_with(&stub, &["manifest", "in", "--json"]);
    let mut expected = body;
    expected["import_supplier"] = "ACME_ENERGY".into();
    assert_eq!((ran.code, &ran.summary()["manifests"]), (Some(0), &json!([expected])));
    assert_eq!((&ran.summary()["declared"], &ran.summary()["repeated"]), (&json!(true), &json!(1)));
}

#[test]
fn offline_nothing_is_sent() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let ran = sandbox.run_with(&stub, &["manifest", "in", "--offline"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.ends_with("Not declared to the service.\n"), "{}", ran.out);
    assert_eq!((declared(&stub).len(), stub.state().tokens), (0, 0));
    // Nor does it need a service.
    let ran = sandbox.run(&["manifest", "in", "--offline", "--json"]);
    assert_eq!((ran.code, &ran.summary()["declared"]), (Some(0), &json!(false)));
    let ran = sandbox.run(&["manifest", "in"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn suppliers_are_counted_apart() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let other = String::from_utf8(account("N-1")).unwrap().replace("ACME_ENERGY", "OTHER");
    sandbox.write("in/c.json", other);
    assert_eq!(sandbox.run_with(&stub, &["manifest", "in", "-q"]).code, Some(0));
    assert_eq!(declared(&stub).len(), 2);
    let ran = sandbox.run_with(&stub, &["manifest", "in", "--supplier", "OTHER", "--json"]);
    let summary = ran.summary();
    assert_eq!((&summary["of_others"], &summary["manifests"][0]["accounts"]), (&json!(4), &json!(1)));
    assert_eq!(declared(&stub).len(), 3);
}

/// A manifest that lacks accounts would agree with a migration that lacks them.
#[test]
fn an_incomplete_manifest_is_not_declared() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    // It is refused by a rule, but can be counted.
    sandbox.write("in/d.json", line("faulty/CUS-01-not-a-phone-number"));
    assert_eq!(sandbox.run_with(&stub, &["manifest", "in"]).code, Some(0));
    let mut faulty: Value = serde_json::from_slice(&account("N-3")).unwrap();
    faulty["ledgers"][0]["ledger_balance"] = "much".into();
    let lines = [&faulty.to_string(), r#"{"import_supplier": "ACME_ENERGY"}"#, "{"].join("\n");
    sandbox.write("in/e.ndjson", lines);
    let ran = sandbox.run_with(&stub, &["manifest", "in"]);
    assert_eq!((ran.code, declared(&stub).len()), (Some(1), 1));
    insta::assert_snapshot!(ran.out);
}

/// It will come to the same once it is corrected.
#[test]
fn a_fault_that_no_total_needs_is_no_obstacle() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let mut faulty: Value = serde_json::from_slice(&account("N-3")).unwrap();
    faulty["date_of_sale"] = "soon".into();
    faulty["billing_name"] = 7.into();
    sandbox.write("in/c.json", faulty.to_string());
    let ran = sandbox.run_with(&stub, &["manifest", "in", "--json"]);
    assert_eq!((ran.code, &ran.summary()["manifests"][0]["accounts"]), (Some(0), &json!(4)), "{}", ran.out);
    assert_eq!(declared(&stub)[0][1]["ledger_balance"], "-100");
}

#[test]
fn files_that_contradict_themselves_are_not_declared() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let mut changed: Value = serde_json::from_slice(&account("N-1")).unwrap();
    changed["ledgers"][0]["ledger_balance"] = "-7.00".into();
    sandbox.write("in/c.json", changed.to_string());
    let ran = sandbox.run_with(&stub, &["manifest", "in"]);
    assert_eq!((ran.code, declared(&stub).len()), (Some(1), 0));
    // The last one counts.
    insta::assert_snapshot!(ran.out);
}

#[test]
fn a_refusal_of_the_service_is_told() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    stub.state().manifest_answer = Some((404, json!({"detail": "Not found.", "code": "not_found"})));
    let ran = sandbox.run_with(&stub, &["manifest", "in"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the service knows no import supplier ACME_ENERGY"), "{}", ran.err);
    stub.state().manifest_answer =
        Some((403, json!({"detail": "The role is wrong.", "code": "permission_denied"})));
    let ran = sandbox.run_with(&stub, &["manifest", "in"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("The role is wrong."), "{}", ran.err);
}

/// A service of an earlier version knows no rows.
#[test]
fn a_service_without_rows_gets_the_other_figures() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    stub.state().takes_no_rows = true;
    let ran = sandbox.run_with(&stub, &["manifest", "in", "-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let declared = declared(&stub);
    assert_eq!((declared.len(), declared[0][1].get("counts")), (1, None));
    assert_eq!(declared[0][1]["accounts"], 3);
}

#[test]
fn account_numbers_are_declared_after_the_figures() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let ran = sandbox.run_with(&stub, &["manifest", "in", "--numbers", "-q"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let declared = declared(&stub);
    assert_eq!(
        (declared.len(), &declared[0][0], &declared[1][0]),
        (2, &json!(PATH), &json!(format!("{PATH}numbers/")))
    );
    let part = &declared[1][1];
    assert_eq!((&part["part"], &part["is_last"]), (&json!(1), &json!(true)));
    let mut numbers: Vec<&str> =
        part["account_numbers"].as_array().unwrap().iter().map(|number| number.as_str().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["N-0", "N-1", "N-2"]);
}
