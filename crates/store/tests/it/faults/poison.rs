//! Failure 5: payloads that break their worker come to an end.

use super::house::{House, on_both};
use chrono::Duration;
use cutover_app::fault::Point;
use cutover_core::Code;
use cutover_process::{BACKOFF_CAP, EventKind, LEASE, MAX_ATTEMPTS, State};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What becomes of an account at which this point panics: it ends in an error after the last attempt, each counted at
/// its claim. What it had for neighbours is imported.
fn ends(house: &House, poison: &str, neighbours: &[&str], point: Point, each: EventKind) {
    fail::cfg(point.name(), &format!("return({poison}|panic)")).unwrap();
    house.create(poison);
    for attempt in 1..=MAX_ATTEMPTS {
        // A worker that is lost is one that panics here.
        let _ = catch_unwind(AssertUnwindSafe(|| house.worker.run_once()));
        assert_eq!(house.report(poison).attempt, attempt, "it counts at the claim");
        house.clock.advance(LEASE + Duration::seconds(1));
        house.app.sweep().unwrap();
        house.clock.advance(BACKOFF_CAP);
        if attempt == 1 {
            neighbours.iter().for_each(|number| house.create(number));
        }
    }
    fail::remove(point.name());
    let report = house.report(poison);
    assert_eq!((report.status.status, report.account), (State::Errored, None));
    let error = report.status.latest_error.map(|error| error.code);
    assert_eq!(error, Some(Code::ImportProcessRetriesExhausted.into()));
    let count = |kind| report.history.iter().filter(|entry| entry.event == kind).count();
    assert_eq!(count(EventKind::Claimed), MAX_ATTEMPTS as usize);
    assert_eq!((count(each), count(EventKind::RetriesExhausted)), (MAX_ATTEMPTS as usize - 1, 1));
    assert!(neighbours.iter().all(|number| house.state(number) == State::Processed));
}

/// Failure 5: given a payload that panics, then after eight attempts it is ERRORED with a cause.
#[test]
fn a_payload_that_panics_ends_in_an_error() {
    on_both(|house| ends(&house, "panics", &["A-1", "A-2"], Point::ImportBegun, EventKind::Failed));
}

/// Failure 5: the same of one whose worker is never heard of again.
#[test]
fn a_payload_that_loses_its_worker_ends_in_an_error() {
    on_both(|house| ends(&house, "loses", &[], Point::Claimed, EventKind::Released));
}
