//! What accounts wait for, and the sentences that say where they stand.

use crate::env::TestEnv;
use crate::test_doubles::HookedDocuments;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::account::AccountFilter;
use cutover_app::operator::{FoundAccount, JobOwner, SupplierChange, UndoRequest, UndoScope};
use cutover_app::worker::Worked;
use cutover_core::SupplierStatus;
use std::sync::{Arc, Mutex};

const PLAIN: &str = r#""customers":[]"#;
const WITH_DOCUMENT: &str = r#""customers":[],"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#;

/// The environment with the supplier in Melbourne, where the day has begun at 13:00.
fn environment() -> TestEnv {
    let env = TestEnv::new();
    let time_zone = Some("Australia/Melbourne".parse().unwrap());
    env.set_supplier(SupplierChange { time_zone, ..SupplierChange::default() });
    env
}

fn import(env: &TestEnv) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
}

/// Finds accounts by the beginning of their number: a line for each with its sentence and the codes of its errors.
fn found(env: &TestEnv, text: &str) -> Vec<String> {
    let matches = env.app.as_caller(&env.caller).search_accounts(None, text, 10).unwrap().matches;
    let line = |account: FoundAccount| {
        let (number, sentence, codes) = match account {
            FoundAccount::Accepted(account) => (account.number, account.sentence, account.error_codes),
            FoundAccount::Refused(refused) => (refused.number, refused.sentence, refused.error_codes),
        };
        format!("{number}: {sentence} {}", codes.join(" ")).trim_end().to_owned()
    };
    let lines = matches.into_iter().map(|found| line(found.account));
    // A part of a number finds others too.
    lines.filter(|line| line.starts_with(text)).collect()
}

/// What the accounts in the list of the supplier wait for.
fn waits(env: &TestEnv) -> Vec<String> {
    let filter = AccountFilter::default();
    let page = env.app.find_accounts(&env.caller, "ACME", &filter, None, 100).unwrap().unwrap();
    let line = |waits: cutover_model::WaitsFor| {
        let until = waits.until.map(|until| format!(" until {until}")).unwrap_or_default();
        format!("{}{until}: {}", waits.what, waits.detail)
    };
    page.accounts.into_iter().map(|account| account.waits_for.map_or("nothing".to_owned(), line)).collect()
}

#[test]
fn every_end_of_an_account_has_a_sentence() {
    let env = environment();
    env.refuse("refused");
    for number in ["imported", "undone", "cancelled", "twice"] {
        env.create_as(number, PLAIN);
    }
    env.app.as_command().cancel_process("ACME", "cancelled").unwrap();
    env.clock.advance(Duration::minutes(1));
    import(&env);
    env.create_as("failed", PLAIN);
    env.create_with(r#"{"is_dry_run":true}"#, "rehearsal failed", PLAIN);
    env.fail(true);
    import(&env);
    env.fail(false);
    env.create_with(r#"{"is_dry_run":true}"#, "rehearsed", PLAIN);
    import(&env);
    env.clock.advance(Duration::hours(12));
    env.refuse("failed");
    let undo = UndoRequest {
        supplier: "ACME".into(),
        which: UndoScope::Numbers(["undone", "twice"].map(str::to_owned).to_vec()),
    };
    let begun = env.app.as_command().begin_undo(&undo, "wrong tariffs", JobOwner::Caller).unwrap();
    env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {}).unwrap();
    env.create_as("twice", PLAIN);
    let numbers = [
        "imported",
        "undone",
        "cancelled",
        "twice",
        "failed",
        "rehearsal",
        "rehearsed",
        "refused",
        "unknown",
    ];
    let lines: Vec<String> = numbers.into_iter().flat_map(|number| found(&env, number)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_supplier_that_is_paused_complete_or_held_keeps_its_accounts_waiting() {
    let env = environment();
    env.create(PLAIN);
    let mut lines = waits(&env);
    for status in [SupplierStatus::Paused, SupplierStatus::Complete, SupplierStatus::Ongoing] {
        env.set_supplier(SupplierChange { status: Some(status), ..SupplierChange::default() });
        lines.extend(waits(&env));
    }
    let by = env.app.as_command();
    for because in [None, Some("the tariffs are wrong".to_owned()), Some("lunch".to_owned())] {
        by.hold_supplier("ACME", because).unwrap();
        lines.extend(waits(&env));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// As the page of a search, which names one zone.
#[test]
fn a_search_in_suppliers_of_several_zones_has_its_times_in_utc() {
    let env = environment();
    env.create_with(r#"{"schedule_window_start":"2026-11-21T07:38:00Z"}"#, "A-1", PLAIN);
    assert_eq!(found(&env, "A-1"), ["A-1: Waits for its window, opens 18:38"]);
    env.app.as_command().add_supplier("SECOND", "Acme", SupplierChange::default()).unwrap();
    assert_eq!(found(&env, "A-1"), ["A-1: Waits for its window, opens 07:38"]);
}

/// Asked while the worker looks up the document of an account.
#[test]
fn an_import_that_has_not_ended_says_when_it_began() {
    let documents = Arc::<HookedDocuments>::default();
    let given = documents.clone();
    let env = Arc::new(TestEnv::on(|ports| Ports { documents: given, ..ports }));
    env.create(WITH_DOCUMENT);
    env.create_with(r#"{"is_dry_run":true}"#, "A-2", WITH_DOCUMENT);
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    let (seen, asking) = (Arc::<Mutex<Vec<String>>>::default(), Arc::downgrade(&env));
    let sentences = seen.clone();
    documents.on_look_up(move |_| {
        *sentences.lock().unwrap() = found(&asking.upgrade().unwrap(), "A-");
        Ok(())
    });
    import(&env);
    assert_eq!(*seen.lock().unwrap(), ["A-1: Import began 02:00", "A-2: Rehearsal began 02:00"]);
}

#[test]
fn an_account_waits_for_its_window() {
    let env = environment();
    env.create_with(r#"{"schedule_window_start":"2026-11-21T07:38:00Z"}"#, "A-1", PLAIN);
    env.create_with(r#"{"schedule_window_start":"2026-11-29T22:00:00Z"}"#, "A-2", PLAIN);
    insta::assert_snapshot!(waits(&env).join("\n"));
}

/// One that was given back belongs to the wave, and does not wait for its end.
#[test]
fn accounts_beyond_a_wave_wait_for_its_end() {
    let env = environment();
    env.set_supplier(SupplierChange {
        waves: Some("1,rest".parse().unwrap()),
        hold_on_errors: Some(Some("0/10".parse().unwrap())),
        ..SupplierChange::default()
    });
    env.create(WITH_DOCUMENT);
    env.create_as("A-2", PLAIN);
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    env.documents.set_down(true);
    import(&env);
    let mut lines = waits(&env);
    env.clock.advance(Duration::minutes(10));
    lines.extend(waits(&env));
    // Documents are there again, but not this one.
    env.documents.set_down(false);
    import(&env);
    lines.extend(waits(&env));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_wave_that_ended_holds_the_others() {
    let env = environment();
    env.set_supplier(SupplierChange { waves: Some("1,rest".parse().unwrap()), ..SupplierChange::default() });
    env.create(PLAIN);
    env.create_as("A-2", PLAIN);
    import(&env);
    assert_eq!(waits(&env), ["nothing", "hold: Waits: ACME is held after wave 1"]);
}

/// Who sent an account again, and with what, does not change that its last create was refused.
#[test]
fn an_account_that_failed_and_was_refused_is_found_twice() {
    let env = environment();
    env.create(PLAIN);
    env.fail(true);
    import(&env);
    env.refuse("A-1");
    assert_eq!(
        found(&env, "A-1"),
        ["A-1: Failed 13:00 account_without_customers", "A-1: Not accepted since 13:00 invalid"]
    );
    env.fail(false);
    env.clock.advance(Duration::seconds(1));
    env.create(PLAIN);
    assert_eq!(found(&env, "A-1"), ["A-1: Waits for its turn"]);
}
