//! Failures 5, 6 and 12: outages are retried for their time; what breaks its worker still ends after eight
//! attempts.

use crate::house::House;
use crate::stand_ins::Hooked;
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

/// A house with accounts whose documents are looked up.
fn house(documents: &Arc<Hooked>, accounts: usize, settings: Settings) -> House {
    let given = documents.clone();
    let house = House::set(|ports| Ports { documents: given, ..ports }, settings);
    (0..accounts).for_each(|n| house.create_as(&number(n), DOCUMENT));
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", change).unwrap();
    house
}

fn set_down(documents: &Hooked, is_down: bool) {
    let answer = move || if is_down { Err(DocumentsUnavailable("on purpose".into())) } else { Ok(()) };
    documents.on_look_up(move |_| answer());
}

/// The worker works on whatever is due, for so long.
fn work(house: &House, time: Duration, step: Duration) {
    let until = house.clock.now() + time;
    while house.clock.now() < until {
        while house.worker.run_once().unwrap() != Worked::Nothing {}
        house.app.sweep().unwrap();
        house.clock.advance(step);
    }
}

fn states(house: &House, accounts: usize) -> Vec<State> {
    (0..accounts).map(|n| house.state_of(&number(n))).collect()
}

#[test]
fn a_storage_that_is_down_for_ten_minutes_costs_no_account() {
    let documents = Arc::<Hooked>::default();
    let house = house(&documents, ACCOUNTS, Settings::default());
    set_down(&documents, true);
    work(&house, Duration::minutes(10), Duration::seconds(1));
    assert_eq!(states(&house, ACCOUNTS), [State::Pending; ACCOUNTS]);
    let attempts = house.report_of(&number(0)).attempt;
    assert!((8..=15).contains(&attempts), "it waits longer and longer: {attempts} attempts");
    set_down(&documents, false);
    work(&house, BACKOFF_CAP, Duration::seconds(1));
    assert_eq!(states(&house, ACCOUNTS), [State::Processed; ACCOUNTS]);
}

#[test]
fn a_storage_that_is_down_for_too_long_ends_in_an_error_with_its_cause_and_nothing_is_lost() {
    let documents = Arc::<Hooked>::default();
    let settings = Settings { import_retry_time: Duration::hours(1), ..Settings::default() };
    let house = house(&documents, 3, settings);
    set_down(&documents, true);
    work(&house, Duration::minutes(59), Duration::seconds(5));
    assert_eq!(states(&house, 3), [State::Pending; 3]);
    work(&house, BACKOFF_CAP + Duration::minutes(1), Duration::seconds(5));
    for n in 0..3 {
        let status = house.report_of(&number(n)).status;
        let error = status.latest_error.unwrap();
        assert_eq!((status.status, error.code), (State::Errored, Code::ImportProcessRetriesExhausted.into()));
        assert!(error.detail.contains("could not be reached"), "{}", error.detail);
        house.app.retry_process("ACME", &number(n)).unwrap();
    }
    set_down(&documents, false);
    house.worker.run_once().unwrap();
    assert_eq!(states(&house, 3), [State::Processed; 3]);
}

/// Outages between the panics neither cost an attempt nor give one back.
#[test]
fn a_payload_that_panics_ends_after_eight_attempts_whatever_outages_lie_between() {
    let documents = Arc::<Hooked>::default();
    let house = house(&documents, 1, Settings::default());
    let asked = AtomicUsize::new(0);
    documents.on_look_up(move |_| match asked.fetch_add(1, Ordering::SeqCst) % 3 {
        0 => panic!("on purpose"),
        _ => Err(DocumentsUnavailable("on purpose".into())),
    });
    work(&house, Duration::hours(3), BACKOFF_CAP);
    let report = house.report_of(&number(0));
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

/// The database goes away in the middle of an import, more often than there are attempts, and for longer than
/// a lease.
#[test]
fn a_database_that_goes_away_in_the_middle_costs_no_attempt() {
    let (documents, store) = (Arc::<Hooked>::default(), Arc::<MemoryStore>::default());
    let given = (documents.clone(), store.clone());
    let house = House::on(|ports| Ports { documents: given.0, store: given.1, ..ports });
    house.create_as(&number(0), DOCUMENT);
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    house.app.set_supplier("ACME", change).unwrap();
    let away = || Some(Fault::Error(StoreError::Unavailable("on purpose".into())));
    let hook = store.clone();
    documents.on_look_up(move |_| {
        hook.set_fault(away());
        Ok(())
    });
    for round in 0..=MAX_ATTEMPTS {
        assert!(matches!(house.worker.run_once(), Err(StoreError::Unavailable(_))), "{round}");
        house.clock.advance(LEASE * 3);
        assert!(house.worker.run_once().is_err() && house.app.sweep().is_err());
        store.set_fault(None);
        // Whichever comes first.
        if round % 2 == 0 {
            house.app.sweep().unwrap();
        } else {
            assert_eq!(house.worker.run_once(), Ok(Worked::Nothing));
        }
        let report = house.report_of(&number(0));
        assert_eq!((report.status.status, report.attempt), (State::Pending, round + 1));
        assert_eq!(report.history.last().unwrap().event, EventKind::Deferred);
        house.clock.advance(BACKOFF_CAP);
    }
    set_down(&documents, false);
    assert_eq!(house.worker.run_once(), Ok(Worked::Processes(1)));
    assert_eq!(house.state_of(&number(0)), State::Processed);
}

/// Longer than an outage is retried nobody tries: the supplier is paused meanwhile.
#[test]
fn a_pause_in_an_outage_is_no_part_of_it() {
    let documents = Arc::<Hooked>::default();
    let house = house(&documents, 1, Settings::default());
    set_down(&documents, true);
    work(&house, Duration::minutes(30), Duration::seconds(5));
    house.clock.advance(RETRY_TIME * 2);
    work(&house, Duration::minutes(30), Duration::seconds(5));
    assert_eq!(house.state_of(&number(0)), State::Pending);
    set_down(&documents, false);
    work(&house, BACKOFF_CAP, Duration::seconds(5));
    assert_eq!(house.state_of(&number(0)), State::Processed);
}
