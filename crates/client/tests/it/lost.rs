//! `upload` when the service has lost accounts that it had accepted.

use crate::harness::{RunResult, Sandbox, account};
use crate::stub::Stub;
use crate::upload::{figures, sandbox, upload};
use serde_json::{Value, json};

/// A stub that tells this history of its database.
fn stub() -> Stub {
    let stub = Stub::start();
    stub.state().history = Some("h1".to_owned());
    stub
}

/// Replaces the database of the service by an older one, without these accounts.
fn restore(stub: &Stub, history: &str, lost: &[&str]) {
    let mut state = stub.state();
    state.history = Some(history.to_owned());
    lost.iter().for_each(|number| drop(state.accounts.remove(*number).unwrap()));
}

/// Uploads `a.ndjson`, with the number of requests for settings and lists, but those of failed accounts.
fn run(sandbox: &Sandbox, stub: &Stub) -> (RunResult, usize) {
    let requests = || {
        let state = stub.state();
        let lists = state.queries.iter().filter(|query| !query.starts_with("status="));
        state.settings_requests.values().sum::<u32>() as usize + lists.count()
    };
    let before = requests();
    let ran = upload(sandbox, stub, &["a.ndjson"]);
    (ran, requests() - before)
}

#[test]
fn lost_accounts_are_named_and_sent_again() {
    let (sandbox, stub) = (sandbox(3), stub());
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    restore(&stub, "h2", &["N-0001", "N-0002"]);
    let ran = sandbox.run_with(&stub, &["upload", "--now", crate::harness::NOW, "a.ndjson"]);
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!("people", ran.err.clone() + &ran.text());
    assert_eq!(stub.creations(), ["N-0000", "N-0001", "N-0002"].map(|number| (number.to_owned(), 1)));
    let (ran, requests) = run(&sandbox, &stub);
    assert_eq!((ran.code, ran.err.as_str(), requests), (Some(0), "", 1), "nothing has changed since");
    assert_eq!(figures(&ran, ["accepted", "sent_again", "missing", "lost"]), [3, 0, 0, 0]);
}

#[test]
fn a_restart_that_lost_nothing_costs_one_comparison() {
    let (sandbox, stub) = (sandbox(2), stub());
    run(&sandbox, &stub);
    restore(&stub, "h2", &[]);
    for expected in [2, 1] {
        let (ran, requests) = run(&sandbox, &stub);
        assert_eq!((ran.code, ran.err.as_str(), requests), (Some(0), "", expected));
        assert_eq!(figures(&ran, ["accepted", "sent_again"]), [2, 0]);
    }
}

#[test]
fn a_journal_without_a_history_is_compared_once() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    run(&sandbox, &stub);
    restore(&stub, "h1", &["N-0001"]);
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["sent_again"])), (Some(0), [1]), "{}", ran.err);
    assert_eq!(run(&sandbox, &stub).1, 1);
}

#[test]
fn lost_accounts_that_the_inputs_lack_are_missed_until_they_are_sent() {
    let (sandbox, stub) = (sandbox(2), stub());
    run(&sandbox, &stub);
    restore(&stub, "h2", &["N-0000", "N-0001"]);
    sandbox.write("a.ndjson", account("N-0001"));
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["sent_again", "missing"])), (Some(2), [1, 1]));
    sandbox.write("a.ndjson", [account("N-0000"), account("N-0001")].join(&b'\n'));
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["sent_again", "missing"])), (Some(0), [1, 0]));
    assert!(ran.err.contains("1 account that had been accepted is missing"), "{}", ran.err);
}

/// A standby that was behind takes over during the run.
#[test]
fn accounts_that_are_lost_during_the_run_are_named_and_sent_by_the_next_one() {
    let (sandbox, stub) = (sandbox(3), stub());
    stub.state().next_history = Some((3, "h2".to_owned()));
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["accepted", "lost"])), (Some(2), [3, 1]));
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["accepted", "sent_again", "lost"])), (Some(0), [3, 1, 0]));
    assert_eq!(stub.creations().len(), 3);
}

#[test]
fn accounts_that_were_removed_on_purpose_are_not_sent_again() {
    let (sandbox, stub) = (sandbox(3), stub());
    run(&sandbox, &stub);
    restore(&stub, "h2", &["N-0000", "N-0001"]);
    let erased = |number| json!({"type": "account.erased", "external_account_number": number});
    let paused = json!({"type": "import_supplier.paused", "external_account_number": null});
    let page = |items: &[Value]| (200, json!({"items": items, "next": "after=x"}));
    stub.answers("/v2/data-import/events/", [page(&[paused]), page(&[erased("N-0001")]), page(&[])]);
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["accepted", "sent_again"])), (Some(0), [3, 1]));
    assert!(ran.err.contains("1 account that had been accepted was erased"), "{}", ran.err);
    assert_eq!(stub.creations().len(), 2);
}

#[test]
fn an_account_that_was_corrected_is_sent_again_if_the_service_may_have_the_earlier_one() {
    let (sandbox, stub) = (sandbox(2), stub());
    run(&sandbox, &stub);
    let mut corrected: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    corrected["billing_name"] = "Corrected".into();
    sandbox.write("a.ndjson", [account("N-0000"), corrected.to_string().into()].join(&b'\n'));
    let earlier = stub.state().accounts["N-0001"].clone();
    run(&sandbox, &stub);
    restore(&stub, "h2", &[]);
    stub.state().accounts.insert("N-0001".to_owned(), earlier);
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["accepted", "sent_again"])), (Some(0), [2, 1]), "{}", ran.err);
    assert_eq!(stub.state().accounts["N-0001"].0["billing_name"], "Corrected");
    assert_eq!(run(&sandbox, &stub).1, 1);
}

#[test]
fn a_list_that_cannot_be_read_ends_the_run_before_anything_is_claimed() {
    let (sandbox, stub) = (sandbox(1), stub());
    run(&sandbox, &stub);
    restore(&stub, "h2", &[]);
    stub.state().list_answer = Some((403, json!({"detail": "Not for you.", "code": "permission_denied"})));
    let (ran, _) = run(&sandbox, &stub);
    assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(2), [0, 1]), "{}", ran.err);
    assert!(ran.err.contains("the service answers 403: Not for you."), "{}", ran.err);
}
