//! Effects of a step other than the status.

use crate::support::{at, create, every_event, imported, newer, step, steps, submission};
use cutover_core::{Code, Word};
use cutover_process::{
    Actor, CorruptProcess, Event, EventKind, NewProcess, Process, ProcessError, Snapshot, State, Submission,
    Window,
};

fn windowed(start: Option<i64>, end: Option<i64>) -> Submission {
    Submission { is_dry_run: false, window: Window { start: start.map(at), end: end.map(at) } }
}

#[test]
fn a_creation_is_the_first_entry() {
    let new = NewProcess {
        supplier: "ACME".parse().unwrap(),
        external_account_number: "A-1".parse().unwrap(),
        submission: windowed(Some(50), None),
    };
    let actor = Actor::Api { key_prefix: "cut_live_ab".into(), request_id: None };
    let (process, entry) = Process::create(3, new, at(5), actor.clone());
    assert_eq!((entry.event, entry.from, entry.to), (EventKind::Created.into(), None, State::Pending.into()));
    assert_eq!((entry.occurred_at, entry.attempt, entry.actor, entry.version), (at(5), 0, actor.into(), 1));
    assert_eq!((process.version_before(), process.snapshot().due_at), (0, at(50)));
    assert_eq!(Process::restore(process.snapshot().clone()), Ok(process));
}

#[test]
fn claims_and_their_return_do_not_change_the_latest_event() {
    let created = create(submission(false));
    let claimed = step(&created, Event::Claimed, 10);
    let failed = step(&claimed, Event::Failed { due_at: at(99) }, 20);
    assert_eq!((failed.snapshot().latest_event_at, failed.snapshot().due_at), (at(0), at(99)));
    let deferred = step(&claimed, Event::Deferred { due_at: at(99) }, 20);
    assert_eq!((deferred.snapshot().latest_event_at, deferred.snapshot().modified_at), (at(0), at(20)));
    assert_eq!(deferred.snapshot().due_at, at(99));
    let done = step(&step(&deferred, Event::Claimed, 100), imported(), 101);
    assert_eq!((done.snapshot().latest_event_at, done.snapshot().attempt), (at(101), 2));
}

#[test]
fn steps_are_never_dated_before_the_creation() {
    let process = step(&create(submission(false)), Event::Cancelled, -500);
    assert_eq!((process.snapshot().modified_at, process.snapshot().latest_event_at), (at(0), at(0)));
}

#[test]
fn new_content_has_its_own_parameters_and_all_attempts() {
    let again = [Event::Claimed, Event::Released { due_at: at(9) }, Event::Claimed, Event::Rejected];
    let ended = steps(&create(submission(false)), again);
    let dry = Submission { is_dry_run: true, ..windowed(Some(700), Some(900)) };
    let process = step(&ended, Event::Resubmitted(dry), 600);
    let snapshot = process.snapshot();
    assert!(snapshot.is_dry_run);
    assert_eq!((snapshot.window, snapshot.due_at), (dry.window, at(700)));
    assert_eq!((snapshot.tries, snapshot.attempt), (0, 2));
    assert_eq!(snapshot.latest_error, None);
    assert_eq!((snapshot.created_at, snapshot.latest_event_at), (at(0), at(600)));
}

#[test]
fn a_returned_claim_does_not_count_as_an_attempt() {
    let process = steps(&create(submission(false)), [Event::Claimed, Event::ShutDown]);
    let snapshot = process.snapshot();
    assert_eq!((snapshot.tries, snapshot.attempt, snapshot.due_at), (0, 1, at(2)));
    let later = steps(&create(submission(false)), [Event::Claimed, Event::HandedBack { due_at: at(30) }]);
    let snapshot = later.snapshot();
    assert_eq!((snapshot.tries, snapshot.attempt, snapshot.due_at), (0, 1, at(30)));
}

#[test]
fn an_operators_retry_drops_a_window_only_when_it_has_closed() {
    let retried = |seconds| {
        let created = create(windowed(None, Some(100)));
        let process =
            step(&steps(&created, [Event::Claimed, Event::Rejected]), Event::RetriedByOperator, seconds);
        process.snapshot().window
    };
    assert_eq!(retried(100), windowed(None, Some(100)).window);
    assert_eq!(retried(101), Window::default());
}

#[test]
fn a_missed_window_ends_with_its_error() {
    let real = step(&create(windowed(None, Some(5))), Event::WindowMissed, 6);
    assert_eq!(real.state(), State::Errored);
    assert_eq!(real.latest_error(), Some(&ProcessError::new(Code::ScheduleWindowMissed)));
    assert_eq!(real.latest_error().unwrap().domain, "import_process");
    assert_eq!(step(&create(submission(true)), Event::WindowMissed, 6).state(), State::DryRunErrored);
}

#[test]
fn a_process_that_no_step_leads_to_is_corrupt() {
    let pending = create(submission(false));
    let claimed = steps(&pending, [Event::Claimed]);
    let done = steps(&claimed, [imported()]);
    let failed = steps(&claimed, [Event::Rejected]);
    let spoil = |process: &Process, change: fn(&mut Snapshot)| {
        let mut snapshot = process.snapshot().clone();
        change(&mut snapshot);
        Process::restore(snapshot).map_err(|CorruptProcess { id, problem }| format!("{id}: {problem}"))
    };
    let found = [
        spoil(&pending, |s| s.version = 0),
        spoil(&pending, |s| s.modified_at = at(-1)),
        spoil(&pending, |s| s.latest_event_at = at(-1)),
        spoil(&pending, |s| s.tries = 1),
        spoil(&claimed, |s| (s.attempt, s.tries) = (9, 9)),
        spoil(&claimed, |s| s.tries = 0),
        spoil(&pending, |s| (s.attempt, s.tries) = (8, 8)),
        spoil(&failed, |s| s.latest_error = None),
        spoil(&failed, |s| s.latest_error = Some(Box::new(ProcessError::new(Code::Required)))),
        spoil(&pending, |s| s.latest_error = Some(Box::new(ProcessError::new(Code::ScheduleWindowMissed)))),
        spoil(&done, |s| s.service_account_number = None),
        spoil(&done, |s| s.is_dry_run = true),
        spoil(&done, |s| s.is_undone = true),
    ];
    let found: Vec<_> = found.into_iter().map(Result::unwrap_err).collect();
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn a_claim_can_turn_a_staged_import_into_a_dry_run() {
    let created = create(submission(false));
    let claimed = step(&created, Event::ClaimedForDryRun, 10);
    assert!(claimed.is_dry_run() && !created.is_dry_run());
    assert_eq!(step(&claimed, Event::DryRunPassed, 11).state(), State::DryRunSucceeded);
    assert!(!step(&created, Event::Claimed, 10).is_dry_run());
}

#[test]
fn no_step_leads_out_of_an_unknown_status() {
    for event in every_event() {
        let before = newer(&create(submission(event == Event::DryRunPassed)), |_| {});
        assert_eq!((before.due_event(at(9)), before.is_due(at(9))), (None, false));
        let refused = before.step(event.clone(), at(9), Actor::System).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "a process that is RESTING refuses the event {}: a newer version of the program wrote this status",
                event.kind()
            )
        );
    }
}

#[test]
fn an_unknown_status_allows_data_that_no_known_one_allows() {
    let pending = create(submission(false));
    let process = newer(&pending, |s| {
        (s.attempt, s.tries) = (99, 99);
        let error = ProcessError::stored(Word::read("of_a_newer_version"), "It says.");
        s.latest_error = Some(Box::new(error));
        s.service_account_number = Some("A-00000001".parse().unwrap());
    });
    assert_eq!((process.known_state(), process.stored_state().as_str()), (None, "RESTING"));
    assert_eq!(pending.known_state(), Some(State::Pending));
    let backwards = Snapshot { version: 0, ..process.snapshot().clone() };
    assert!(Process::restore(backwards).is_err());
}
