//! What the checks before a wave read.

use super::businesses::business;
use super::helpers::{at, claim, create, create_many, insert, process, put, see, step, supplier};
use chrono::DurationRound;
use cutover_app::port::{
    AuditAction, AuditEntry, Detail, MAX_WINDOWS, Operator, Store, Subject, Supplier, WaitingWindow,
};
use cutover_process::{Event, Submission, Window};

fn absent(store: &dyn Store, of: &Supplier) -> Vec<String> {
    see(store, |tx| tx.absent_contracts(of.organisation_id, of.id, 9))
}

fn fail(store: &dyn Store, of: &Supplier, account: &str, when: i64) {
    let running = process(store, of, account).process;
    assert!(step(store, &running, Event::Rejected, at(when)));
}

/// A contract is absent once it is removed, while an account that waits names it.
pub fn removed_contracts_of_waiting_accounts_are_found(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    let first = business(&acme, "B-1", &["C-1", "C-2", "C-3"], 1);
    let stored = put(store, {
        let first = first.clone();
        move |tx| tx.insert_business(&first)
    });
    for (account, contract) in [("A-1", "C-1"), ("A-2", "C-2")] {
        let (id, organisation) = (create(store, &acme, account).id(), acme.organisation_id);
        put(store, move |tx| tx.set_contract_of(id, Some((organisation, contract))));
    }
    assert_eq!(absent(store, &acme), [""; 0]);
    assert_eq!(claim(store, at(1), 5), ["A-1", "A-2"]);
    fail(store, &acme, "A-1", 2);
    let fewer = business(&acme, "B-1", &["C-2"], 2);
    put(store, move |tx| tx.replace_business(stored.id, &fewer));
    assert_eq!(absent(store, &acme), [""; 0], "it has failed");
    assert!(step(store, &process(store, &acme, "A-1").process, Event::RetriedByOperator, at(3)));
    assert_eq!(absent(store, &acme), ["C-1"]);
    assert_eq!(absent(store, &other), [""; 0]);
    put(store, {
        let first = first.clone();
        move |tx| tx.replace_business(stored.id, &first)
    });
    assert_eq!(absent(store, &acme), [""; 0], "it is there again");
    put(store, move |tx| {
        let fewer = business(&acme, "B-1", &[], 3);
        tx.replace_business(stored.id, &fewer)?;
        assert_eq!(tx.absent_contracts(acme.organisation_id, acme.id, 1)?, ["C-1"]);
        let id = tx.process(acme.id, &"A-1".parse().unwrap())?.unwrap().process.id();
        tx.set_contract_of(id, None)?;
        assert_eq!(tx.absent_contracts(acme.organisation_id, acme.id, 9)?, ["C-2"]);
        Ok(())
    });
}

fn windowed(store: &dyn Store, of: &Supplier, account: String, start: Option<i64>, end: Option<i64>) {
    let (of, window) = (of.clone(), Window { start: start.map(at), end: end.map(at) });
    put(store, move |tx| insert(tx, &of, &account, Submission { is_dry_run: false, window }, at(0)));
}

/// Windows of accounts that have ended, or have no end, are none.
pub fn windows_of_waiting_accounts_are_counted_by_their_ends(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code));
    windowed(store, &acme, "A-0".into(), Some(1), Some(20));
    assert_eq!(claim(store, at(1), 5), ["A-0"]);
    windowed(store, &acme, "A-1".into(), Some(50), Some(90));
    windowed(store, &acme, "A-2".into(), Some(50), Some(90));
    windowed(store, &acme, "A-3".into(), None, Some(70));
    windowed(store, &acme, "A-4".into(), Some(50), None);
    windowed(store, &other, "O-1".into(), None, Some(30));
    let found = see(store, |tx| tx.waiting_windows(acme.id));
    let window =
        |start: Option<i64>, end, accounts| WaitingWindow { start: start.map(at), end: at(end), accounts };
    assert_eq!(
        (found.windows, found.is_complete),
        (vec![window(None, 70, 1), window(Some(50), 90, 2)], true)
    );
}

/// The last window is among those that are read of very many, without its number. A store may read all.
pub fn of_many_windows_the_first_and_the_last_are_read(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let many = MAX_WINDOWS as i64 + 5;
    for n in 0..many {
        windowed(store, &acme, format!("A-{n}"), None, Some(100 + n));
    }
    let found = see(store, |tx| tx.waiting_windows(acme.id));
    let ends: Vec<_> = found.windows.iter().map(|window| window.end).collect();
    assert!(ends.is_sorted() && ends[0] == at(100) && ends.last() == Some(&at(99 + many)));
    assert_eq!(found.is_complete, found.windows.len() as i64 == many);
    assert!(found.windows.len() as i64 == many || found.windows.len() == MAX_WINDOWS + 1);
}

/// An account that was retried has not failed any more.
pub fn failures_since_a_minute_are_counted_until_they_are_retried(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    assert_eq!(see(store, |tx| tx.last_minute(acme.id)), None);
    create_many(store, &acme, "A", 4);
    assert_eq!(claim(store, at(10), 4).len(), 4);
    for (account, when) in [("A-0", 20), ("A-1", 200), ("A-2", 200), ("A-3", 600)] {
        fail(store, &acme, account, when);
    }
    let failed = |since| see(store, |tx| tx.failed_since(acme.id, at(since)));
    assert_eq!([0, 200, 600, 700].map(failed), [4, 3, 1, 0]);
    let minute = at(600).duration_trunc(chrono::Duration::minutes(1)).unwrap();
    assert_eq!(see(store, |tx| tx.last_minute(acme.id)), Some(minute));
    assert!(step(store, &process(store, &acme, "A-1").process, Event::RetriedByOperator, at(610)));
    assert_eq!([0, 200, 600].map(failed), [3, 2, 1]);
}

/// Other actions are none.
pub fn the_last_backup_is_found(store: &dyn Store) {
    assert_eq!(see(store, |tx| tx.last_backup_at()), None);
    let acme = supplier(store, "ACME");
    let entry = |action, seconds, subject| AuditEntry {
        at: at(seconds),
        by: Operator::Command { user: None },
        action,
        subject,
        detail: Detail::default(),
    };
    let entries = [
        entry(AuditAction::BackupBegun, 1, Subject::default()),
        entry(AuditAction::BackupBegun, 5, Subject::default()),
        entry(AuditAction::SupplierSet, 9, Subject::supplier(&acme)),
    ];
    put(store, move |tx| entries.iter().try_for_each(|entry| tx.record(entry)));
    assert_eq!(see(store, |tx| tx.last_backup_at()), Some(at(5)));
}
