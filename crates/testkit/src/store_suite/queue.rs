//! The queue of workers: fairness, limits and due times.

use super::helpers::{
    at, claim, create, create_many, insert, names, process, put, see, step, supplier, supplier_with,
};
use cutover_app::port::{FairShares, Store, Supplier};
use cutover_core::SupplierStatus;
use cutover_process::{Event, LEASE, Submission, Window};

fn set_status(store: &dyn Store, supplier: &Supplier, status: SupplierStatus) {
    let mut settings = supplier.settings.clone();
    settings.status = status.into();
    let id = supplier.id;
    put(store, move |tx| tx.set_supplier(id, &settings));
}

/// Creates suppliers that were served one after another, so that the first is the next. The order of
/// suppliers that were never served is undefined.
fn served<const N: usize>(store: &dyn Store, codes: [&'static str; N]) -> [Supplier; N] {
    codes.map(|code| {
        let supplier = supplier(store, code);
        create(store, &supplier, "first");
        assert_eq!(claim(store, at(1), 1), ["first"]);
        supplier
    })
}

/// A thousand processes of one supplier do not delay three of another.
pub fn suppliers_are_served_in_rotation(store: &dyn Store) {
    let [big, small] = served(store, ["BIG", "SMALL"]);
    create_many(store, &big, "B", 1_000);
    create_many(store, &small, "S", 3);
    let one_by_one: Vec<_> = (0..6).flat_map(|_| claim(store, at(5_000), 1)).collect();
    assert_eq!(one_by_one, ["B-0", "S-0", "B-1", "S-1", "B-2", "S-2"]);
    assert_eq!(claim(store, at(5_000), 3), ["B-3", "B-4", "B-5"]);
}

/// A batch is shared equally; an unused share goes to others.
pub fn an_unused_share_goes_to_other_suppliers(store: &dyn Store) {
    let [small, big, third] = served(store, ["A", "B", "C"]);
    create_many(store, &big, "B", 50);
    create_many(store, &small, "S", 1);
    create_many(store, &third, "T", 50);
    let batch = claim(store, at(5_000), 9);
    assert_eq!(batch, ["S-0", "B-0", "T-0", "B-1", "T-1", "B-2", "T-2", "B-3", "T-3"]);
}

/// Claims follow due times, not creation.
pub fn processes_of_a_supplier_are_claimed_by_due_time(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for (account, start) in [("late", 30), ("early", 10), ("middle", 20)] {
        let (owner, window) = (acme.clone(), Window { start: Some(at(start)), end: None });
        put(store, move |tx| insert(tx, &owner, account, Submission { is_dry_run: false, window }, at(0)));
    }
    assert_eq!(claim(store, at(100), 2), ["early", "middle"]);
    assert_eq!(claim(store, at(100), 2), ["late"]);
    assert_eq!(claim(store, at(100), 2), [""; 0]);
}

/// Windows that have not opened, and postponed attempts, are not due.
pub fn processes_that_are_not_due_are_not_claimed(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let (owner, window) = (acme.clone(), Window { start: Some(at(60)), end: None });
    put(store, move |tx| insert(tx, &owner, "window", Submission { is_dry_run: false, window }, at(0)));
    create(store, &acme, "deferred");
    assert_eq!(claim(store, at(1), 5), ["deferred"]);
    let running = process(store, &acme, "deferred").process;
    assert!(step(store, &running, Event::Deferred { due_at: at(30) }, at(2)));
    assert_eq!(claim(store, at(29), 5), [""; 0]);
    assert_eq!(claim(store, at(30), 5), ["deferred"]);
    assert_eq!(claim(store, at(59), 5), [""; 0]);
    assert_eq!(claim(store, at(60), 5), ["window"]);
}

/// A supplier's limit of concurrent imports holds; each that ends makes room for another.
pub fn running_imports_are_counted(store: &dyn Store) {
    let two = supplier_with(store, "TWO", |s| s.max_concurrent_imports = Some(2));
    let none = supplier_with(store, "NONE", |s| s.max_concurrent_imports = Some(0));
    create_many(store, &two, "A", 10);
    create_many(store, &none, "N", 10);
    assert_eq!(claim(store, at(100), 5), ["A-0", "A-1"]);
    assert_eq!(claim(store, at(100), 5), [""; 0]);
    // No due time to wait for: a worker that finishes claims again.
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), None);
    assert!(step(store, &process(store, &two, "A-0").process, Event::Rejected, at(101)));
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), Some(at(2)));
    assert_eq!(claim(store, at(101), 5), ["A-2"]);
}

/// Processes of a paused supplier are not claimed until it is ongoing again.
pub fn processes_of_paused_suppliers_are_not_claimed(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (owner, window) = (acme.clone(), Window { start: None, end: Some(at(50)) });
    put(store, move |tx| insert(tx, &owner, "A-1", Submission { is_dry_run: false, window }, at(0)));
    create(store, &other, "B-1");
    for status in [SupplierStatus::Paused, SupplierStatus::Complete] {
        set_status(store, &acme, status);
        assert_eq!(names(&put(store, |tx| tx.due_processes(at(10), 5, &FairShares::default()))), ["B-1"]);
        assert_eq!(put(store, |tx| tx.missed_windows(at(100), 5)), []);
    }
    set_status(store, &other, SupplierStatus::Paused);
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), None);
    set_status(store, &acme, SupplierStatus::Ongoing);
    assert_eq!(claim(store, at(10), 5), ["A-1"]);
}

/// It is the earliest of all suppliers, due or not.
pub fn the_next_due_time_is_known(store: &dyn Store) {
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), None);
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    for (supplier, account, start) in [(&acme, "A-1", 90), (&other, "B-1", 40), (&other, "B-2", 60)] {
        let (owner, window) = (supplier.clone(), Window { start: Some(at(start)), end: None });
        put(store, move |tx| insert(tx, &owner, account, Submission { is_dry_run: false, window }, at(0)));
    }
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), Some(at(40)));
    assert_eq!(claim(store, at(60), 5), ["B-1", "B-2"]);
    assert_eq!(see(store, |tx| tx.next_due_at(at(5_000))), Some(at(90)));
}

/// Claims may start reading where the last one did. A process that is committed late is found anyway: at once
/// if it is a second late, within half a minute otherwise.
pub fn processes_committed_late_are_found(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let late = |owner: &Supplier, account: &'static str, created| {
        let owner = owner.clone();
        put(store, move |tx| insert(tx, &owner, account, Submission::default(), at(created)));
    };
    late(&acme, "A-1", 1_000);
    assert_eq!(claim(store, at(1_000), 5), ["A-1"]);
    late(&other, "B-1", 0);
    late(&acme, "A-2", 999);
    late(&acme, "A-3", 0);
    let mut claimed = claim(store, at(1_000), 5);
    claimed.sort();
    assert!(claimed == ["A-2", "B-1"] || claimed == ["A-2", "A-3", "B-1"], "{claimed:?}");
    assert_eq!(see(store, |tx| tx.next_due_at(at(1_030))), (claimed.len() == 2).then_some(at(0)));
    claimed.extend(claim(store, at(1_030), 5));
    claimed.sort();
    assert_eq!(claimed, ["A-2", "A-3", "B-1"]);
}

/// A lease expires its duration after the claim, and ends with the claim.
pub fn leases_end(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 4);
    for (when, account) in [(10, "A-0"), (12, "A-1"), (14, "A-2")] {
        assert_eq!(claim(store, at(when), 1), [account]);
    }
    let expired = |seconds, limit| names(&see(store, |tx| tx.expired_leases(at(seconds) + LEASE, limit)));
    assert_eq!(expired(10, 5), [""; 0]);
    assert_eq!(expired(11, 5), ["A-0"]);
    assert_eq!(expired(100, 2), ["A-0", "A-1"]);
    let lost = process(store, &acme, "A-0").process;
    assert!(step(store, &lost, Event::Released { due_at: at(500) }, at(400)));
    assert_eq!(expired(1_000, 5), ["A-1", "A-2"]);
    assert!(step(store, &process(store, &acme, "A-1").process, Event::Rejected, at(401)));
    assert_eq!(claim(store, at(500), 1), ["A-3"]);
    assert_eq!(claim(store, at(501), 1), ["A-0"]);
    assert_eq!(expired(500, 5), ["A-2"]);
    assert_eq!(expired(501, 5), ["A-2", "A-3"]);
    assert_eq!(expired(502, 5), ["A-2", "A-3", "A-0"]);
}

/// Only pending processes miss their window, and its end belongs to it.
pub fn windows_close(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for (account, end) in [("A-1", Some(at(50))), ("A-2", Some(at(60))), ("A-3", None)] {
        let (owner, window) = (acme.clone(), Window { start: None, end });
        put(store, move |tx| insert(tx, &owner, account, Submission { is_dry_run: false, window }, at(0)));
    }
    let missed = |before, limit| names(&see(store, |tx| tx.missed_windows(before, limit)));
    assert_eq!(missed(at(50), 5), [""; 0]);
    assert_eq!(missed(at(51), 5), ["A-1"]);
    let mut both = missed(at(61), 5);
    both.sort();
    assert_eq!(both, ["A-1", "A-2"]);
    assert_eq!(missed(at(61), 1).len(), 1);
    let claimed = process(store, &acme, "A-1").process;
    assert!(step(store, &claimed, Event::Claimed, at(40)));
    assert_eq!(missed(at(61), 5), ["A-2"]);
}
