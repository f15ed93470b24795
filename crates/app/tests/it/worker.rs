use crate::env::TestEnv;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::port::{Clock, StoreError, write};
use cutover_app::worker::{Swept, Worked};
use cutover_process::{Actor, Event, LEASE, MAX_ATTEMPTS, State};
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const EMPTY: &str = r#""unknown_occupier":true"#;

/// Creates an account and claims it as a worker that is lost afterwards.
pub(crate) fn claim(env: &TestEnv, number: &'static str) {
    env.create_as(number, EMPTY);
    let at = env.clock.now();
    let claimed = write(&*env.store, move |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        let stored = tx.process(supplier.id, &number.parse().unwrap())?.unwrap();
        let (process, entry) = stored.process.step(Event::Claimed, at, Actor::System).unwrap();
        tx.step_process(&process, &entry)
    });
    assert_eq!(claimed, Ok(true));
}

/// Removes expired refresh tokens and returns their number.
pub(crate) fn remove_tokens(env: &TestEnv) -> usize {
    let now = env.clock.now();
    write(&*env.store, move |tx| tx.remove_expired_tokens(now)).unwrap()
}

#[test]
fn duplicate_notes_are_imported_once_with_a_warning() {
    let notes = r#""unknown_occupier":true,"notes":[{"body":"N","created_at":"2026-01-01T12:00:00Z"},
        {"body":"N","created_at":"2026-01-01T22:00:00+10:00"},{"body":"N","created_at":"2026-01-01 12:00"}]"#;
    let env = TestEnv::with(notes);
    let report = env.report();
    let attrs: Vec<&str> = report.issues.warnings.iter().map(|warning| warning.attr.as_str()).collect();
    assert_eq!(attrs, ["notes.1", "notes.2"]);
    assert_eq!(report.account.unwrap().account.notes.unwrap().len(), 1);
}

#[test]
fn a_sweep_releases_claims_of_lost_workers_and_removes_nothing() {
    let env = TestEnv::new();
    claim(&env, "A-1");
    env.clock.advance(LEASE);
    assert_eq!(env.app.sweep().unwrap(), Swept::default());
    env.create_with(r#"{"schedule_window_end":"2026-11-21T02:01:00Z"}"#, "A-2", EMPTY);
    env.clock.advance(Duration::days(8));
    assert_eq!(env.app.sweep().unwrap(), Swept { released: 1, missed: 1 });
    assert_eq!(["A-1", "A-2"].map(|number| env.state_of(number)), [State::Pending, State::Errored]);
    assert_eq!(env.app.sweep().unwrap(), Swept::default());
    assert_eq!(remove_tokens(&env), 1);
}

/// The worker comes before the sweep: it ends the process, and imports the others of the batch.
#[test]
fn a_process_that_missed_its_window_ends_when_it_is_claimed() {
    let env = TestEnv::new();
    env.create(EMPTY);
    env.create_with(r#"{"schedule_window_end":"2026-11-21T02:01:00Z"}"#, "A-2", EMPTY);
    env.clock.advance(Duration::minutes(2));
    assert_eq!(env.worker.run_once(), Ok(Worked::Processes(1)));
    let states = ["A-1", "A-2"].map(|number| env.state_of(number));
    assert_eq!(states, [State::Processed, State::Errored]);
    assert_eq!(env.worker.run_once(), Ok(Worked::Nothing));
}

#[test]
fn expired_tokens_and_keys_are_removed() {
    let env = TestEnv::new();
    env.app.rotate_signing_key().unwrap();
    assert_eq!(env.app.list_signing_keys().unwrap().len(), 2);
    env.clock.advance(Duration::days(6));
    env.app.remove_expired().unwrap();
    assert_eq!(env.app.list_signing_keys().unwrap().len(), 1);
    env.clock.advance(Duration::days(2));
    env.app.remove_expired().unwrap();
    assert_eq!(remove_tokens(&env), 0);
}

/// More often than there are attempts, because the fault is this node's and not the account's.
#[test]
fn a_payload_with_a_missing_key_is_released_without_losing_an_attempt() {
    let store = Arc::<MemoryStore>::default();
    let given = store.clone();
    let env = TestEnv::on(|ports| Ports { store: given, ..ports });
    env.create_as("A-1", EMPTY);
    let missing = || StoreError::KeyMissing("k".into());
    for _ in 0..2 * MAX_ATTEMPTS {
        store.set_fault(Some(Fault::OfReads(missing())));
        assert_eq!(env.worker.run_once(), Err(missing()));
        store.set_fault(None);
        assert_eq!(env.state_of("A-1"), State::Pending);
        assert_eq!(env.worker.run_once(), Ok(Worked::Nothing), "other nodes come first");
        env.clock.advance(Duration::seconds(30));
    }
    assert_eq!(env.worker.run_once(), Ok(Worked::Processes(1)));
    assert_eq!(env.state_of("A-1"), State::Processed);
    assert_eq!(env.metrics.deferred.load(Ordering::Relaxed), u64::from(2 * MAX_ATTEMPTS));
}
