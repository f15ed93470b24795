use chrono::{DateTime, Duration, Utc};
use cutover_process::{Actor, Event, NewProcess, Process, Snapshot, Submission, Window};

/// The instant this many seconds after the start of the test.
pub(crate) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::<Utc>::UNIX_EPOCH + Duration::days(20_000) + Duration::seconds(seconds)
}

pub(crate) fn submission(is_dry_run: bool) -> Submission {
    Submission { is_dry_run, window: Window::default() }
}

pub(crate) fn create(submission: Submission) -> Process {
    let new = NewProcess {
        supplier: "ACME".parse().unwrap(),
        external_account_number: "A-100".parse().unwrap(),
        submission,
    };
    Process::create(7, new, at(0), Actor::System).0
}

/// The process after an event, which must be legal.
pub(crate) fn step(process: &Process, event: Event, seconds: i64) -> Process {
    process.clone().step(event, at(seconds), Actor::System).unwrap().0
}

/// The process after events a second apart, the first at second 1.
pub(crate) fn steps(process: &Process, events: impl IntoIterator<Item = Event>) -> Process {
    (1..).zip(events).fold(process.clone(), |process, (second, event)| step(&process, event, second))
}

/// The process in an unknown status that a newer version wrote.
pub(crate) fn newer(process: &Process, change: impl FnOnce(&mut Snapshot)) -> Process {
    let mut snapshot = Snapshot { newer_state: Some("RESTING".into()), ..process.snapshot().clone() };
    change(&mut snapshot);
    Process::restore(snapshot).unwrap()
}

pub(crate) fn imported() -> Event {
    Event::Imported("A-00000001".parse().unwrap())
}

/// At least one event of each kind except the creation.
pub(crate) fn every_event() -> Vec<Event> {
    vec![
        Event::Replaced(submission(false)),
        Event::Claimed,
        Event::WindowMissed,
        Event::Cancelled,
        imported(),
        Event::Rejected,
        Event::RetriesExhausted,
        Event::OutageTooLong,
        Event::DryRunPassed,
        Event::DryRunFailed,
        Event::Released { due_at: at(60) },
        Event::ShutDown,
        Event::Deferred { due_at: at(60) },
        Event::Failed { due_at: at(60) },
        Event::Resubmitted(submission(false)),
        Event::RetriedByOperator,
        Event::Undone,
    ]
}
