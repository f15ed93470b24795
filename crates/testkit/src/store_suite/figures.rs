//! Kept figures always equal the result of counting.

use super::helpers::{
    at, create, create_many, insert, names, on_threads, process, put, see, staged, step, supplier,
    supplier_with, worker,
};
use crate::payload::Dice;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_app::port::{
    ActivityCount, ActivityKind, ArchivedVersion, Cause, FairShares, ListedProcess, MinuteCount, PageLimit,
    ProcessFilter, RefusedCreate, StateCount, StepWrite, Store, Supplier, Verdict, read, write,
};
use cutover_core::{Code, Level, ServiceAccountNumber, SupplierStatus, Word};
use cutover_model::rust_decimal::Decimal;
use cutover_model::{RowCounts, Totals};
use cutover_process::{Event, HistoryEntry, Process, State, Submission, Window};
use std::collections::BTreeMap;

fn all(store: &dyn Store, of: &Supplier) -> Vec<Process> {
    let limit = PageLimit::of(10_000);
    let page = see(store, |tx| tx.list_processes(of.id, ProcessFilter::default(), None, limit));
    page.processes.into_iter().map(|ListedProcess { process, .. }| process).collect()
}

fn minute(at: DateTime<Utc>) -> DateTime<Utc> {
    at.duration_trunc(TimeDelta::minutes(1)).unwrap()
}

type States = BTreeMap<(&'static str, Option<&'static str>), u64>;
type Minutes = Vec<(DateTime<Utc>, &'static str, u64)>;

/// Returns a word that this version knows.
fn known<T: Copy>(word: &Word<T>, as_str: fn(T) -> &'static str) -> &'static str {
    as_str(*word.known().unwrap())
}

fn kept_states(store: &dyn Store, of: &Supplier) -> States {
    let counts = see(store, |tx| tx.state_counts(of.id));
    let entry = |count: &StateCount| {
        let error = count.error.as_ref().map(|code| known(code, Code::as_str));
        ((known(&count.state, State::as_str), error), count.processes)
    };
    let kept: States = counts.iter().map(entry).collect();
    assert_eq!(kept.len(), counts.len(), "{counts:?}");
    kept
}

fn kept_minutes(store: &dyn Store, of: &Supplier, since: DateTime<Utc>) -> Minutes {
    let counts = see(store, |tx| tx.minute_counts(of.id, since));
    counts
        .iter()
        .map(|MinuteCount { minute, state, processes, .. }| {
            (*minute, known(state, State::as_str), *processes)
        })
        .collect()
}

/// Asserts that the kept figures of a supplier equal the result of counting its processes.
#[track_caller]
fn assert_counted(store: &dyn Store, of: &Supplier) {
    let (mut states, mut minutes) = (States::new(), BTreeMap::new());
    for process in all(store, of) {
        let is = process.snapshot();
        let error = is.latest_error.as_ref().map(|error| known(&error.code, Code::as_str));
        *states.entry((is.state.as_str(), error)).or_default() += 1;
        if is.state.is_outcome() {
            *minutes.entry((minute(is.modified_at), is.state.as_str())).or_default() += 1;
        }
    }
    assert_eq!(kept_states(store, of), states);
    let minutes: Minutes = minutes.into_iter().map(|((at, state), count)| (at, state, count)).collect();
    assert_eq!(kept_minutes(store, of, at(-1_000_000)), minutes);
}

fn fold(store: &dyn Store, limit: u32) -> usize {
    put(store, move |tx| tx.fold(limit))
}

fn fold_all(store: &dyn Store) {
    while fold(store, 7) > 0 {}
    assert!(!see(store, |tx| tx.has_changes()));
}

fn imported() -> Event {
    Event::Imported(ServiceAccountNumber::from_random(42))
}

/// Checks the figures after each step of several processes.
pub fn counts_follow_every_step(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    create_many(store, &other, "O", 3);
    for (n, is_dry_run, steps) in [
        (0, false, vec![Event::Cancelled, Event::RetriedByOperator]),
        (1, false, vec![Event::Claimed, Event::Rejected]),
        (
            2,
            false,
            vec![Event::Claimed, Event::Rejected, Event::RetriedByOperator, Event::Claimed, imported()],
        ),
        (3, false, vec![Event::Claimed, Event::Released { due_at: at(50) }, Event::Claimed, Event::ShutDown]),
        (4, false, vec![Event::WindowMissed, Event::Resubmitted(Submission::default()), Event::Claimed]),
        (5, true, vec![Event::ClaimedForDryRun, Event::DryRunPassed]),
        (6, true, vec![Event::ClaimedForDryRun, Event::DryRunFailed]),
        (7, false, vec![Event::Claimed, Event::RetriesExhausted]),
    ] {
        let (owner, name) = (acme.clone(), format!("A-{n}"));
        let submission = Submission { is_dry_run, window: Window { start: None, end: Some(at(1)) } };
        let mut process = put(store, move |tx| insert(tx, &owner, &name, submission, at(0)));
        assert_counted(store, &acme);
        for (seconds, event) in (1..).zip(steps) {
            let when = at(40 * seconds + n);
            assert!(step(store, &process, event.clone(), when));
            process = process.step(event, when, worker()).unwrap().0;
            assert_counted(store, &acme);
        }
    }
    assert_counted(store, &other);
    fold_all(store);
    assert_counted(store, &acme);
    assert_eq!(kept_states(store, &other), [(("PENDING", None), 3)].into());
}

/// Standings have the number of processes by state and the first due time of each supplier.
pub fn supplier_figures_include_every_supplier(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let paused = supplier_with(store, "PAUSED", |settings| settings.status = SupplierStatus::Paused.into());
    supplier(store, "QUIET");
    create_many(store, &acme, "A", 4);
    create_many(store, &paused, "P", 2);
    let made: Vec<Process> = all(store, &acme);
    assert!(step(store, &made[0], Event::Cancelled, at(9)));
    assert!(step(store, &made[1], Event::Claimed, at(9)));
    let expected = [
        ("ACME", true, Some(at(2)), vec![("CANCELLED", 1), ("IN_PROGRESS", 1), ("PENDING", 2)]),
        ("PAUSED", false, Some(at(0)), vec![("PENDING", 2)]),
        ("QUIET", true, None, Vec::new()),
    ];
    for _ in 0..2 {
        let figures = see(store, |tx| tx.supplier_figures(at(5_000)));
        let told = figures.iter().map(|figures| {
            let some = figures.states.iter().filter(|(_, processes)| *processes > 0);
            let mut states: Vec<_> = some.map(|(state, processes)| (state.as_str(), *processes)).collect();
            states.sort_unstable();
            (figures.supplier.as_str(), figures.is_ongoing, figures.first_due_at, states)
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
        // Folding does not change them.
        fold_all(store);
    }
}

/// Stale steps of a batch and rolled-back steps are not counted.
pub fn counts_include_only_committed_steps(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 4);
    let pending = all(store, &acme);
    assert!(step(store, &pending[0], Event::Cancelled, at(9)));
    let written = put(store, move |tx| {
        let made: Vec<(Process, HistoryEntry)> = pending
            .iter()
            .map(|process| process.clone().step(Event::Claimed, at(10), worker()).unwrap())
            .collect();
        let steps =
            made.iter().map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None });
        tx.step_processes(&steps.collect::<Vec<_>>())
    });
    assert_eq!(written, [false, true, true, true]);
    assert_counted(store, &acme);

    let (owner, claimed) = (acme.clone(), process(store, &acme, "A-1").process);
    let undone = store.write(Box::new(move |tx| {
        assert!(insert(tx, &owner, "ghost", Submission::default(), at(0)).is_ok());
        let (process, entry) = claimed.step(imported(), at(11), worker()).unwrap();
        assert_eq!(tx.step_process(&process, &entry), Ok(true));
        assert_eq!(tx.add_totals(owner.id, &Totals { accounts: 1, ..Totals::default() }), Ok(()));
        Verdict::Rollback
    }));
    assert_eq!(undone, Ok(()));
    assert_counted(store, &acme);
    assert_eq!(see(store, |tx| tx.totals(acme.id)), Totals::default());
}

/// Changes that leave the state alone change no figure, even of a process that ended long ago.
pub fn changes_that_are_no_steps_do_not_change_counts(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let pending = create(store, &acme, "A-1");
    assert!(step(store, &pending, Event::Cancelled, at(5)));
    let failed = create(store, &acme, "A-2");
    assert!(step(store, &failed, Event::WindowMissed, at(70)));
    let (id, ended) = (failed.id(), ArchivedVersion::new(&process(store, &acme, "A-2").process, None));
    assert_eq!(put(store, move |tx| tx.archive(&[ended], at(900))), 1);
    assert_counted(store, &acme);
    put(store, move |tx| tx.restage(id, &staged(b"new")));
    assert_counted(store, &acme);
    let minutes = kept_minutes(store, &acme, at(-1_000_000));
    assert_eq!(minutes, [(minute(at(70)), "ERRORED", 1)]);
}

/// What happened to accounts, by minute and kind.
fn activity(store: &dyn Store, of: &Supplier) -> Vec<(i64, &'static str, u64)> {
    let counts = see(store, |tx| tx.activity(of.id, at(-1_000_000), at(1_000_000)));
    let row = |count: &ActivityCount| {
        let minutes = (count.minute - minute(at(0))).num_minutes();
        (minutes, known(&count.kind, ActivityKind::as_str), count.accounts)
    };
    counts.iter().map(row).collect()
}

/// Each step is counted in its minute, and stays counted whatever follows: sending an account again, undoing its import, or
/// removing it.
pub fn activity_is_never_counted_again(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let second = |minutes: i64| (minute(at(0)) - at(0)).num_seconds() + 60 * minutes + 1;
    let take = |process: Process, event: Event, minutes: i64| {
        assert!(step(store, &process, event.clone(), at(second(minutes))));
        process.step(event, at(second(minutes)), worker()).unwrap().0
    };
    let owner = acme.clone();
    let rehearsed = Submission { is_dry_run: true, ..Submission::default() };
    let one = put(store, move |tx| insert(tx, &owner, "A-1", rehearsed, at(second(0))));
    let one = take(one, Event::ClaimedForDryRun, 1);
    let one = take(one, Event::Released { due_at: at(second(2)) }, 2);
    let one = take(one, Event::ClaimedForDryRun, 2);
    let one = take(one, Event::DryRunFailed, 3);
    let one = take(one, Event::Resubmitted(Submission::default()), 4);
    let one = take(one, Event::Claimed, 4);
    let one = take(one, Event::Rejected, 5);
    let one = take(one, Event::RetriedByOperator, 6);
    let one = take(one, Event::Claimed, 6);
    let owner = acme.clone();
    let two = put(store, move |tx| insert(tx, &owner, "A-2", Submission::default(), at(second(5))));
    take(two, Event::Cancelled, 5);
    let mut expected = vec![
        (0, "accepted", 1),
        (3, "dry_run_failed", 1),
        (4, "queued_again", 1),
        (5, "accepted", 1),
        (5, "cancelled", 1),
        (5, "failed", 1),
        (6, "queued_again", 1),
    ];
    assert_eq!(activity(store, &acme), expected);
    fold(store, 3);
    assert_eq!(activity(store, &acme), expected);
    let one = take(one, imported(), 7);
    take(one, Event::Undone, 8);
    expected.extend([(7, "imported", 1), (8, "undone", 1)]);
    assert_eq!(activity(store, &acme), expected);
    fold_all(store);
    let gone: Vec<i64> = all(store, &acme).iter().map(Process::id).collect();
    put(store, move |tx| tx.erase(&gone));
    assert_eq!(activity(store, &acme), expected);
    assert_eq!(activity(store, &other), []);
}

/// Refused creates are counted when they are recorded, once more for each time.
pub fn refusals_are_activity(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let refused =
        |seconds| RefusedCreate { number: "A-1".into(), refused_at: at(seconds), causes: Vec::new() };
    let id = acme.id;
    for (removed, seconds) in [(vec![], 1), (vec![refused(1)], 130), (vec![refused(130)], 131)] {
        put(store, move |tx| {
            tx.lock_refusals(id)?;
            tx.change_refusals(id, &removed, &[refused(seconds)], 0)
        });
    }
    let by_minute = activity(store, &acme);
    assert!(by_minute.iter().all(|(_, kind, _)| *kind == "refused"), "{by_minute:?}");
    assert_eq!(by_minute.iter().map(|(.., accounts)| accounts).sum::<u64>(), 3);
    let failing = |at_least, until, limit| see(store, |tx| tx.failing_minutes(id, at_least, until, limit));
    let (first, last) = (minute(at(1)), minute(at(131)));
    let later = last + TimeDelta::minutes(1);
    assert_eq!(failing(1, later, 9).len(), by_minute.len());
    assert_eq!(failing(1, later, 1).first().map(|(at, _)| *at), Some(last));
    assert_eq!(failing(1, last, 9).last(), Some(&(first, 1)));
    assert_eq!(failing(4, later, 9), []);
}

/// Minutes are returned from the minute of the given time on.
pub fn minute_counts_can_start_at_a_time(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for n in 0..5 {
        let owner = acme.clone();
        let process =
            put(store, move |tx| insert(tx, &owner, &format!("A-{n}"), Submission::default(), at(0)));
        assert!(step(store, &process, Event::WindowMissed, at(n * 30)));
    }
    fold(store, 3);
    let since =
        |seconds| kept_minutes(store, &acme, at(seconds)).into_iter().map(|(.., count)| count).sum::<u64>();
    let in_or_after = |seconds| (0..5).filter(|n| minute(at(n * 30)) >= minute(at(seconds))).count() as u64;
    for seconds in [-60, 0, 59, 60, 61, 120, 130, 500] {
        assert_eq!(since(seconds), in_or_after(seconds), "{seconds}");
    }
}

/// A minute has the times of its first and its last step, folded or not.
pub fn minutes_have_the_times_of_their_steps(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let times = || {
        let counts = see(store, |tx| tx.minute_counts(acme.id, at(-1_000_000)));
        counts.iter().map(|count| (count.processes, count.first_at, count.last_at)).collect::<Vec<_>>()
    };
    let begin = minute(at(600));
    let after = |seconds| begin + TimeDelta::seconds(seconds);
    for (n, seconds) in [20, 41, 7, 65].into_iter().enumerate() {
        let (owner, number) = (acme.clone(), format!("A-{n}"));
        let process = put(store, move |tx| insert(tx, &owner, &number, Submission::default(), at(0)));
        assert!(step(store, &process, Event::WindowMissed, after(seconds)));
        if n == 1 {
            assert_eq!(times(), [(2, after(20), after(41))]);
            fold_all(store);
        }
    }
    assert_eq!(times(), [(3, after(7), after(41)), (1, after(65), after(65))]);
    fold_all(store);
    assert_eq!(times(), [(3, after(7), after(41)), (1, after(65), after(65))]);
}

/// Examples are ordered by creation, have the error and the supplier, and still are in that state.
pub fn examples_of_an_error_are_processes_that_have_it(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    for of in [&acme, &other] {
        create_many(store, of, "A", 6);
        for process in all(store, of).into_iter().rev() {
            let missed = process.snapshot().external_account_number.as_str() == "A-2";
            if missed {
                assert!(step(store, &process, Event::WindowMissed, at(9)));
            } else {
                assert!(step(store, &process, Event::Claimed, at(9)));
                let claimed = process.step(Event::Claimed, at(9), worker()).unwrap().0;
                assert!(step(store, &claimed, Event::Rejected, at(10)));
            }
        }
    }
    let retried = process(store, &acme, "A-1").process;
    assert!(step(store, &retried, Event::RetriedByOperator, at(11)));
    let examples = |code: Code, limit| {
        let cause = Cause { code: code.to_string(), attr: None };
        let found = see(store, |tx| tx.accounts_with(acme.id, Level::Error, &cause, limit));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(examples(Code::ImportProcessFailedValidation, 3), ["A-0", "A-3", "A-4"]);
    assert_eq!(examples(Code::ImportProcessFailedValidation, 9), ["A-0", "A-3", "A-4", "A-5"]);
    assert_eq!(examples(Code::ScheduleWindowMissed, 3), ["A-2"]);
    assert_eq!(examples(Code::ImportProcessRetriesExhausted, 3), [""; 0]);
}

fn totals(accounts: u64, cents: i64, n: u64) -> Totals {
    Totals {
        accounts,
        ledger_balance: Decimal::new(cents, 2),
        readings: n,
        transactions: 2 * n,
        documents: 3 * n,
        ..Totals::default()
    }
}

/// Totals are exact for each supplier, before and after folding.
pub fn totals_add_up(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    assert_eq!(see(store, |tx| tx.totals(acme.id)), Totals::default());
    let (mut sum, own) = (Totals::default(), acme.id);
    for n in 0..20_u64 {
        let rows = RowCounts::of([("accounts", n % 3), ("events", n)]);
        let added = Totals { rows, ..totals(n % 3, 1_000_000_007 * n as i64 - 7_000_000_000, n) };
        sum = sum.checked_add(added).unwrap();
        put(store, move |tx| tx.add_totals(own, &added));
        if n % 6 == 5 {
            fold(store, 4);
        }
        assert_eq!(see(store, |tx| tx.totals(own)), sum, "{n}");
    }
    let far = Totals { ledger_balance: "0.0000000001".parse().unwrap(), ..Totals::default() };
    put(store, move |tx| tx.add_totals(own, &far));
    fold_all(store);
    assert_eq!(see(store, |tx| tx.totals(own)), sum.checked_add(far).unwrap());
    let (removed, rows) = (Totals { rows: sum.rows, ..Totals::default() }, RowCounts::default());
    put(store, move |tx| tx.remove_totals(own, &removed));
    assert_eq!(see(store, |tx| tx.totals(own)), Totals { rows, ..sum.checked_add(far).unwrap() });
    assert_eq!(see(store, |tx| tx.totals(other.id)), Totals::default());
}

/// A sum that cannot be stored exactly is an error: nothing is rounded or lost, and the figures of other
/// suppliers are not affected.
pub fn a_sum_that_overflows_is_refused(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME").id, supplier(store, "OTHER").id);
    let of = |balance: &str| Totals { ledger_balance: balance.parse().unwrap(), ..totals(1, 0, 0) };
    let most = of("7922816251426433759.3543950335");
    put(store, move |tx| tx.add_totals(acme, &most));
    assert_eq!(see(store, |tx| tx.totals(acme)), most);
    // Some stores notice at once, others when they fold.
    let least = of("0.0000000001");
    if write(store, move |tx| tx.add_totals(acme, &least)).is_ok() {
        put(store, move |tx| tx.add_totals(other, &totals(1, 1, 1)));
        assert!(read(store, |tx| tx.totals(acme)).is_err());
        assert_eq!(fold(store, 10), 1);
        assert_eq!((fold(store, 10), see(store, |tx| tx.totals(other))), (0, totals(1, 1, 1)));
        assert!(see(store, |tx| tx.has_changes()) && read(store, |tx| tx.totals(acme)).is_err());
    }
    assert!(fold(store, 10) <= 3);
}

/// Returns a random event that is legal for the process, if a few tries find one.
fn some_event(dice: &mut Dice, process: &Process, when: DateTime<Utc>) -> Option<(Process, HistoryEntry)> {
    let is_dry_run = dice.below(3) == 0;
    let event = match dice.below(13) {
        0..=3 => Event::Claimed,
        4 => Event::ClaimedForDryRun,
        5 => imported(),
        6 => Event::Rejected,
        7 => Event::DryRunPassed,
        8 => Event::DryRunFailed,
        9 => Event::Released { due_at: when },
        10 => Event::Cancelled,
        11 => Event::WindowMissed,
        _ => Event::Resubmitted(Submission { is_dry_run, window: Window::default() }),
    };
    process.clone().step(event, when, worker()).ok()
}

/// Checks the figures after random steps of many processes, alone and in batches, folded at random times.
pub fn counts_are_correct_after_random_steps(store: &dyn Store) {
    let suppliers = [supplier(store, "ACME"), supplier(store, "OTHER")];
    suppliers.iter().for_each(|of| create_many(store, of, "W", 25));
    let mut dice = Dice::new(7);
    let mut made = 0;
    for round in 0..120 {
        let of = &suppliers[dice.below(2) as usize];
        let (mut processes, when) = (all(store, of), at(1_000 + 17 * round));
        let first = dice.below(20) as usize;
        let some: Vec<_> = processes
            .drain(first..first + 5)
            .filter_map(|process| some_event(&mut dice, &process, when))
            .collect();
        made += some.len();
        put(store, move |tx| {
            let steps =
                some.iter().map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None });
            tx.step_processes(&steps.collect::<Vec<_>>())
        });
        if dice.below(4) == 0 {
            fold(store, 1 + dice.below(30) as u32);
        }
        if round % 10 == 9 {
            suppliers.iter().for_each(|of| assert_counted(store, of));
        }
    }
    assert!(made > 100, "{made}");
    fold_all(store);
    suppliers.iter().for_each(|of| assert_counted(store, of));
}

/// While some threads write and others fold, a reader counts every account exactly once.
pub fn writes_during_folding_are_counted_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let seen = on_threads(6, |thread| {
        let mut seen = Vec::new();
        for n in 0..40 {
            match thread {
                0 | 1 => {
                    fold(store, 3);
                }
                2 => {
                    let (states, totals) =
                        see(store, |tx| Ok((tx.state_counts(acme.id)?, tx.totals(acme.id)?)));
                    seen.push((states.iter().map(|count| count.processes).sum::<u64>(), totals));
                }
                _ => {
                    let owner = acme.clone();
                    put(store, move |tx| {
                        let name = format!("{thread}-{n}");
                        insert(tx, &owner, &name, Submission::default(), at(n))?;
                        tx.add_totals(owner.id, &totals(1, 1, 1))
                    });
                }
            }
        }
        seen
    });
    for (count, seen) in seen.into_iter().flatten() {
        assert_eq!(seen, totals(count, count as i64, count));
    }
    assert_counted(store, &acme);
    fold_all(store);
    assert_counted(store, &acme);
    assert_eq!(see(store, |tx| tx.totals(acme.id)), totals(120, 120, 120));
}

/// Checks counts after a claim and after its end, in a worker's transaction.
pub fn counts_follow_claims(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 9);
    let due = put(store, |tx| {
        let due = tx.due_processes(at(20), 4, &FairShares::default())?;
        for stored in &due {
            let claimed = stored.process.clone().step(Event::Claimed, at(20), worker());
            let (process, entry) = claimed.unwrap();
            assert!(tx.step_process(&process, &entry)?);
            let (process, entry) = process.step(imported(), at(21), worker()).unwrap();
            assert!(tx.step_process(&process, &entry)?);
        }
        Ok(due)
    });
    assert_eq!(names(&due).len(), 4);
    assert_counted(store, &acme);
    let states = kept_states(store, &acme);
    assert_eq!(states, [((State::Pending.as_str(), None), 5), (("PROCESSED", None), 4)].into());
}
