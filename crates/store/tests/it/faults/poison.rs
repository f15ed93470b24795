//! Failure 5: payloads that break their worker end in an error.

use super::environment::{TestEnvironment, on_both};
use chrono::Duration;
use cutover_app::fault::Point;
use cutover_core::Code;
use cutover_process::{BACKOFF_CAP, EventKind, LEASE, MAX_ATTEMPTS, State};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks an account for which a point panics: it ends in an error after the last attempt, each counted at
/// its claim. Its neighbours are imported.
fn ends_in_an_error(env: &TestEnvironment, poison: &str, neighbours: &[&str], point: Point, each: EventKind) {
    fail::cfg(point.name(), &format!("return({poison}|panic)")).unwrap();
    env.create(poison);
    for attempt in 1..=MAX_ATTEMPTS {
        // A panic stands in for the loss of a worker.
        let _ = catch_unwind(AssertUnwindSafe(|| env.worker.run_once()));
        assert_eq!(env.report(poison).attempt, attempt, "it counts at the claim");
        env.clock.advance(LEASE + Duration::seconds(1));
        env.app.sweep().unwrap();
        env.clock.advance(BACKOFF_CAP);
        if attempt == 1 {
            neighbours.iter().for_each(|number| env.create(number));
        }
    }
    fail::remove(point.name());
    let report = env.report(poison);
    assert_eq!((report.status.status, report.account), (State::Errored, None));
    let error = report.status.latest_error.map(|error| error.code);
    assert_eq!(error, Some(Code::ImportProcessRetriesExhausted.into()));
    let count = |kind| report.history.iter().filter(|entry| entry.event == kind).count();
    assert_eq!(count(EventKind::Claimed), MAX_ATTEMPTS as usize);
    assert_eq!((count(each), count(EventKind::RetriesExhausted)), (MAX_ATTEMPTS as usize - 1, 1));
    assert!(neighbours.iter().all(|number| env.state(number) == State::Processed));
}

/// Failure 5: given a payload that panics, then after eight attempts it is ERRORED with a cause.
#[test]
fn a_payload_that_panics_ends_in_an_error() {
    on_both(|env| ends_in_an_error(&env, "panics", &["A-1", "A-2"], Point::ImportBegun, EventKind::Failed));
}

/// Failure 5: given a payload whose worker is lost, then it ends likewise.
#[test]
fn a_payload_that_loses_its_worker_ends_in_an_error() {
    on_both(|env| ends_in_an_error(&env, "loses", &[], Point::Claimed, EventKind::Released));
}
