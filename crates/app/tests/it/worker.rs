use crate::house::House;
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::port::{Clock, StoreError, write};
use cutover_app::worker::{Swept, Worked};
use cutover_process::{Actor, Event, LEASE, MAX_ATTEMPTS, State};
use cutover_testkit::memory::{Fault, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const EMPTY: &str = r#""unknown_occupier":true"#;

/// Creates an account and claims it, as a worker does that is lost then.
pub(crate) fn claim(house: &House, number: &'static str) {
    house.create_as(number, EMPTY);
    let at = house.clock.now();
    let claimed = write(&*house.store, move |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        let stored = tx.process(supplier.id, &number.parse().unwrap())?.unwrap();
        let (process, entry) = stored.process.step(Event::Claimed, at, Actor::System).unwrap();
        tx.step_process(&process, &entry)
    });
    assert_eq!(claimed, Ok(true));
}

/// Removes the refresh tokens that have expired; how many there were.
pub(crate) fn remove_tokens(house: &House) -> usize {
    let now = house.clock.now();
    write(&*house.store, move |tx| tx.remove_expired_tokens(now)).unwrap()
}

#[test]
fn of_notes_at_one_instant_one_is_made_as_the_warning_says() {
    let notes = r#""unknown_occupier":true,"notes":[{"body":"N","created_at":"2026-01-01T12:00:00Z"},
        {"body":"N","created_at":"2026-01-01T22:00:00+10:00"},{"body":"N","created_at":"2026-01-01 12:00"}]"#;
    let house = House::with(notes);
    let report = house.report();
    let attrs: Vec<&str> = report.issues.warnings.iter().map(|warning| warning.attr.as_str()).collect();
    assert_eq!(attrs, ["notes.1", "notes.2"]);
    assert_eq!(report.account.unwrap().account.notes.unwrap().len(), 1);
}

#[test]
fn a_sweep_takes_up_what_lost_workers_left_and_removes_nothing() {
    let house = House::new();
    claim(&house, "A-1");
    house.clock.advance(LEASE);
    assert_eq!(house.app.sweep().unwrap(), Swept::default());
    house.create_with(r#"{"schedule_window_end":"2026-11-21T02:01:00Z"}"#, "A-2", EMPTY);
    house.clock.advance(Duration::days(8));
    assert_eq!(house.app.sweep().unwrap(), Swept { released: 1, missed: 1 });
    assert_eq!(["A-1", "A-2"].map(|number| house.state_of(number)), [State::Pending, State::Errored]);
    assert_eq!(house.app.sweep().unwrap(), Swept::default());
    assert_eq!(remove_tokens(&house), 1);
}

/// A worker comes before the sweep: what it ends it does not import, and its neighbours are none the wiser.
#[test]
fn what_missed_its_window_ends_where_it_would_be_claimed() {
    let house = House::new();
    house.create(EMPTY);
    house.create_with(r#"{"schedule_window_end":"2026-11-21T02:01:00Z"}"#, "A-2", EMPTY);
    house.clock.advance(Duration::minutes(2));
    assert_eq!(house.worker.run_once(), Ok(Worked::Processes(1)));
    let states = ["A-1", "A-2"].map(|number| house.state_of(number));
    assert_eq!(states, [State::Processed, State::Errored]);
    assert_eq!(house.worker.run_once(), Ok(Worked::Nothing));
}

#[test]
fn what_has_expired_is_removed() {
    let house = House::new();
    house.app.rotate_signing_key().unwrap();
    assert_eq!(house.app.list_signing_keys().unwrap().len(), 2);
    house.clock.advance(Duration::days(6));
    house.app.remove_expired().unwrap();
    assert_eq!(house.app.list_signing_keys().unwrap().len(), 1);
    house.clock.advance(Duration::days(2));
    house.app.remove_expired().unwrap();
    assert_eq!(remove_tokens(&house), 0);
}

/// More often than there are attempts: what is missing is this node's, not the account's.
#[test]
fn what_is_sealed_with_a_key_that_is_not_here_is_left_to_others_and_loses_no_attempt() {
    let store = Arc::<MemoryStore>::default();
    let given = store.clone();
    let house = House::on(|ports| Ports { store: given, ..ports });
    house.create_as("A-1", EMPTY);
    let missing = || StoreError::KeyMissing("k".into());
    for _ in 0..2 * MAX_ATTEMPTS {
        store.set_fault(Some(Fault::OfReads(missing())));
        assert_eq!(house.worker.run_once(), Err(missing()));
        store.set_fault(None);
        assert_eq!(house.state_of("A-1"), State::Pending);
        assert_eq!(house.worker.run_once(), Ok(Worked::Nothing), "others are to try first");
        house.clock.advance(Duration::seconds(30));
    }
    assert_eq!(house.worker.run_once(), Ok(Worked::Processes(1)));
    assert_eq!(house.state_of("A-1"), State::Processed);
    assert_eq!(house.metrics.deferred.load(Ordering::Relaxed), u64::from(2 * MAX_ATTEMPTS));
}
