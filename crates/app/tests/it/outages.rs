//! Failures 5, 6 and 12: outages are retried for a limited time; a payload that panics ends after eight
//! attempts.

use crate::env::TestEnv;
use crate::test_doubles::HookedDocuments;
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Clock, DocumentsUnavailable, StoreError};
use cutover_app::worker::Worked;
use cutover_app::{Ports, Settings};
use cutover_core::Code;
use cutover_process::{BACKOFF_CAP, EventKind, LEASE, MAX_ATTEMPTS, RETRY_TIME, State};
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ACCOUNTS: usize = 50;
const DOCUMENT: &str = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#;

fn number(n: usize) -> String {
    format!("A-{n}")
}

/// Creates an environment with accounts whose documents are verified.
fn env(documents: &Arc<HookedDocuments>, accounts: usize, settings: Settings) -> TestEnv {
    let given = documents.clone();
    let env = TestEnv::set(|ports| Ports { documents: given, ..ports }, settings);
    (0..accounts).for_each(|n| env.create_as(&number(n), DOCUMENT));
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).unwrap();
    env
}

fn set_down(documents: &HookedDocuments, is_down: bool) {
    let answer =
        move || if is_down { Err(DocumentsUnavailable("injected by the test".into())) } else { Ok(()) };
    documents.on_look_up(move |_| answer());
}

/// Runs the worker on due accounts for a time, in steps.
fn work(env: &TestEnv, time: Duration, step: Duration) {
    let until = env.clock.now() + time;
    while env.clock.now() < until {
        while env.worker.run_once().unwrap() != Worked::Nothing {}
        env.app.sweep().unwrap();
        env.clock.advance(step);
    }
}

fn states(env: &TestEnv, accounts: usize) -> Vec<State> {
    (0..accounts).map(|n| env.state_of(&number(n))).collect()
}

#[test]
fn an_outage_of_the_storage_for_ten_minutes_fails_no_account() {
    let documents = Arc::<HookedDocuments>::default();
    let env = env(&documents, ACCOUNTS, Settings::default());
    set_down(&documents, true);
    work(&env, Duration::minutes(10), Duration::seconds(1));
    assert_eq!(states(&env, ACCOUNTS), [State::Pending; ACCOUNTS]);
    let attempts = env.report_of(&number(0)).attempt;
    assert!((8..=15).contains(&attempts), "the backoff grows: {attempts} attempts");
    set_down(&documents, false);
    work(&env, BACKOFF_CAP, Duration::seconds(1));
    assert_eq!(states(&env, ACCOUNTS), [State::Processed; ACCOUNTS]);
}

#[test]
fn a_longer_outage_of_the_storage_ends_in_an_error_that_can_be_retried() {
    let documents = Arc::<HookedDocuments>::default();
    let settings = Settings { import_retry_time: Duration::hours(1), ..Settings::default() };
    let env = env(&documents, 3, settings);
    set_down(&documents, true);
    work(&env, Duration::minutes(59), Duration::seconds(5));
    assert_eq!(states(&env, 3), [State::Pending; 3]);
    work(&env, BACKOFF_CAP + Duration::minutes(1), Duration::seconds(5));
    for n in 0..3 {
        let status = env.report_of(&number(n)).status;
        let error = status.latest_error.unwrap();
        assert_eq!((status.status, error.code), (State::Errored, Code::ImportProcessRetriesExhausted.into()));
        assert!(error.detail.contains("could not be reached"), "{}", error.detail);
        env.app.as_command().retry_process("ACME", &number(n)).unwrap();
    }
    set_down(&documents, false);
    env.worker.run_once().unwrap();
    assert_eq!(states(&env, 3), [State::Processed; 3]);
}

/// Outages between the panics neither cost nor restore an attempt.
#[test]
fn a_payload_that_panics_ends_after_eight_attempts_despite_outages() {
    let documents = Arc::<HookedDocuments>::default();
    let env = env(&documents, 1, Settings::default());
    let asked = AtomicUsize::new(0);
    documents.on_look_up(move |_| match asked.fetch_add(1, Ordering::SeqCst) % 3 {
        0 => panic!("injected by the test"),
        _ => Err(DocumentsUnavailable("injected by the test".into())),
    });
    work(&env, Duration::hours(3), BACKOFF_CAP);
    let report = env.report_of(&number(0));
    let error = report.status.latest_error.unwrap();
    assert_eq!(
        (report.status.status, error.code),
        (State::Errored, Code::ImportProcessRetriesExhausted.into())
    );
    assert_eq!(error.detail, Code::ImportProcessRetriesExhausted.detail());
    let count = |kind| report.history.iter().filter(|entry| entry.event == kind).count();
    let attempts = MAX_ATTEMPTS as usize;
    assert_eq!((count(EventKind::Failed), count(EventKind::RetriesExhausted)), (attempts - 1, 1));
    assert_eq!(
        (count(EventKind::Deferred), count(EventKind::Claimed)),
        (2 * (attempts - 1), 3 * attempts - 2)
    );
}

/// The database fails during an import, more often than there are attempts, and for longer than a lease.
#[test]
fn an_outage_of_the_database_during_an_import_costs_no_attempt() {
    let (documents, store) = (Arc::<HookedDocuments>::default(), Arc::<MemoryStore>::default());
    let given = (documents.clone(), store.clone());
    let env = TestEnv::on(|ports| Ports { documents: given.0, store: given.1, ..ports });
    env.create_as(&number(0), DOCUMENT);
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).unwrap();
    let away = || Some(Fault::Error(StoreError::Unavailable("injected by the test".into())));
    let hook = store.clone();
    documents.on_look_up(move |_| {
        hook.set_fault(away());
        Ok(())
    });
    for round in 0..=MAX_ATTEMPTS {
        assert!(matches!(env.worker.run_once(), Err(StoreError::Unavailable(_))), "{round}");
        env.clock.advance(LEASE * 3);
        assert!(env.worker.run_once().is_err() && env.app.sweep().is_err());
        store.set_fault(None);
        // Either may come first.
        if round % 2 == 0 {
            env.app.sweep().unwrap();
        } else {
            assert_eq!(env.worker.run_once(), Ok(Worked::Nothing));
        }
        let report = env.report_of(&number(0));
        assert_eq!((report.status.status, report.attempt), (State::Pending, round + 1));
        assert_eq!(report.history.last().unwrap().event, EventKind::Deferred);
        env.clock.advance(BACKOFF_CAP);
    }
    set_down(&documents, false);
    assert_eq!(env.worker.run_once(), Ok(Worked::Processes(1)));
    assert_eq!(env.state_of(&number(0)), State::Processed);
}

/// The supplier is paused for longer than outages are retried.
#[test]
fn a_pause_during_an_outage_does_not_count() {
    let documents = Arc::<HookedDocuments>::default();
    let env = env(&documents, 1, Settings::default());
    set_down(&documents, true);
    work(&env, Duration::minutes(30), Duration::seconds(5));
    env.clock.advance(RETRY_TIME * 2);
    work(&env, Duration::minutes(30), Duration::seconds(5));
    assert_eq!(env.state_of(&number(0)), State::Pending);
    set_down(&documents, false);
    work(&env, BACKOFF_CAP, Duration::seconds(5));
    assert_eq!(env.state_of(&number(0)), State::Processed);
}
