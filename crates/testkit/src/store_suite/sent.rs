//! The totals of what was sent always equal the sum over the payloads, and manifests are kept.

use super::helpers::{api, at, new_process, on_threads, process, put, see, step, supplier, worker};
use crate::payload::Dice;
use cutover_app::port::{
    ArchivedVersion, Creation, Manifest, NumberLists, PageLimit, ProcessFilter, Staged, Staging, StepWrite,
    Store, StoredIssues, Supplier, stage,
};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};
use cutover_model::{RowCounts, Totals};
use cutover_process::{Event, State, Submission};
use std::sync::Arc;

fn totals(balance: &str, n: u64) -> Totals {
    Totals {
        accounts: 1,
        ledger_balance: balance.parse().unwrap(),
        readings: n,
        transactions: 2 * n,
        documents: 3 * n,
        rows: RowCounts::of([("accounts", 1), ("readings", n), ("events", 5 * n)]),
    }
}

fn staged(payload: &str, totals: Totals) -> Staged {
    Staged { payload: payload.into(), fingerprint: [payload.len() as u8; 32], totals, ..Staged::default() }
}

fn send(store: &dyn Store, of: &Supplier, account: &str, totals: Totals) -> Staging {
    let creation = Creation {
        supplier_id: of.id,
        supplier_revision: of.revision,
        process: new_process(of, account, Submission::default()),
        actor: api(),
        at: at(0),
        staged: staged(account, totals),
        issues: StoredIssues::default(),
        contract: None,
        mark: None,
    };
    stage(store, Arc::new(creation)).unwrap()
}

/// Sends another payload, as a resubmission does: a step, then the payload.
fn resend(store: &dyn Store, of: &Supplier, account: &str, event: Event, new: Totals) {
    let stored = process(store, of, account).process;
    let (stepped, entry) = stored.step(event, at(100), api()).unwrap();
    let staged = staged("another", new);
    put(store, move |tx| {
        assert!(tx.step_process(&stepped, &entry)?);
        tx.restage(stepped.id(), &staged)
    });
}

#[track_caller]
fn assert_sent(store: &dyn Store, of: &Supplier, expected: &[Totals]) {
    let add = |sum: Totals, one: &Totals| sum.checked_add(*one).unwrap();
    let expected = expected.iter().fold(Totals::default(), add);
    assert_eq!(see(store, |tx| tx.sent(of.id)), expected);
    put(store, |tx| tx.fold(2));
    assert_eq!(see(store, |tx| tx.sent(of.id)), expected);
}

/// Checks what was sent after each thing that can happen to an account.
pub fn what_was_sent_follows_every_payload(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    assert_sent(store, &acme, &[]);
    let (a, b) = (totals("-0.05", 1), totals("1200.50", 20));
    assert_eq!(send(store, &acme, "A-1", a), Staging::Staged);
    assert_eq!(send(store, &acme, "A-2", b), Staging::Staged);
    assert_eq!(send(store, &other, "A-1", b), Staging::Staged);
    assert_sent(store, &acme, &[a, b]);
    let kept = see(store, |tx| tx.staged(process(store, &acme, "A-2").process.id()));
    assert_eq!(kept.map(|staged| staged.totals), Some(b));
    // It is waiting, so nothing is stored by another create.
    assert_eq!(send(store, &acme, "A-1", b), Staging::Exists);
    assert_sent(store, &acme, &[a, b]);
    // Another payload for an account that waits, failed, and was cancelled.
    let c = totals("7.0000000001", 3);
    resend(store, &acme, "A-1", Event::Replaced(Submission::default()), c);
    assert_sent(store, &acme, &[c, b]);
    let next = |event| {
        let is = process(store, &acme, "A-1").process;
        assert!(step(store, &is, event, at(50)));
    };
    next(Event::Claimed);
    next(Event::Rejected);
    assert_sent(store, &acme, &[c, b]);
    resend(store, &acme, "A-1", Event::Resubmitted(Submission::default()), a);
    assert_sent(store, &acme, &[a, b]);
    next(Event::Cancelled);
    assert_sent(store, &acme, &[b]);
    resend(store, &acme, "A-1", Event::Resubmitted(Submission::default()), c);
    assert_sent(store, &acme, &[c, b]);
    next(Event::Cancelled);
    next(Event::RetriedByOperator);
    assert_sent(store, &acme, &[c, b]);
    // An import changes nothing; an undo cancels.
    next(Event::Claimed);
    next(Event::Imported(ServiceAccountNumber::from_random(42)));
    assert_sent(store, &acme, &[c, b]);
    next(Event::Undone);
    assert_sent(store, &acme, &[b]);
    // What was only rehearsed is still to be sent.
    let rehearsal = Submission { is_dry_run: true, ..Submission::default() };
    resend(store, &acme, "A-1", Event::Resubmitted(rehearsal), c);
    assert_sent(store, &acme, &[c, b]);
    next(Event::Claimed);
    next(Event::DryRunPassed);
    assert_sent(store, &acme, &[b]);
    next(Event::Cancelled);
    assert_sent(store, &acme, &[b]);
    // Archived and erased.
    let is = process(store, &acme, "A-2").process;
    assert!(step(store, &is, Event::WindowMissed, at(60)));
    let (id, ended) = (is.id(), ArchivedVersion::new(&process(store, &acme, "A-2").process, None));
    assert_eq!(put(store, move |tx| tx.archive(&[ended], at(900))), 1);
    assert_sent(store, &acme, &[b]);
    put(store, move |tx| tx.restage(id, &staged("new", a)));
    assert_sent(store, &acme, &[a]);
    put(store, move |tx| tx.erase(&[id]));
    assert_sent(store, &acme, &[]);
    assert_sent(store, &other, &[b]);
}

/// Sums are exact over many accounts with the largest balances.
pub fn sums_of_what_was_sent_are_exact(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let mut sent = Vec::new();
    for (n, balance) in [
        "9999999999.9999999999",
        "9999999999.9999999999",
        "-0.0000000001",
        "-9999999999.9999999999",
        "123456789012345678.0123456789",
        "-3",
    ]
    .into_iter()
    .enumerate()
    {
        let totals = totals(balance, n as u64);
        assert_eq!(send(store, &acme, &format!("A-{n}"), totals), Staging::Staged);
        sent.push(totals);
        assert_sent(store, &acme, &sent);
    }
    while put(store, |tx| tx.fold(100)) > 0 {}
    assert_sent(store, &acme, &sent);
}

/// Checks the sums after random steps and payloads of many accounts, in batches and on threads.
pub fn what_was_sent_is_correct_after_random_steps(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    on_threads(4, |thread| {
        for n in 0..6 {
            let totals = totals(&format!("-{n}.{thread}"), n + thread as u64);
            assert_eq!(send(store, &acme, &format!("A-{thread}-{n}"), totals), Staging::Staged);
        }
    });
    let mut dice = Dice::new(11);
    for round in 0..60 {
        let page =
            see(store, |tx| tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(100)));
        let mut steps = Vec::new();
        for _ in 0..4 {
            let one = dice.below(page.processes.len() as u64) as usize;
            let event = match dice.below(6) {
                0 => Event::Cancelled,
                1 | 2 => Event::Resubmitted(Submission::default()),
                3 => Event::Replaced(Submission::default()),
                4 => Event::WindowMissed,
                _ => Event::RetriedByOperator,
            };
            let process = page.processes[one].process.clone();
            let is_new = !steps
                .iter()
                .any(|(other, _, _): &(cutover_process::Process, _, _)| other.id() == process.id());
            let sends = matches!(event, Event::Resubmitted(_) | Event::Replaced(_));
            if let Ok((process, entry)) = process.step(event, at(1_000 + round), worker())
                && is_new
            {
                steps.push((process, entry, sends.then(|| totals(&format!("{round}.25"), dice.below(9)))));
            }
        }
        put(store, move |tx| {
            let writes: Vec<_> = steps
                .iter()
                .map(|(process, entry, _)| StepWrite { process, entry, issues: None, sent: None })
                .collect();
            tx.step_processes(&writes)?;
            for (process, _, new) in &steps {
                if let Some(new) = new {
                    tx.restage(process.id(), &staged("again", *new))?;
                }
            }
            Ok(())
        });
        if dice.below(3) == 0 {
            put(store, |tx| tx.fold(5));
        }
        let sent: Vec<Totals> = see(store, |tx| {
            let page = tx.list_processes(acme.id, ProcessFilter::default(), None, PageLimit::of(100))?;
            let counts = page.processes.iter().filter(|listed| listed.process.state() != State::Cancelled);
            counts.map(|listed| Ok(tx.staged(listed.process.id())?.unwrap().totals)).collect()
        });
        let add = |sum: Totals, one: &Totals| sum.checked_add(Totals { accounts: 1, ..*one }).unwrap();
        assert_eq!(see(store, |tx| tx.sent(acme.id)), sent.iter().fold(Totals::default(), add), "{round}");
    }
}

/// A manifest is replaced by the next one, and is that of one supplier.
pub fn manifests_read_back(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME").id, supplier(store, "OTHER").id);
    assert_eq!(see(store, |tx| tx.manifest(acme)), None);
    for (n, balance) in ["-1204411.35", "999999999999999999.9999999999", "0"].into_iter().enumerate() {
        // The first one declares no rows, the next one that a table has none.
        let rows = RowCounts::in_order([None, Some(0), Some(3)].into_iter().take(2 * n));
        let declared = Totals { accounts: 7 * n as u64, rows, ..totals(balance, n as u64) };
        let manifest = Manifest { declared, declared_at: at(n as i64) };
        put(store, move |tx| tx.set_manifest(acme, Some(&manifest)));
        assert_eq!(see(store, |tx| tx.manifest(acme)), Some(manifest));
        let figures = see(store, |tx| tx.reconciliation(acme));
        assert_eq!((figures.manifest, figures.sent), (Some(manifest), Totals::default()));
        assert_eq!(figures.differs(), declared != Totals::default());
    }
    assert_eq!(see(store, |tx| tx.manifest(other)), None);
    assert!(!see(store, |tx| tx.reconciliation(other)).differs());
    put(store, move |tx| tx.set_manifest(acme, None));
    assert_eq!(see(store, |tx| tx.manifest(acme)), None);
}

/// A list is in force once its last part is stored; the one before stays until then, and is removed in batches.
pub fn declared_numbers_are_replaced_as_a_whole(store: &dyn Store) {
    let [acme, other] = ["ACME", "OTHER"].map(|code| supplier(store, code).id);
    let add = |part: u32, is_last: bool, numbers: &[&str]| {
        let numbers: Vec<ExternalAccountNumber> =
            numbers.iter().map(|number| number.parse().unwrap()).collect();
        put(store, move |tx| tx.add_numbers(acme, part, is_last, &numbers))
    };
    let declared = |after: &str, limit| see(store, |tx| tx.declared_numbers(acme, after, limit));
    let lists = || see(store, |tx| tx.number_lists(acme));
    assert_eq!((lists(), declared("", 10)), (None, vec![]));
    assert!(!add(2, true, &["A-9"]));
    assert!(add(1, false, &["A-2", "A-1", "A-2"]));
    assert_eq!(lists(), Some(NumberLists { declared: None, loading: Some(2), part: 1 }));
    assert_eq!(declared("", 10), [""; 0]);
    assert!(!add(3, true, &[]));
    assert!(add(2, true, &["A-2", "A-3"]));
    assert_eq!(lists(), Some(NumberLists { declared: Some(3), loading: None, part: 2 }));
    assert_eq!((declared("", 10), declared("A-1", 1)), (numbers(&["A-1", "A-2", "A-3"]), numbers(&["A-2"])));
    assert!(!add(3, true, &["A-4"]));
    // Another list, begun twice.
    assert!(add(1, false, &["B-1"]));
    assert!(add(1, false, &["B-2"]));
    assert_eq!(declared("", 10).len(), 3);
    assert!(add(2, true, &["B-3"]));
    assert_eq!(declared("", 10), numbers(&["B-2", "B-3"]));
    let asked = numbers(&["A-1", "B-3", "C-1"]);
    assert_eq!(see(store, |tx| tx.declared_among(acme, &asked)), numbers(&["B-3"]));
    assert_eq!(see(store, |tx| tx.declared_among(other, &asked)), numbers(&[]));
    while put(store, move |tx| tx.remove_numbers(acme, 2)) > 0 {}
    assert_eq!(declared("", 10), numbers(&["B-2", "B-3"]));
    put(store, move |tx| tx.drop_numbers(acme));
    assert_eq!(declared("", 10), [""; 0]);
    while put(store, move |tx| tx.remove_numbers(acme, 2)) > 0 {}
    assert!(add(1, true, &["D-1"]));
    assert_eq!(declared("", 10), numbers(&["D-1"]));
}

fn numbers(of: &[&str]) -> Vec<String> {
    of.iter().map(|number| (*number).to_owned()).collect()
}
