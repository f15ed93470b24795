use crate::support::{at, create, imported, newer, step, steps, submission};
use chrono::{DateTime, Duration, Utc};
use cutover_core::{Code, ServiceAccountNumber};
use cutover_process::{
    Actor, BACKOFF_CAP, CreateDecision, Event, Failure, IDLE, MAX_ATTEMPTS, Outage, Process, ProcessError,
    RETRY_TIME, State, Submission, Window, on_create, on_rejection, on_success,
};

#[test]
fn a_create_depends_on_the_existing_process() {
    let pending = create(submission(false));
    let claimed = steps(&pending, [Event::Claimed]);
    let account: ServiceAccountNumber = "A-00000001".parse().unwrap();
    assert_eq!(on_create(None, false), CreateDecision::New);
    assert_eq!(on_create(Some(&pending), true), CreateDecision::Unchanged);
    assert_eq!(on_create(Some(&pending), false), CreateDecision::Replace);
    for same in [true, false] {
        assert_eq!(on_create(Some(&claimed), same), CreateDecision::InProgress);
        let done = steps(&claimed, [imported()]);
        let refused = CreateDecision::AlreadyImported { account: account.clone() };
        assert_eq!(on_create(Some(&done), same), refused);
    }
}

#[test]
fn a_create_leaves_processes_of_newer_versions_alone() {
    let resting = newer(&create(submission(false)), |_| {});
    let moved = newer(&steps(&create(submission(false)), [Event::Claimed, imported()]), |_| {});
    for same in [true, false] {
        assert_eq!(on_create(Some(&resting), same), CreateDecision::InProgress);
        let refused = CreateDecision::AlreadyImported { account: "A-00000001".parse().unwrap() };
        assert_eq!(on_create(Some(&moved), same), refused);
    }
}

#[test]
fn a_process_without_an_account_is_resubmitted_even_with_equal_content() {
    let dry = steps(&create(submission(true)), [Event::Claimed]);
    let ended = [
        step(&create(submission(false)), Event::Cancelled, 1),
        steps(&create(submission(false)), [Event::Claimed, Event::Rejected]),
        step(&dry, Event::DryRunPassed, 2),
        step(&dry, Event::DryRunFailed, 2),
    ];
    for process in ended {
        for same in [true, false] {
            assert_eq!(on_create(Some(&process), same), CreateDecision::Resubmit, "{}", process.state());
        }
        step(&process, Event::Resubmitted(submission(false)), 3);
    }
}

#[test]
fn a_dry_run_keeps_nothing() {
    let account = || "A-00000001".parse().unwrap();
    for (dry, good, bad) in
        [(false, State::Processed, State::Errored), (true, State::DryRunSucceeded, State::DryRunErrored)]
    {
        let process = steps(&create(submission(dry)), [Event::Claimed]);
        let done = step(&process, on_success(&process, account()), 2);
        assert_eq!((done.state(), done.service_account_number().is_some()), (good, !dry));
        let rejection = on_rejection(&process);
        assert_eq!(rejection, if dry { Event::DryRunFailed } else { Event::Rejected });
        assert_eq!(step(&process, rejection, 2).state(), bad);
    }
}

#[test]
fn waits_grow_with_the_number_of_failures() {
    let mut process = steps(&create(submission(false)), [Event::Claimed]);
    let mut waits = Vec::new();
    while let Event::Failed { due_at } = on_failure(&process, Failure::Defect, at(0)) {
        waits.push((due_at - at(0)).num_milliseconds());
        process = steps(&process, [Event::Failed { due_at }, Event::Claimed]);
    }
    assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
    assert_eq!(process.snapshot().attempt, 8);
    assert_eq!(on_failure(&process, Failure::WorkerLost, at(0)), Event::RetriesExhausted);
}

/// The event after a failure, with the default retry time and the shortest wait.
fn on_failure(process: &Process, failure: Failure, at: DateTime<Utc>) -> Event {
    cutover_process::on_failure(process, failure, RETRY_TIME, at, 0)
}

/// Claims the process whenever it is due and fails at once, until it has ended or a time has passed since the
/// first claim. Returns the process and the time passed.
fn fails(mut process: Process, failure: Failure, time: Duration) -> (Process, Duration) {
    let begun = process.snapshot().due_at;
    loop {
        let now = process.snapshot().due_at.max(process.snapshot().modified_at);
        let claimed = process.clone().step(Event::Claimed, now, Actor::System).unwrap().0;
        let event = on_failure(&claimed, failure, now);
        process = claimed.step(event, now, Actor::System).unwrap().0;
        if process.state().has_ended() || now - begun >= time {
            return (process, now - begun);
        }
    }
}

#[test]
fn an_outage_is_retried_for_its_time_and_no_longer() {
    let (process, after) = fails(create(submission(false)), Failure::Outage, RETRY_TIME * 2);
    assert!(after >= RETRY_TIME && after < RETRY_TIME + BACKOFF_CAP, "{after}");
    assert!(process.snapshot().attempt > 200, "{}", process.snapshot().attempt);
    let error = process.latest_error().unwrap();
    assert_eq!(error.code, Code::ImportProcessRetriesExhausted);
    assert!(error.detail.contains("could not be reached"), "{}", error.detail);
    assert_eq!((process.state(), process.snapshot().outage), (State::Errored, None));
}

#[test]
fn an_outage_costs_no_attempt() {
    let (waits, after) = fails(create(submission(false)), Failure::Outage, Duration::minutes(10));
    let snapshot = waits.snapshot();
    assert_eq!((waits.state(), snapshot.tries), (State::Pending, 0));
    assert!(snapshot.attempt > MAX_ATTEMPTS && after >= Duration::minutes(10));
    assert_eq!(snapshot.outage.map(|outage| (outage.since, outage.tries)), Some((at(0), snapshot.attempt)));
    // A payload that kills its worker has the same number of attempts before and after an outage.
    let (crashed, _) = fails(waits.clone(), Failure::WorkerLost, Duration::days(9));
    assert_eq!(crashed.snapshot().attempt, snapshot.attempt + MAX_ATTEMPTS);
    assert_eq!(crashed.latest_error(), Some(&ProcessError::new(Code::ImportProcessRetriesExhausted)));
}

#[test]
fn an_outage_in_the_last_attempt_does_not_use_it_up() {
    let crash = || [Event::Claimed, Event::Released { due_at: at(9) }];
    let crashed = steps(&create(submission(false)), (1..MAX_ATTEMPTS).flat_map(|_| crash()));
    let last = step(&crashed, Event::Claimed, 20);
    let event = on_failure(&last, Failure::Outage, at(20));
    assert!(matches!(event, Event::Deferred { .. }), "{event:?}");
    let again = step(&step(&last, event, 20), Event::Claimed, 30);
    assert_eq!(on_failure(&again, Failure::Panic, at(30)), Event::RetriesExhausted);
}

#[test]
fn any_other_end_of_an_attempt_ends_the_outage() {
    let outage = |process: &Process| process.snapshot().outage.map(|outage| (outage.since, outage.tries));
    let waits = steps(&create(submission(false)), [Event::Claimed, Event::Deferred { due_at: at(3) }]);
    assert_eq!(outage(&waits), Some((at(2), 1)));
    let claimed = step(&waits, Event::Claimed, 4);
    for event in
        [Event::Failed { due_at: at(9) }, Event::Released { due_at: at(9) }, imported(), Event::Rejected]
    {
        assert_eq!(outage(&step(&claimed, event, 5)), None);
    }
    for event in [Event::Cancelled, Event::WindowMissed, Event::Replaced(submission(false))] {
        assert_eq!(outage(&step(&waits, event, 5)), None);
    }
    // A returned claim says nothing about the outage.
    for event in [Event::ShutDown, Event::HandedBack { due_at: at(9) }] {
        assert_eq!(outage(&step(&claimed, event, 5)), Some((at(2), 1)));
    }
    assert_eq!(outage(&step(&claimed, Event::Deferred { due_at: at(9) }, 5)), Some((at(2), 2)));
    // The clock was set back: neither a step nor the outage is dated before the previous step.
    let before = step(&claimed, Event::Deferred { due_at: at(9) }, 1);
    assert_eq!(before.snapshot().outage, Some(Outage { since: at(2), tries: 2 }));
}

/// A supplier is paused, or the service is stopped, for longer than the retry time.
#[test]
fn idle_time_does_not_count_as_outage() {
    let (waits, _) = fails(create(submission(false)), Failure::Outage, Duration::hours(1));
    let since = waits.snapshot().outage.unwrap().since;
    let claim_after = |time: Duration| {
        let now = waits.snapshot().due_at + time;
        (waits.clone().step(Event::Claimed, now, Actor::System).unwrap().0, now)
    };
    let (busy, _) = claim_after(IDLE);
    assert_eq!(busy.snapshot().outage.unwrap().since, since, "there was much to do");
    let (resumed, now) = claim_after(RETRY_TIME * 3);
    assert_eq!(resumed.snapshot().outage.unwrap().since, since + RETRY_TIME * 3);
    assert!(matches!(on_failure(&resumed, Failure::Outage, now), Event::Deferred { .. }));
}

#[test]
fn each_failure_has_its_own_event() {
    let process = steps(&create(submission(false)), [Event::Claimed]);
    let due_at = at(0) + chrono::Duration::milliseconds(500);
    assert_eq!(on_failure(&process, Failure::WorkerLost, at(0)), Event::Released { due_at });
    assert_eq!(on_failure(&process, Failure::Panic, at(0)), Event::Failed { due_at });
    assert_eq!(on_failure(&process, Failure::Outage, at(0)), Event::Deferred { due_at });
}

#[test]
fn a_process_is_claimed_inside_its_window() {
    let window = Window { start: Some(at(10)), end: Some(at(20)) };
    let process = create(Submission { is_dry_run: false, window });
    let events = [9, 10, 20, 21].map(|second| process.due_event(at(second)));
    assert_eq!(events, [None, Some(Event::Claimed), Some(Event::Claimed), Some(Event::WindowMissed)]);
    let claimed = step(&process, Event::Claimed, 10);
    assert_eq!([15, 21].map(|second| claimed.due_event(at(second))), [None, None]);
    assert!(!claimed.is_due(at(15)) && claimed.window_closed(at(21)));
}
