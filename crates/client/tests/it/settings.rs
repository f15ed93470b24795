//! The settings of a supplier that the service has, and the installation that a journal is about.

use crate::harness::{NOW, RunResult, Sandbox, account};
use crate::stub::{KEY, Stub};
use serde_json::json;

/// An account that was billed today in Melbourne, where it is 21 November at 20:00 UTC on the 20th.
fn billed_today() -> Vec<u8> {
    let mut account: serde_json::Value = serde_json::from_slice(&account("N-1")).unwrap();
    account["last_payment_review_date"] = "2026-11-21".into();
    serde_json::to_vec(&account).unwrap()
}

const EARLY: &str = "2026-11-20T20:00:00Z";

fn melbourne(stub: &Stub) {
    let settings = json!({"code": "ACME_ENERGY", "time_zone": "Australia/Melbourne",
        "rules": {"PIN-01": "off", "NEW-01": "error"}, "installation": "i-1", "status": "Ongoing"});
    stub.state().settings.insert("ACME_ENERGY".into(), (200, settings));
}

fn validate(sandbox: &Sandbox, stub: &Stub, more: &[&str]) -> RunResult {
    let url = stub.url();
    let mut command = sandbox.command(&["validate", "a.json", "--now", EARLY]);
    command.args(more).args(["--base-url", &url]).env("CUTOVER_API_KEY", KEY);
    command.output().unwrap().into()
}

#[test]
fn days_are_those_of_the_supplier_at_the_service() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", billed_today());
    melbourne(&stub);
    assert_eq!(sandbox.run(&["validate", "a.json", "--now", EARLY]).code, Some(1));
    let ran = validate(&sandbox, &stub, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(validate(&sandbox, &stub, &["--time-zone", "UTC"]).code, Some(1));
    let ran = sandbox.run_with(&stub, &["upload", "a.json", "--now", EARLY]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert_eq!(stub.state().settings_requests["ACME_ENERGY"], 3);
}

#[test]
fn a_profile_needs_no_service() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", billed_today());
    sandbox.write("p.json", r#"{"time_zone": "UTC"}"#);
    melbourne(&stub);
    assert_eq!(validate(&sandbox, &stub, &["--profile", "p.json"]).code, Some(1));
    assert!(stub.state().settings_requests.is_empty());
}

#[test]
fn without_settings_there_is_a_note_and_the_options_apply() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", account("N-1"));
    let none = json!({"detail": "Not found.", "code": "not_found"});
    stub.state().settings.insert("ACME_ENERGY".into(), (404, none));
    let ran = sandbox.run_with(&stub, &["upload", "a.json", "--now", NOW]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.starts_with("note: the service has no settings of the supplier ACME_ENERGY"),
        "{}",
        ran.err
    );
    assert_eq!(stub.creations(), [("N-1".to_owned(), 1)]);
}

#[test]
fn a_service_that_refuses_ends_the_run_before_anything_is_sent() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", account("N-1"));
    let refusal = json!({"detail": "No.", "code": "permission_denied"});
    stub.state().settings.insert("ACME_ENERGY".into(), (403, refusal));
    let ran = sandbox.run_with(&stub, &["upload", "a.json", "--now", NOW]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("the service answers 403: No."), "{}", ran.err);
    assert!(stub.creations().is_empty() && !sandbox.path("a.json.cutover-journal").exists());
}

#[test]
fn a_journal_is_about_an_installation_and_not_about_a_url() {
    let (sandbox, stub, moved) = (Sandbox::new(), Stub::start(), Stub::start());
    sandbox.write("a.json", account("N-1"));
    let upload = |stub: &Stub| sandbox.run_with(stub, &["upload", "a.json", "--now", NOW]);
    assert_eq!(upload(&stub).code, Some(0));
    // The same installation at another address has the account.
    let same = json!({"time_zone": "UTC", "installation": stub.url()});
    moved.state().settings.insert("ACME_ENERGY".into(), (200, same));
    let ran = upload(&moved);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(moved.creations().is_empty());
    let other = json!({"time_zone": "UTC", "installation": "i-2"});
    moved.state().settings.insert("ACME_ENERGY".into(), (200, other));
    let ran = upload(&moved);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains(", another installation: give another one"), "{}", ran.err);
    assert!(moved.creations().is_empty());
}

#[test]
fn values_are_shown_if_asked_for() {
    let sandbox = Sandbox::new();
    let mut account: serde_json::Value = serde_json::from_slice(&account("N-1")).unwrap();
    account["date_of_sale"] = "15/06/2021".into();
    sandbox.write("a.json", account.to_string());
    let hidden = sandbox.validate(&["a.json", "--report", "a.csv"]);
    assert!(!hidden.out.contains("15/06/2021") && !sandbox.read("a.csv").contains("15/06/2021"));
    let shown = sandbox.validate(&["a.json", "--show-values", "--report", "b.csv"]);
    assert!(shown.out.contains("date_of_sale = \"15/06/2021\""), "{}", shown.out);
    assert!(sandbox.read("b.csv").contains("Sent: \"\"15/06/2021\"\""), "{}", sandbox.read("b.csv"));
}

#[test]
fn a_connection_error_names_the_address_and_the_expected_scheme() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", account("N-1"));
    let secure = stub.url().replace("http://", "https://");
    let mut command = sandbox.command(&["status", "ACME", "A-1", "--base-url", &secure]);
    let ran: RunResult = command.env("CUTOVER_API_KEY", KEY).output().unwrap().into();
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains(&format!("the service at {secure}")), "{}", ran.err);
    assert!(ran.err.contains("is the base URL to begin with http://?"), "{}", ran.err);
}
