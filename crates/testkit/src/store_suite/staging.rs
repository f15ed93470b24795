//! Staging of new accounts, alone and concurrently.

use super::helpers::{
    api, at, create, new_process, number, on_threads, process, put, see, staged, step, supplier,
    supplier_with,
};
use cutover_app::port::{
    self, Creation, FairShares, PageLimit, ProcessFilter, Staging, Store, StoredIssue, StoredIssues, Supplier,
};
use cutover_core::SupplierStatus;
use cutover_process::{Event, EventKind, Submission, Window};
use std::collections::HashSet;
use std::sync::Arc;

/// Returns a new account whose payload and issues name its sender.
fn creation(of: &Supplier, account: &str, sender: &str) -> Creation {
    let issue = StoredIssue {
        attr: "notes.0".into(),
        pattern: "notes.#".into(),
        code: "duplicate_note".into(),
        rule: Some("NOT-04".into()),
        detail: sender.into(),
        ..StoredIssue::default()
    };
    Creation {
        supplier_id: of.id,
        supplier_revision: of.revision,
        process: new_process(of, account, Submission::default()),
        actor: api(),
        at: at(5),
        staged: staged(format!("{account} of {sender}").as_bytes()),
        issues: StoredIssues { errors: Vec::new(), warnings: vec![issue] },
        contract: None,
        mark: None,
    }
}

fn stage(store: &dyn Store, of: &Supplier, account: &str, sender: &str) -> Staging {
    port::stage(store, Arc::new(creation(of, account, sender))).unwrap()
}

/// Asserts that everything stored of an account is as in its creation.
fn is_stored(store: &dyn Store, of: &Supplier, creation: &Creation) {
    let account = creation.process.external_account_number.as_str();
    let stored = process(store, of, account);
    let (created, entry) = creation.process(stored.process.id());
    assert_eq!(stored.process, created);
    assert_eq!((stored.supplier_id, stored.fingerprint), (of.id, creation.staged.fingerprint));
    let id = created.id();
    assert_eq!(see(store, |tx| tx.history(id)), [entry]);
    assert_eq!(see(store, |tx| tx.staged(id)).as_ref(), Some(&creation.staged));
    assert_eq!(see(store, |tx| tx.issues(id)), creation.issues);
}

/// Process, window, sender, time, payload and issues read back.
pub fn a_new_account_is_staged_completely(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let window = Window { start: Some(at(10)), end: Some(at(1_000)) };
    let first = creation(&acme, "A/1 é\u{1F600}'; -- {\"a\",NULL}", "one");
    let second = Creation {
        process: new_process(&other, "A-1", Submission { is_dry_run: true, window }),
        staged: staged(&(0..=255).cycle().take(300_000).collect::<Vec<_>>()),
        issues: StoredIssues::default(),
        ..creation(&other, "A-1", "two")
    };
    for (of, creation) in [(&acme, first), (&other, second)] {
        let creation = Arc::new(creation);
        assert_eq!(port::stage(store, creation.clone()), Ok(Staging::Staged));
        is_stored(store, of, &creation);
    }
    let due = put(store, |tx| tx.due_processes(at(20), 5, &FairShares::default()));
    assert_eq!(due.len(), 2);
}

/// A second create finds the process in any state and changes nothing; another supplier's account is not the
/// same.
pub fn an_account_is_staged_once(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    assert_eq!(stage(store, &acme, "A-1", "first"), Staging::Staged);
    assert_eq!(stage(store, &acme, "A-1", "second"), Staging::Exists);
    is_stored(store, &acme, &creation(&acme, "A-1", "first"));
    assert_eq!(stage(store, &other, "A-1", "third"), Staging::Staged);
    assert_eq!(stage(store, &acme, "a-1", "fourth"), Staging::Staged);
    let ended = process(store, &acme, "A-1").process;
    assert!(step(store, &ended, Event::Cancelled, at(9)));
    let cancelled = process(store, &acme, "A-1");
    assert_eq!(stage(store, &acme, "A-1", "fifth"), Staging::Exists);
    assert_eq!(process(store, &acme, "A-1"), cancelled);
    create(store, &acme, "A-2");
    assert_eq!(stage(store, &acme, "A-2", "sixth"), Staging::Exists);
}

/// Sets the status of a supplier and returns the supplier.
fn set(store: &dyn Store, of: &Supplier, status: SupplierStatus) -> Supplier {
    let (id, mut changed) = (of.id, of.settings.clone());
    changed.status = status.into();
    put(store, move |tx| tx.set_supplier(id, &changed));
    see(store, |tx| tx.supplier_by_id(id)).unwrap()
}

/// The status at the time of storing decides.
pub fn only_ongoing_suppliers_accept_accounts(store: &dyn Store) {
    let mut acme = supplier(store, "ACME");
    for status in [SupplierStatus::Paused, SupplierStatus::Complete] {
        acme = set(store, &acme, status);
        assert_eq!(stage(store, &acme, "A-1", "early"), Staging::SupplierChanged);
        assert_eq!(see(store, |tx| tx.process(acme.id, &number("A-1"))), None);
    }
    acme = set(store, &acme, SupplierStatus::Ongoing);
    assert_eq!(stage(store, &acme, "A-1", "late"), Staging::Staged);
    is_stored(store, &acme, &creation(&acme, "A-1", "late"));
}

/// An account that was checked by outdated settings is not stored.
pub fn an_account_is_staged_under_the_settings_it_was_checked_by(store: &dyn Store) {
    let before = supplier(store, "ACME");
    let (id, same) = (before.id, before.settings.clone());
    put(store, move |tx| tx.set_supplier(id, &same));
    assert_eq!(stage(store, &before, "A-1", "early"), Staging::SupplierChanged);
    assert_eq!(see(store, |tx| tx.process(id, &number("A-1"))), None);
    let after = see(store, |tx| tx.supplier(&before.code)).unwrap();
    assert!(after.revision > before.revision);
    assert_eq!(see(store, |tx| tx.suppliers_by_ids(&[id])), std::slice::from_ref(&after));
    assert_eq!(stage(store, &after, "A-1", "late"), Staging::Staged);
}

/// Exactly one create succeeds, and its payload is stored.
pub fn one_of_many_concurrent_creates_of_an_account_stages_it(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let told = on_threads(8, |n| {
        let stage = |i| stage(store, &acme, &format!("A-{i}"), &format!("{n}"));
        (0..10).map(stage).collect::<Vec<_>>()
    });
    for i in 0..10 {
        let told: Vec<_> = told.iter().map(|told| told[i]).collect();
        let winner = told.iter().position(|told| *told == Staging::Staged).unwrap();
        assert_eq!(told.iter().filter(|told| **told == Staging::Exists).count(), 7, "A-{i}: {told:?}");
        is_stored(store, &acme, &creation(&acme, &format!("A-{i}"), &winner.to_string()));
    }
}

/// Each is stored once, under a key of its own, with one entry of history.
pub fn accounts_staged_concurrently_are_all_stored(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let of = |n: usize| if n.is_multiple_of(2) { &acme } else { &other };
    let told = on_threads(8, |n| {
        let staged = |i: &usize| stage(store, of(n), &format!("{n}-{i}"), "all") == Staging::Staged;
        (0..25).filter(staged).count()
    });
    assert_eq!(told, [25; 8]);
    for n in 0..8 {
        (0..25).for_each(|i| is_stored(store, of(n), &creation(of(n), &format!("{n}-{i}"), "all")));
    }
    let mut ids = HashSet::new();
    for supplier in [&acme, &other] {
        let limit = PageLimit::of(1_000);
        let listed = see(store, |tx| tx.list_processes(supplier.id, ProcessFilter::default(), None, limit));
        let listed = listed.processes;
        assert_eq!(listed.len(), 100);
        ids.extend(listed.iter().map(|listed| listed.process.id()));
    }
    assert_eq!(ids.len(), 200);
    let history = ids.iter().flat_map(|id| see(store, |tx| tx.history(*id))).collect::<Vec<_>>();
    assert_eq!(history.len(), 200);
    assert!(history.iter().all(|entry| entry.event == EventKind::Created && entry.version == 1));
}

/// A refusal of one account does not prevent others of its group.
pub fn a_refused_account_does_not_affect_others_of_its_group(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let paused = supplier_with(store, "PAUSED", |s| s.status = SupplierStatus::Paused.into());
    (0..10).for_each(|i| assert_eq!(stage(store, &acme, &format!("old-{i}"), "0"), Staging::Staged));
    let told = on_threads(9, |n| {
        let stage = |i| match n % 3 {
            0 => stage(store, &acme, &format!("{n}-{i}"), "1"),
            1 => stage(store, &acme, &format!("old-{i}"), "1"),
            _ => stage(store, &paused, &format!("{n}-{i}"), "1"),
        };
        (0..10).map(stage).collect::<Vec<_>>()
    });
    let expected = [Staging::Staged, Staging::Exists, Staging::SupplierChanged];
    for (n, told) in told.iter().enumerate() {
        assert_eq!(*told, [expected[n % 3]; 10], "{n}");
    }
    for i in 0..10 {
        is_stored(store, &acme, &creation(&acme, &format!("old-{i}"), "0"));
        [0, 3, 6].iter().for_each(|n| is_stored(store, &acme, &creation(&acme, &format!("{n}-{i}"), "1")));
    }
    let count = |of: &Supplier| {
        let limit = PageLimit::of(1_000);
        let page = see(store, |tx| tx.list_processes(of.id, ProcessFilter::default(), None, limit));
        page.processes.len()
    };
    assert_eq!((count(&acme), count(&paused)), (40, 0));
}
