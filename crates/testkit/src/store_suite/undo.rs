//! Accounts whose import can be undone, or was.

use super::helpers::{ABSENT, at, create, number, process, put, see, step, supplier};
use super::imported::{account_of, end_with, import, of_members};
use cutover_app::port::{
    ArchivedVersion, FeedFilter, ImportedHead, KeptBecause, MayConflict, NewAccount, PageLimit,
    ProcessFilter, Store, StoreError, Supplier, write,
};
use cutover_core::ServiceAccountNumber;
use cutover_process::{Actor, Event, State};
use cutover_testkit_machine::wait_for;

const MEMBERS: &str = r#""customers":[{"family_name":"Lee"}],"ledgers":[{"ledger_balance":"1.50"}]"#;

fn head(store: &dyn Store, id: i64) -> Option<ImportedHead> {
    see(store, |tx| tx.heads_of(&[id])).pop()
}

/// Undoes the import of an account like the use case, but without figures.
fn undo(store: &dyn Store, of: &Supplier, account: &str) {
    let imported = process(store, of, account).process;
    let (process, entry) = imported.step(Event::Undone, at(2_000), Actor::Operator).unwrap();
    put(store, move |tx| {
        assert!(tx.step_process(&process, &entry)?);
        let removed = tx.remove_accounts(&[process.id()])?;
        assert!(removed.iter().any(|(table, rows)| (*table, *rows) == ("accounts", 1)), "{removed:?}");
        Ok(())
    });
}

/// Sends an undone account again and imports it under the number of `n`.
fn import_again(store: &dyn Store, of: &Supplier, account: &str, n: u64) -> Result<NewAccount, StoreError> {
    let undone = process(store, of, account).process;
    let new = account_of(&undone, of, n, of_members(MEMBERS));
    let written = new.clone();
    write(store, move |tx| {
        let (pending, entry) = undone.step(Event::RetriedByOperator, at(2_001), Actor::Operator).unwrap();
        assert!(tx.step_process(&pending, &entry)?);
        end_with(tx, pending, &written)
    })?;
    Ok(new)
}

/// An undone account is gone, its process and history stay, and the event has its number.
pub fn an_undone_account_leaves_its_process(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let (first, second) = (import(store, &acme, 1, MEMBERS), import(store, &acme, 2, MEMBERS));
    undo(store, &acme, "A-1");
    let id = first.process_id;
    assert_eq!(see(store, |tx| tx.imported_account(id)), None);
    assert_eq!(head(store, id), None);
    let left = process(store, &acme, "A-1").process;
    assert_eq!((left.state(), left.service_account_number()), (State::Cancelled, None));
    assert_eq!(see(store, |tx| tx.process_of_account(&first.number)), None);
    assert!(see(store, |tx| tx.staged(id)).is_some());
    let steps: Vec<_> = see(store, |tx| tx.history(id)).iter().map(|entry| entry.event.to_string()).collect();
    assert_eq!(steps, ["created", "claimed", "imported", "undone"]);
    assert!(see(store, |tx| tx.imported_account(second.process_id)).is_some());
    let page =
        see(store, |tx| tx.feed_page(acme.organisation_id, &FeedFilter::default(), None, PageLimit::of(10)));
    // On a database server the latest events may wait for other transactions.
    let undone = page
        .unwrap()
        .events
        .into_iter()
        .find(|event| event.event_type.as_str() == "account_import_process.undone");
    if let Some(undone) = undone {
        assert_eq!(undone.service_account_number, Some(first.number.to_string()));
        assert_eq!((undone.external_account_number.as_deref(), undone.attempt), (Some("A-1"), Some(1)));
    }
}

/// Several steps at once publish the numbers of their accounts too.
pub fn accounts_that_are_undone_together_are_published(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let numbers: Vec<String> = (1..4).map(|n| import(store, &acme, n, MEMBERS).number.to_string()).collect();
    let steps: Vec<_> = ["A-1", "A-2", "A-3"]
        .map(|account| process(store, &acme, account).process)
        .into_iter()
        .map(|process| process.step(Event::Undone, at(2_000), Actor::Operator).unwrap())
        .collect();
    put(store, move |tx| {
        let writes: Vec<_> = steps
            .iter()
            .map(|(process, entry)| cutover_app::port::StepWrite { process, entry, issues: None, sent: None })
            .collect();
        assert_eq!(tx.step_processes(&writes)?, [true; 3]);
        let ids: Vec<i64> = steps.iter().map(|(process, _)| process.id()).collect();
        tx.remove_accounts(&ids)
    });
    let undone = || {
        let page = see(store, |tx| {
            tx.feed_page(acme.organisation_id, &FeedFilter::default(), None, PageLimit::of(20))
        });
        let events = page.unwrap().events.into_iter();
        let undone = events.filter(|event| event.event_type.as_str() == "account_import_process.undone");
        let mut found: Vec<_> = undone.filter_map(|event| event.service_account_number).collect();
        found.sort();
        found
    };
    let mut expected = numbers;
    expected.sort();
    wait_for("the events are visible", || {
        let undone = undone();
        if undone == expected { Ok(()) } else { Err(undone) }
    });
}

/// An undone account is cancelled, and told from one that somebody cancelled, until it takes another step.
pub fn undone_accounts_are_listed_and_counted_apart(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for n in 1..=4 {
        import(store, &acme, n, MEMBERS);
    }
    create(store, &acme, "B-1");
    create(store, &acme, "B-2");
    let cancel = |account| {
        let process = process(store, &acme, account).process;
        assert!(step(store, &process, Event::Cancelled, at(1_999)));
    };
    cancel("B-1");
    for account in ["A-1", "A-2", "A-4"] {
        undo(store, &acme, account);
    }
    assert!(process(store, &acme, "A-1").process.is_undone());
    assert!(!process(store, &acme, "B-1").process.is_undone());
    let list = |state, is_undone, modified_after, limit: PageLimit| {
        let filter = ProcessFilter { state, is_undone, modified_after, ..ProcessFilter::default() };
        let (mut after, mut found) = (None, Vec::new());
        loop {
            let page = see(store, |tx| tx.list_processes(acme.id, filter, after, limit));
            assert!(page.processes.len() <= limit.items as usize);
            let numbers =
                page.processes.iter().map(|listed| &listed.process.snapshot().external_account_number);
            found.extend(numbers.map(ToString::to_string));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        found.sort();
        found
    };
    let cancelled = Some(State::Cancelled);
    for limit in [PageLimit::of(10), PageLimit { items: 1, scanned: 1 }, PageLimit { items: 2, scanned: 3 }] {
        assert_eq!(list(cancelled, Some(true), None, limit), ["A-1", "A-2", "A-4"]);
        assert_eq!(list(None, Some(true), None, limit), ["A-1", "A-2", "A-4"]);
        assert_eq!(list(cancelled, Some(false), None, limit), ["B-1"]);
        assert_eq!(list(None, Some(false), None, limit), ["A-3", "B-1", "B-2"]);
        assert_eq!(list(cancelled, None, None, limit), ["A-1", "A-2", "A-4", "B-1"]);
        assert_eq!(list(cancelled, Some(true), Some(at(2_000)), limit), [""; 0]);
        assert_eq!(list(Some(State::Pending), Some(true), None, limit), [""; 0]);
        assert_eq!(list(Some(State::Pending), Some(false), None, limit), ["B-2"]);
    }
    let counts = || {
        let counts = see(store, |tx| tx.state_counts(acme.id)).into_iter();
        let cancelled = counts.filter(|count| count.state == State::Cancelled);
        cancelled.map(|count| (count.is_undone, count.error, count.processes)).collect::<Vec<_>>()
    };
    assert_eq!(counts(), [(false, None, 1), (true, None, 3)]);
    while put(store, |tx| tx.fold(2)) > 0 {}
    assert_eq!(counts(), [(false, None, 1), (true, None, 3)]);

    // Retried, and cancelled then; retried; erased.
    for account in ["A-1", "A-2"] {
        let process = process(store, &acme, account).process;
        assert!(step(store, &process, Event::RetriedByOperator, at(2_001)));
    }
    cancel("A-1");
    assert_eq!(list(None, Some(true), None, PageLimit::of(10)), ["A-4"]);
    assert_eq!(list(cancelled, Some(false), None, PageLimit::of(10)), ["A-1", "B-1"]);
    assert_eq!(counts(), [(false, None, 2), (true, None, 1)]);
    super::erasure::erase(store, &acme, process(store, &acme, "A-4").process.id());
    assert_eq!(counts(), [(false, None, 2)]);
}

/// The number of an undone account is not given again.
pub fn the_number_of_an_undone_account_is_retired(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    import(store, &acme, 1, MEMBERS);
    undo(store, &acme, "A-1");
    let refused = import_again(store, &acme, "A-1", 1).unwrap_err();
    assert!(refused.is_conflict(), "{refused}");
    assert_eq!(process(store, &acme, "A-1").process.state(), State::Cancelled);
    let again = import_again(store, &acme, "A-1", 2).unwrap();
    assert_eq!(head(store, again.process_id).unwrap().added_at, None);
    // Nor to another account.
    let other = create(store, &acme, "A-9");
    let new = account_of(&other, &acme, 1, of_members(MEMBERS));
    assert!(write(store, move |tx| end_with(tx, other, &new)).unwrap_err().is_conflict());
}

/// The first addition and the first bill are noted, and prevent an undo.
pub fn marks_of_accounts_are_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let id = import(store, &acme, 1, MEMBERS).process_id;
    let new = head(store, id).unwrap();
    assert_eq!((new.id, new.supplier_id, &new.external_account_number), (id, acme.id, &number("A-1")));
    assert_eq!(
        (new.imported_at, new.added_at, new.billed_at, new.is_archived),
        (at(1_000), None, None, false)
    );
    assert_eq!(new.kept_because(), None);
    for seconds in [5, 6] {
        put(store, move |tx| tx.mark_added(id, at(seconds)));
    }
    let added = head(store, id).unwrap();
    assert_eq!((added.added_at, added.kept_because()), (Some(at(5)), Some(KeptBecause::Changed)));
    assert!(put(store, move |tx| tx.mark_billed(id, at(7))));
    assert!(!put(store, move |tx| tx.mark_billed(id, at(8))));
    let billed = head(store, id).unwrap();
    assert_eq!((billed.billed_at, billed.kept_because()), (Some(at(7)), Some(KeptBecause::Billed)));
    let other = import(store, &acme, 2, MEMBERS).process_id;
    let imported = process(store, &acme, "A-2").process;
    put(store, move |tx| tx.archive(&[ArchivedVersion::new(&imported, None)], at(9)));
    assert_eq!(head(store, other).unwrap().kept_because(), Some(KeptBecause::Archived));
}

/// Accounts are listed in import order, and each is locked by its number.
pub fn accounts_to_undo_are_listed_in_import_order(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let mut ids = Vec::new();
    for (n, seconds) in [(1, 30), (2, 10), (3, 20), (4, 20)] {
        let pending = create(store, &acme, format!("A-{n}").leak());
        let mut new = account_of(&pending, &acme, n, of_members(MEMBERS));
        new.imported_at = at(seconds);
        ids.push(new.process_id);
        put(store, move |tx| end_with(tx, pending, &new));
    }
    import(store, &other, 9, MEMBERS);
    let listed = |after, limit| {
        let heads = see(store, |tx| tx.imported_heads(acme.id, after, limit));
        heads.iter().map(|head| head.external_account_number.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed((at(0), 0), 10), ["A-2", "A-3", "A-4", "A-1"]);
    assert_eq!(listed((at(20), 0), 2), ["A-3", "A-4"]);
    assert_eq!(listed((at(20), ids[3]), 10), ["A-1"]);
    assert_eq!(listed((at(30), ids[0]), 10), [""; 0]);
    let id = ids[0];
    let is_locked =
        |id: i64, n| put(store, move |tx| tx.lock_numbered(id, &ServiceAccountNumber::from_random(n)));
    assert!(is_locked(id, 1) && !is_locked(id, 2) && !is_locked(ABSENT, 1));
}
