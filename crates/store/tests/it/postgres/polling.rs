//! Polling for modified accounts while imports commit in another order than that of their times.

use super::environment::TestEnvironment;
use chrono::{DateTime, Duration, Utc};
use cutover_app::account::{AccountFilter, AccountStatus};
use cutover_app::fault::Point;
use cutover_app::port::Clock;
use cutover_app::worker::{Worked, Worker};
use cutover_core::Zone;
use cutover_model::DateTime as Sent;
use cutover_process::{LEASE, State};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

/// Overlap that the documentation tells pollers to use (`docs/guide/supplier.md`).
const OVERLAP: Duration = Duration::minutes(1);

/// Polls from the newest time that it has seen, less the overlap.
#[derive(Default)]
struct Poller {
    newest: Option<DateTime<Utc>>,
    imported: BTreeSet<String>,
}

impl Poller {
    fn poll(&mut self, env: &TestEnvironment) {
        let accounts = modified_after(env, self.newest.map(|newest| newest - OVERLAP));
        self.newest = self.newest.max(accounts.iter().map(|(.., at)| *at).max());
        let imported = accounts.into_iter().filter(|(_, state, _)| *state == State::Processed);
        self.imported.extend(imported.map(|(number, ..)| number));
    }
}

/// Returns the accounts whose last step is after a time.
fn modified_after(env: &TestEnvironment, at: Option<DateTime<Utc>>) -> Vec<(String, State, DateTime<Utc>)> {
    let filter =
        AccountFilter { modified_after: at.map(|at| Sent::at(at, Zone::UTC)), ..AccountFilter::default() };
    let page = env.app.find_accounts(&env.caller, "ACME", &filter, None, 100).unwrap().unwrap();
    let account =
        |AccountStatus { number, status, .. }| (number, status.status, status.modified_at.0.to_utc());
    page.accounts.into_iter().map(account).collect()
}

fn run_worker(env: &TestEnvironment, worker: &str) {
    let worker = Worker::new(env.app.clone(), worker.into(), Arc::default(), Arc::default());
    assert_eq!(worker.run_once(), Ok(Worked::Processes(1)));
}

/// Imports an account and calls a function when the import reaches a point.
fn import_until(env: &TestEnvironment, number: &str, point: Point, then: impl FnOnce() + Send + 'static) {
    env.create(number);
    let (own, then) = (thread::current().id(), Mutex::new(Some(then)));
    let act = move || {
        // Other tests and the other worker reach the point too.
        let then = if thread::current().id() == own { then.lock().unwrap().take() } else { None };
        // In another thread, because this one is within a transaction.
        if let Some(then) = then {
            thread::spawn(then).join().unwrap();
        }
    };
    fail::cfg_callback(point.name(), act).unwrap();
    run_worker(env, "w1");
    fail::remove(point.name());
}

/// Given two workers of which one is delayed before or after it has set the time of its import, then a poller
/// with the documented overlap sees every import.
#[test]
fn a_poller_with_the_documented_overlap_sees_every_import() {
    let Some(env) = TestEnvironment::new() else { return };
    let (env, poller) = (Arc::new(env), Arc::new(Mutex::new(Poller::default())));
    // The clock advances, another worker imports an account, and the poller sees it.
    let overtaken = |by: Duration, number: &'static str| {
        let (env, poller) = (env.clone(), poller.clone());
        move || {
            env.clock.advance(by);
            env.create(number);
            run_worker(&env, "w2");
            poller.lock().unwrap().poll(&env);
            assert!(poller.lock().unwrap().imported.contains(number));
        }
    };
    let modified = |number: &str| {
        let all = modified_after(&env, None);
        all.into_iter().find(|(other, ..)| other == number).unwrap().2
    };
    let sees = |number: &str| {
        let mut poller = poller.lock().unwrap();
        poller.poll(&env);
        poller.imported.contains(number)
    };

    // An import that is delayed in its preparation gets its time afterwards.
    import_until(&env, "A-1", Point::ImportReady, overtaken(Duration::seconds(20), "B-1"));
    assert!(modified("A-1") >= modified("B-1"));
    assert!(sees("A-1"));

    // An import that is delayed in its transaction becomes visible after one with a later time.
    import_until(&env, "A-2", Point::ImportWritten, overtaken(LEASE, "B-2"));
    assert_eq!(modified("A-2"), modified("B-2") - LEASE);
    let newest = poller.lock().unwrap().newest;
    assert!(modified_after(&env, newest).is_empty(), "without an overlap it is missed");
    assert!(sees("A-2"));

    // An import that is delayed for longer than the overlap is not committed with its time.
    import_until(&env, "A-3", Point::ImportWritten, overtaken(OVERLAP * 2, "B-3"));
    assert!(!sees("A-3"));
    env.clock.advance(Duration::seconds(2));
    let dated = env.clock.now();
    run_worker(&env, "w1");
    assert_eq!(modified("A-3"), dated);
    assert!(sees("A-3"));
}
