use crate::support::{at, create, imported, step, steps, submission};
use cutover_core::ServiceAccountNumber;
use cutover_process::{
    CreateDecision, Event, Failure, State, Submission, Window, on_create, on_failure, on_rejection,
    on_success,
};

#[test]
fn a_create_meets_what_there_is() {
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
fn what_ended_without_an_account_starts_again_even_with_equal_content() {
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
fn a_failure_waits_the_longer_the_more_there_were() {
    let mut process = steps(&create(submission(false)), [Event::Claimed]);
    let mut waits = Vec::new();
    while let Event::Deferred { due_at } = on_failure(&process, Failure::PassingFault, at(0), 0) {
        waits.push((due_at - at(0)).num_milliseconds());
        process = steps(&process, [Event::Deferred { due_at }, Event::Claimed]);
    }
    assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
    assert_eq!(process.snapshot().attempt, 8);
    assert_eq!(on_failure(&process, Failure::WorkerLost, at(0), 0), Event::RetriesExhausted);
}

#[test]
fn a_lost_worker_is_told_from_a_fault() {
    let process = steps(&create(submission(false)), [Event::Claimed]);
    let due_at = at(0) + chrono::Duration::milliseconds(500);
    assert_eq!(on_failure(&process, Failure::WorkerLost, at(0), 0), Event::Released { due_at });
    assert_eq!(on_failure(&process, Failure::Panic, at(0), 0), Event::Deferred { due_at });
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
