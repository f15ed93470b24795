//! Retention: payload and history of ended processes are removed.

use super::helpers::{ABSENT, at, create, create_many, process, put, see, staged, step, supplier};
use chrono::{DateTime, Utc};
use cutover_app::port::{Archivable, ArchivedVersion, Position, Store, StoredProcess, Supplier};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Event, EventKind, State, Submission};

/// Ends a process at the given time.
fn cancel(store: &dyn Store, supplier: &Supplier, account: &str, when: i64) {
    assert!(step(store, &process(store, supplier, account).process, Event::Cancelled, at(when)));
}

/// Returns the account numbers of archivable processes.
fn archivable(store: &dyn Store, supplier: &Supplier, before: i64) -> Vec<String> {
    let ids = look(store, supplier, at(before), None, 100).ids;
    let kept = see(store, |tx| tx.processes_to_archive(&ids, at(before)));
    assert_eq!(kept.iter().map(|kept| kept.stored.process.id()).collect::<Vec<_>>(), ids);
    let number = |stored: &StoredProcess| stored.process.snapshot().external_account_number.to_string();
    kept.iter().map(|kept| number(&kept.stored)).collect()
}

fn look(
    store: &dyn Store,
    supplier: &Supplier,
    before: DateTime<Utc>,
    after: Option<Position>,
    limit: u32,
) -> Archivable {
    see(store, |tx| tx.archivable(supplier.id, before, after, limit))
}

/// Archives processes in their current versions and returns their number.
fn archive(store: &dyn Store, processes: &[&StoredProcess], when: i64) -> usize {
    let versions: Vec<_> =
        processes.iter().map(|stored| ArchivedVersion::new(&stored.process, None)).collect();
    let archived = put(store, move |tx| tx.archive(&versions, at(when)));
    let mut next = Some(0);
    while let Some(from) = next {
        next = put(store, move |tx| tx.remove_archived(from));
    }
    archived
}

/// Processes are archivable in every ended state, if they last changed before the time.
pub fn processes_that_ended_long_ago_are_archivable(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    create_many(store, &acme, "A", 8);
    create(store, &other, "A-0");
    cancel(store, &other, "A-0", 10);
    for account in ["A-0", "A-1", "A-2", "A-3", "A-4"] {
        assert!(step(store, &process(store, &acme, account).process, Event::Claimed, at(10)));
    }
    let number = ServiceAccountNumber::from_random(7);
    for (account, event) in [("A-0", Event::Imported(number)), ("A-1", Event::Rejected)] {
        assert!(step(store, &process(store, &acme, account).process, event, at(11)));
    }
    assert!(step(store, &process(store, &acme, "A-2").process, Event::Deferred { due_at: at(90) }, at(11)));
    cancel(store, &acme, "A-5", 11);
    cancel(store, &acme, "A-6", 20);
    assert_eq!(archivable(store, &acme, 20), ["A-0", "A-1", "A-5"]);
    assert_eq!(archivable(store, &acme, 11), [""; 0]);
    assert_eq!(archivable(store, &acme, 1_000), ["A-0", "A-1", "A-5", "A-6"]);
    assert_eq!(archivable(store, &other, 1_000), ["A-0"]);
}

/// A search continues where the last one ended, even if that found nothing.
pub fn a_search_for_archivable_processes_is_bounded(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 7);
    for account in ["A-0", "A-5", "A-6"] {
        cancel(store, &acme, account, 10);
    }
    let id = |account| process(store, &acme, account).process.id();
    let (mut after, mut found) = (None, Vec::new());
    for _ in 0..4 {
        let look = look(store, &acme, at(100), after, 2);
        after = look.last;
        found.push(look.ids);
    }
    assert_eq!(found, [vec![id("A-0")], vec![], vec![id("A-5")], vec![id("A-6")]]);
    assert_eq!(look(store, &acme, at(100), after, 2), Archivable::default());
    // Processes created later cannot have changed before.
    let last = process(store, &acme, "A-2").process;
    assert_eq!(look(store, &acme, at(3), None, 100).last, Some((at(2), last.id())));
}

/// Payload and history are removed; the process and its identity stay.
pub fn an_archived_process_keeps_its_row(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 2);
    cancel(store, &acme, "A-0", 10);
    let before = process(store, &acme, "A-0");
    let id = before.process.id();
    let kept = see(store, |tx| tx.processes_to_archive(&[id, ABSENT], at(100))).remove(0);
    assert_eq!((&kept.stored, &kept.payload), (&before, &staged(b"A-0").payload));
    assert_eq!(kept.history, see(store, |tx| tx.history(id)));
    assert_eq!(see(store, |tx| tx.archived_at(id)), None);

    assert_eq!(archive(store, &[&before], 200), 1);
    assert_eq!(process(store, &acme, "A-0"), before);
    assert_eq!(see(store, |tx| tx.archived_at(id)), Some(at(200)));
    assert_eq!(see(store, |tx| tx.history(id)), []);
    assert_eq!(see(store, |tx| tx.staged(id)), None);
    assert_eq!(see(store, |tx| tx.payloads(&[id])), []);
    assert_eq!(archivable(store, &acme, 1_000), [""; 0]);
    assert_eq!(see(store, |tx| tx.processes_to_archive(&[id], at(1_000))), []);
    assert_eq!(archive(store, &[&before], 300), 0);
    assert_eq!(see(store, |tx| tx.archived_at(id)), Some(at(200)));

    let other = process(store, &acme, "A-1").process;
    assert_eq!(see(store, |tx| tx.history(other.id())).len(), 1);
    assert_eq!(see(store, |tx| tx.staged(other.id())), Some(staged(b"A-1")));
    assert_eq!(see(store, |tx| tx.archived_at(other.id())), None);
    assert_eq!(see(store, |tx| tx.archived_at(ABSENT)), None);
}

/// A process with a step between search and removal stays complete; the others are archived.
pub fn processes_changed_meanwhile_are_not_archived(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 2);
    cancel(store, &acme, "A-0", 10);
    cancel(store, &acme, "A-1", 10);
    let (first, second) = (process(store, &acme, "A-0"), process(store, &acme, "A-1"));
    assert!(step(store, &first.process, Event::RetriedByOperator, at(20)));
    assert_eq!(archive(store, &[&first, &second], 100), 1);
    let (first, second) = (first.process.id(), second.process.id());
    assert_eq!(see(store, |tx| tx.history(first)).len(), 3);
    assert_eq!(see(store, |tx| tx.staged(first)), Some(staged(b"A-0")));
    assert_eq!(see(store, |tx| tx.archived_at(first)), None);
    assert_eq!(see(store, |tx| tx.archived_at(second)), Some(at(100)));
    assert_eq!(put(store, move |tx| tx.archive(&[], at(100))), 0);
}

/// A payload that is sent again is staged like any other; the history continues.
pub fn an_archived_process_can_be_sent_again(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create(store, &acme, "A-1");
    cancel(store, &acme, "A-1", 10);
    let archived = process(store, &acme, "A-1");
    let id = archived.process.id();
    assert_eq!(archive(store, &[&archived], 100), 1);

    let again = Event::Resubmitted(Submission::default());
    assert!(step(store, &archived.process, again, at(200)));
    put(store, move |tx| tx.restage(id, &staged(b"again")));
    assert_eq!(see(store, |tx| tx.archived_at(id)), None);
    assert_eq!(see(store, |tx| tx.staged(id)), Some(staged(b"again")));
    assert_eq!(process(store, &acme, "A-1").process.state(), State::Pending);
    let history = see(store, |tx| tx.history(id));
    assert_eq!(
        history.iter().map(|e| (e.version, e.event.clone())).collect::<Vec<_>>(),
        [(3, EventKind::Resubmitted.into())]
    );
    cancel(store, &acme, "A-1", 300);
    assert_eq!(archive(store, &[&process(store, &acme, "A-1")], 400), 1);
    assert_eq!(see(store, |tx| tx.archived_at(id)), Some(at(400)));
}
