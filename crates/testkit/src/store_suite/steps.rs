//! Steps of processes, and their payloads and issues.

use super::helpers::{
    ABSENT, api, at, claim, create, create_many, new_process, process, put, see, staged, step, supplier,
    worker,
};
use cutover_app::port::{StepWrite, Store, StoredIssue, StoredIssues};
use cutover_core::{ServiceAccountNumber, Word};
use cutover_process::{Event, EventKind, HistoryEntry, Process, State, Submission};

fn account_number() -> ServiceAccountNumber {
    ServiceAccountNumber::from_random(42)
}

/// The history has every step with its actor, oldest first.
pub fn steps_are_written_with_their_history(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let pending = create(store, &acme, "A-1");
    assert!(step(store, &pending, Event::Claimed, at(5)));
    assert!(step(store, &process(store, &acme, "A-1").process, Event::Rejected, at(6)));
    let history = see(store, |tx| tx.history(pending.id()));
    // This version knows all of these words.
    let known = |state: &Word<State>| *state.known().unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|e| {
            let event = *e.event.known().unwrap();
            (event, e.from.as_ref().map(known), known(&e.to), e.occurred_at, e.attempt, e.version)
        })
        .collect();
    assert_eq!(
        told,
        [
            (EventKind::Created, None, State::Pending, at(0), 0, 1),
            (EventKind::Claimed, Some(State::Pending), State::InProgress, at(5), 1, 2),
            (EventKind::Rejected, Some(State::InProgress), State::Errored, at(6), 1, 3),
        ]
    );
    assert_eq!((history[0].actor.known(), history[1].actor.known()), (Some(&api()), Some(&worker())));
    assert_eq!(see(store, |tx| tx.history(ABSENT)), []);
}

/// Two workers step from the same version: the second changes no row, not even the history.
pub fn a_stale_step_writes_nothing(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let pending = create(store, &acme, "A-1");
    assert!(step(store, &pending, Event::Claimed, at(5)));
    let claimed = process(store, &acme, "A-1");
    assert!(!step(store, &pending, Event::Cancelled, at(6)));
    assert_eq!(process(store, &acme, "A-1"), claimed);
    assert_eq!(see(store, |tx| tx.history(pending.id())).len(), 2);

    assert!(step(store, &claimed.process, Event::Imported(account_number()), at(7)));
    assert!(!step(store, &claimed.process, Event::Released { due_at: at(8) }, at(8)));
    assert_eq!(process(store, &acme, "A-1").process.state(), State::Processed);
}

fn issues(errors: &[&str], warnings: &[&str]) -> StoredIssues {
    let issue = |code: &&str| StoredIssue {
        attr: format!("customers.0.{code}"),
        pattern: format!("customers.#.{code}"),
        code: (*code).to_owned(),
        detail: "It says \"no\".\n".into(),
        ..StoredIssue::default()
    };
    StoredIssues {
        errors: errors.iter().map(issue).collect(),
        warnings: warnings.iter().map(issue).collect(),
    }
}

/// A step with the issues that it sets.
type Made = (Process, HistoryEntry, Option<StoredIssues>);

fn made(before: Process, event: Event, seconds: i64, issues: Option<StoredIssues>) -> Made {
    let (process, entry) = before.step(event, at(seconds), worker()).unwrap();
    (process, entry, issues)
}

/// Writes steps together and returns which were written.
fn write(store: &dyn Store, steps: Vec<Made>) -> Vec<bool> {
    put(store, move |tx| {
        let steps: Vec<_> = steps.iter().map(step_write).collect();
        tx.step_processes(&steps)
    })
}

fn step_write((process, entry, issues): &Made) -> StepWrite<'_> {
    StepWrite { process, entry, issues: issues.as_ref(), sent: None }
}

/// Nothing is written of a stale step and of a missing process, and everything of the others,
/// each with its own end, history and issues.
pub fn stale_steps_of_a_batch_are_skipped(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 5);
    assert_eq!(claim(store, at(10), 5).len(), 5);
    let claimed = [0, 1, 2, 3, 4].map(|n| process(store, &acme, &format!("A-{n}")).process);
    assert!(step(store, &claimed[2], Event::Released { due_at: at(60) }, at(20)));
    let released = process(store, &acme, "A-2");

    let ghost = Process::create(ABSENT, new_process(&acme, "ghost", Submission::default()), at(0), api()).0;
    let [a, b, c, d, e] = claimed;
    let steps = vec![
        made(a, Event::Imported(account_number()), 30, Some(issues(&[], &["w"]))),
        made(b, Event::Rejected, 31, Some(issues(&["required", "invalid"], &[]))),
        made(c, Event::Rejected, 32, Some(issues(&["stale"], &[]))),
        made(ghost, Event::Cancelled, 33, Some(issues(&["ghost"], &[]))),
        made(d, Event::Deferred { due_at: at(90) }, 34, None),
        made(e, Event::RetriesExhausted, 35, Some(StoredIssues::default())),
    ];
    let expected = steps.clone();
    assert_eq!(write(store, steps), [true, true, false, false, true, true]);
    assert_eq!(process(store, &acme, "A-2"), released);
    for (n, (after, entry, found)) in expected.into_iter().enumerate() {
        let (history, kept) = see(store, |tx| Ok((tx.history(after.id())?, tx.issues(after.id())?)));
        match n {
            2 => assert_eq!((history.len(), kept), (3, StoredIssues::default())),
            3 => assert_eq!((history.len(), kept), (0, StoredIssues::default())),
            _ => {
                let number = after.snapshot().external_account_number.to_string();
                assert_eq!(process(store, &acme, &number).process, after);
                assert_eq!((history.len(), history.last()), (3, Some(&entry)), "{number}");
                assert_eq!(kept, found.unwrap_or_default(), "{number}");
            }
        }
    }
    assert_eq!(write(store, vec![]), [false; 0]);
}

/// Payload and issues are replaced completely; a step without new issues keeps them.
pub fn payloads_and_issues_are_replaced(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let found = issues(&[], &["duplicate_note"]);
    let first = found.clone();
    let created = put(store, move |tx| {
        let new = new_process(&acme, "A-1", Submission::default());
        let (process, entry) = Process::create(tx.next_process_id()?, new, at(0), api());
        tx.insert_process(acme.id, &process, &entry, &staged(b"\0\xff first"), &first)?;
        Ok(process)
    });
    let id = created.id();
    let kept = || see(store, |tx| Ok((tx.staged(id)?.unwrap(), tx.issues(id)?)));
    assert_eq!(kept(), (staged(b"\0\xff first"), found.clone()));

    let claimed = made(created, Event::Claimed, 1, None);
    assert_eq!(write(store, vec![claimed.clone()]), [true]);
    assert_eq!(kept(), (staged(b"\0\xff first"), found));
    let more = issues(&["required", "invalid"], &["a"]);
    let rejected = made(claimed.0, Event::Rejected, 2, Some(more.clone()));
    assert_eq!(write(store, vec![rejected.clone()]), [true]);
    let big = staged(&vec![7; 200_000]);
    let second = big.clone();
    put(store, move |tx| tx.restage(id, &second));
    assert_eq!(kept(), (big.clone(), more));

    let again = Event::Resubmitted(Submission::default());
    assert_eq!(write(store, vec![made(rejected.0, again, 3, Some(StoredIssues::default()))]), [true]);
    assert_eq!(kept(), (big, StoredIssues::default()));
    assert_eq!(see(store, |tx| tx.staged(ABSENT)), None);
    assert_eq!(see(store, |tx| tx.issues(ABSENT)), StoredIssues::default());
}

/// Payloads are returned for those requested processes that have one, each with its key.
pub fn payloads_are_read_together(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    create_many(store, &acme, "A", 300);
    let ids: Vec<i64> = (0..300).map(|n| process(store, &acme, &format!("A-{n}")).process.id()).collect();
    let payloads = |ids: &[i64]| {
        let found = see(store, |tx| tx.payloads(ids));
        let mut found: Vec<_> = found.into_iter().map(|(id, payload)| (id, payload.unwrap())).collect();
        found.sort();
        found
    };
    let expected = |ns: &mut dyn Iterator<Item = usize>| {
        let mut all: Vec<_> = ns.map(|n| (ids[n], format!("A-{n}").into_bytes())).collect();
        all.sort();
        all
    };
    assert_eq!(payloads(&[ids[7], ABSENT, ids[2]]), expected(&mut [2, 7].into_iter()));
    assert_eq!(payloads(&ids), expected(&mut (0..300)));
    assert_eq!(payloads(&[ABSENT]), []);
    assert_eq!(payloads(&[]), []);
}
