//! `status`, and faults of tokens, keys and base URLs.

use crate::harness::Sandbox;
use crate::stub::{KEY, Stub};
use serde_json::{Value, json};

const PATH: &str = "/v2/data-import/accounts/ACME/A%2F1/";

fn pending() -> Value {
    json!({"status": "PENDING", "service_identifier": null, "created_at": "2026-11-21T12:00:00.000000+00:00",
        "modified_at": "2026-11-21T12:00:00.000000+00:00", "latest_error": null,
        "latest_event": {"event": "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED",
            "occurred_at": "2026-11-21T12:00:00.000000+00:00", "data": null}})
}

#[test]
fn an_account_is_shown_to_people_and_programs() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(PATH, [(200, pending())]);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1", "--json"]);
    assert_eq!(ran.summary(), pending());
    let mut errored = pending();
    errored["latest_error"] = json!({"code": "x", "detail": "It failed.", "domain": "d"});
    stub.answers(PATH, [(200, errored)]);
    assert_eq!(sandbox.run_with(&stub, &["status", "ACME", "A/1"]).code, Some(1));
}

#[test]
fn a_refused_account_shows_what_for() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let refused = json!([{"external_account_number": "A/1", "refused_at": "2026-11-21T12:00:00.000000+11:00",
        "errors": [{"code": "invalid_phone_number", "attr": "customers.#.mobile"}]}]);
    stub.answers("/v2/data-import/import-suppliers/ACME/refused/", [(200, refused.clone())]);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.out);
    assert_eq!(stub.state().queries.last().unwrap(), "external_account_number=A%2F1");
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1", "--json"]);
    assert_eq!(ran.summary(), refused[0]);
    stub.answers("/v2/data-import/import-suppliers/ACME/refused/", [(200, json!([]))]);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "error: the service knows no account A/1 of ACME\n"));
}

#[test]
fn a_failed_account_shows_its_issues() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut errored = pending();
    errored["status"] = "ERRORED".into();
    errored["latest_error"] =
        json!({"code": "import_process_failed_validation", "detail": "It failed.", "domain": "d"});
    let issue = json!({"attr": "notes.0.document_paths.0", "code": "path_does_not_exist_in_file_store", "rule": "DOC-02",
        "detail": "There is no such file."});
    stub.answers(PATH, [(200, errored)]);
    stub.answers(
        &format!("{PATH}issues/"),
        [(200, json!({"attempt": 1, "errors": [issue.clone()], "warnings": []}))],
    );
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.out);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1", "--json"]);
    assert_eq!(ran.summary()["errors"], json!([issue]));
}

#[test]
fn an_unknown_account_is_reported() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A-2"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert_eq!(ran.err, "error: the service knows no account A-2 of ACME\n");
}

#[test]
fn an_expired_token_is_replaced_once() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    // Another token is issued between the token and the request, which invalidates the first.
    stub.answers(PATH, [(401, json!({"detail": "x"})), (200, pending())]);
    assert_eq!(sandbox.run_with(&stub, &["status", "ACME", "A/1"]).code, Some(0));
    assert_eq!(stub.state().tokens, 2);
    stub.answers(PATH, [(401, json!({"detail": "x"}))]);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.err, "error: the service rejects the tokens that it issues for this key\n");
    assert_eq!(stub.state().tokens, 4);
}

#[test]
fn transient_faults_are_retried() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(PATH, [(503, json!({})), (429, json!({})), (500, json!({})), (200, pending())]);
    assert_eq!(sandbox.run_with(&stub, &["status", "ACME", "A/1"]).code, Some(0));
}

#[test]
fn a_key_is_needed_and_never_shown() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let status = ["status", "ACME", "A-1", "--base-url", &stub.url()];
    let run = |key: Option<&str>| {
        let mut command = sandbox.command(&status);
        key.map(|key| command.env("CUTOVER_API_KEY", key));
        crate::harness::RunResult::from(command.output().unwrap())
    };
    let none = "error: the environment variable CUTOVER_API_KEY holds no API key\n";
    for key in [None, Some(" ")] {
        assert_eq!((run(key).code, run(key).err.as_str()), (Some(2), none));
    }
    let wrong = run(Some("cut_live_wrong"));
    assert_eq!((wrong.code, wrong.err.as_str()), (Some(2), "error: the service refuses the API key\n"));
    let mut command = sandbox.command(&[&status[..], &["--api-key-env", "OTHER_KEY"]].concat());
    assert_eq!(command.env("OTHER_KEY", KEY).output().unwrap().status.code(), Some(1));
}

#[test]
fn a_base_url_without_cutover_is_reported() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(PATH, [(302, json!({}))]);
    let ran = sandbox.run_with(&stub, &["status", "ACME", "A/1"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: there is no Cutover at the base URL: it answers 302"), "{}", ran.err);
    // Nothing listens there.
    let free = "127.0.0.1:1";
    let mut command = sandbox.command(&["status", "ACME", "A-1", "--base-url", &format!("http://{free}")]);
    let ran = crate::harness::RunResult::from(command.env("CUTOVER_API_KEY", KEY).output().unwrap());
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with(&format!("error: the service at http://{free} cannot be reached: ")),
        "{}",
        ran.err
    );
}
