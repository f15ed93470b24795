//! Every state with every event, compared with a matrix written independently of the table.

use crate::support::{at, create, every_event, imported, steps, submission};
use cutover_core::{Code, Word};
use cutover_process::{Actor, Event, EventKind, MAX_ATTEMPTS, Process, Refusal, State, transition};

/// The state after each event, by the state before: `.` if the event is refused, otherwise a letter of the
/// state after (see `state`). `E/X` gives the states of a real import and of a dry run. The columns are no
/// process, PENDING, IN_PROGRESS, CANCELLED, PROCESSED, DRY_RUN_SUCCEEDED, ERRORED, DRY_RUN_ERRORED.
const MATRIX: &str = "
    created              P    .    .    .    .    .    .    .
    replaced             .    P    .    .    .    .    .    .
    claimed              .    I    .    .    .    .    .    .
    window_missed        .    E/X  .    .    .    .    .    .
    cancelled            .    C    .    .    .    C    .    C
    imported             .    .    D/.  .    .    .    .    .
    rejected             .    .    E/X  .    .    .    .    .
    retries_exhausted    .    .    E/X  .    .    .    .    .
    dry_run_passed       .    .    ./S  .    .    .    .    .
    dry_run_failed       .    .    ./X  .    .    .    .    .
    released             .    .    P    .    .    .    .    .
    shut_down            .    .    P    .    .    .    .    .
    deferred             .    .    P    .    .    .    .    .
    failed               .    .    P    .    .    .    .    .
    resubmitted          .    .    .    P    .    P    P    P
    retried_by_operator  .    .    .    P    .    P    P    P
    undone               .    .    .    .    C/.  .    .    .
";

const COLUMNS: [Option<State>; State::ALL.len() + 1] = [
    None,
    Some(State::Pending),
    Some(State::InProgress),
    Some(State::Cancelled),
    Some(State::Processed),
    Some(State::DryRunSucceeded),
    Some(State::Errored),
    Some(State::DryRunErrored),
];

fn state(letter: &str) -> Option<State> {
    match letter {
        "." => None,
        "P" => Some(State::Pending),
        "I" => Some(State::InProgress),
        "C" => Some(State::Cancelled),
        "D" => Some(State::Processed),
        "S" => Some(State::DryRunSucceeded),
        "E" => Some(State::Errored),
        "X" => Some(State::DryRunErrored),
        _ => panic!("no state has the letter {letter}"),
    }
}

/// The entry of the matrix for a pair.
fn expected(from: Option<State>, on: EventKind, is_dry_run: bool) -> Option<State> {
    let row = MATRIX.lines().find(|line| line.split_whitespace().next() == Some(on.as_str())).unwrap();
    let column = COLUMNS.iter().position(|column| *column == from).unwrap();
    let cell = row.split_whitespace().nth(column + 1).unwrap();
    let (real, dry) = cell.split_once('/').unwrap_or((cell, cell));
    state(if is_dry_run { dry } else { real })
}

#[test]
fn the_table_is_the_matrix() {
    assert_eq!(MATRIX.trim().lines().count(), EventKind::ALL.len());
    for (from, on, dry) in pairs() {
        match (expected(from, on, dry), transition(from, on, dry)) {
            (Some(to), Ok(row)) => assert_eq!((row.from, row.on, row.to), (from, on, to)),
            (None, Err(refused)) => assert_eq!((refused.state, refused.event), (from.map(Word::from), on)),
            (expected, got) => panic!("{from:?} {on} dry {dry}: {expected:?}, but {got:?}"),
        }
    }
}

fn pairs() -> impl Iterator<Item = (Option<State>, EventKind, bool)> {
    COLUMNS.into_iter().flat_map(|from| {
        EventKind::ALL.iter().flat_map(move |on| [false, true].map(move |dry| (from, *on, dry)))
    })
}

/// A process in each state that a real import, or a dry run, can be in.
fn in_every_state(dry: bool) -> Vec<Process> {
    let pending = create(submission(dry));
    let claimed = steps(&pending, [Event::Claimed]);
    let mut processes = vec![steps(&pending, [Event::Cancelled]), steps(&claimed, [Event::Rejected])];
    processes.push(steps(&claimed, [if dry { Event::DryRunPassed } else { imported() }]));
    processes.extend([pending, claimed]);
    processes
}

#[test]
fn a_process_steps_as_the_matrix_says() {
    for dry in [false, true] {
        let processes = in_every_state(dry);
        assert_eq!(processes.len(), 5);
        for process in processes {
            for event in every_event() {
                check_step(&process, event, dry);
            }
        }
    }
}

fn check_step(before: &Process, event: Event, dry: bool) {
    let (from, on) = (before.state(), event.kind());
    let result = before.clone().step(event, at(9), Actor::System);
    match (expected(Some(from), on, dry), result) {
        (Some(to), Ok((after, entry))) => {
            assert_eq!(after.state(), to, "{from} {on}");
            assert_eq!((entry.event, entry.from, entry.to), (on.into(), Some(from.into()), to.into()));
            assert_eq!(after.version_before(), before.version());
        }
        (None, Err(refused)) => {
            assert_eq!((refused.state.as_ref(), refused.event), (Some(&from.into()), on));
            let text = refused.to_string();
            assert!(text.contains(from.as_str()) && text.contains(on.as_str()), "{text}");
        }
        (expected, got) => panic!("{from} {on} dry {dry}: {expected:?}, but {got:?}"),
    }
}

#[test]
fn a_creation_makes_the_step_of_its_row() {
    let row = transition(None, EventKind::Created, false).unwrap();
    assert_eq!(create(submission(false)).state(), row.to);
}

#[test]
fn nothing_is_tried_again_after_the_last_attempt() {
    let again = || [Event::Claimed, Event::Failed { due_at: at(1) }];
    let events = (1..MAX_ATTEMPTS).flat_map(|_| again());
    let last = steps(&create(submission(false)), events.chain([Event::Claimed]));
    for event in [Event::Failed { due_at: at(9) }, Event::Released { due_at: at(9) }] {
        let on = event.kind();
        let refused = last.clone().step(event, at(9), Actor::System).unwrap_err();
        assert_eq!((refused.reason, refused.event), (Refusal::LastAttempt, on));
    }
    let ended = steps(&last, [Event::RetriesExhausted]);
    assert_eq!(ended.latest_error().unwrap().code, Code::ImportProcessRetriesExhausted);
}
