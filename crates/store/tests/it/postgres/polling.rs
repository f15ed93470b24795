//! Whoever asks for what was modified since, while imports commit in another order than they were dated in.

use super::house::House;
use chrono::{DateTime, Duration, Utc};
use cutover_app::account::{AccountFilter, AccountStatus};
use cutover_app::fault::Point;
use cutover_app::port::Clock;
use cutover_app::worker::{Worked, Worker};
use cutover_core::Zone;
use cutover_model::DateTime as Sent;
use cutover_process::{LEASE, State};
use cutover_testkit::create_account;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

/// By how much a poller is told to go back: `docs/guide/supplier.md`.
const OVERLAP: Duration = Duration::minutes(1);

/// Asks again and again from a little before the newest time that it has seen.
#[derive(Default)]
struct Poller {
    newest: Option<DateTime<Utc>>,
    imported: BTreeSet<String>,
}

impl Poller {
    fn poll(&mut self, house: &House) {
        let found = modified_after(house, self.newest.map(|newest| newest - OVERLAP));
        self.newest = self.newest.max(found.iter().map(|(.., at)| *at).max());
        let imported = found.into_iter().filter(|(_, state, _)| *state == State::Processed);
        self.imported.extend(imported.map(|(number, ..)| number));
    }
}

/// The accounts whose last step was later.
fn modified_after(house: &House, at: Option<DateTime<Utc>>) -> Vec<(String, State, DateTime<Utc>)> {
    let filter =
        AccountFilter { modified_after: at.map(|at| Sent::at(at, Zone::UTC)), ..AccountFilter::default() };
    let found = house.app.find_accounts(&house.caller, "ACME", &filter, None, 100).unwrap().unwrap();
    let account = |AccountStatus { number, status, .. }| (number, status.status, status.modified_at.to_utc());
    found.accounts.into_iter().map(account).collect()
}

fn create(house: &House, number: &str) {
    let body = format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
    );
    let created = create_account(&house.app, &house.caller, None, body.as_bytes());
    created.unwrap();
}

fn turn(house: &House, worker: &str) {
    let worker = Worker::new(house.app.clone(), worker.into(), Arc::default(), Arc::default());
    assert_eq!(worker.run_once(), Ok(Worked::Processes(1)));
}

/// A worker imports an account; when it reaches a point of it, something else happens first.
fn import_until(house: &House, number: &str, point: Point, then: impl FnOnce() + Send + 'static) {
    create(house, number);
    let (own, then) = (thread::current().id(), Mutex::new(Some(then)));
    let act = move || {
        // Other tests reach it too, and the other worker does.
        let then = if thread::current().id() == own { then.lock().unwrap().take() } else { None };
        // As in another process: this thread is in the middle of a transaction.
        if let Some(then) = then {
            thread::spawn(then).join().unwrap();
        }
    };
    fail::cfg_callback(point.name(), act).unwrap();
    turn(house, "w1");
    fail::remove(point.name());
}

/// Given two workers of which one is held up before or after it has dated its import, then a poller that goes back by the
/// documented overlap sees every import.
#[test]
fn a_poller_with_the_documented_overlap_sees_every_import() {
    let Some(house) = House::new() else { return };
    let (house, poller) = (Arc::new(house), Arc::new(Mutex::new(Poller::default())));
    // The clock goes on, another worker imports an account, and the poller sees that.
    let overtaken = |by: Duration, number: &'static str| {
        let (house, poller) = (house.clone(), poller.clone());
        move || {
            house.clock.advance(by);
            create(&house, number);
            turn(&house, "w2");
            poller.lock().unwrap().poll(&house);
            assert!(poller.lock().unwrap().imported.contains(number));
        }
    };
    let modified = |number: &str| {
        let all = modified_after(&house, None);
        all.into_iter().find(|(other, ..)| other == number).unwrap().2
    };
    let sees = |number: &str| {
        let mut poller = poller.lock().unwrap();
        poller.poll(&house);
        poller.imported.contains(number)
    };

    // Held up while it is prepared, it is dated afterwards.
    import_until(&house, "A-1", Point::ImportReady, overtaken(Duration::seconds(20), "B-1"));
    assert!(modified("A-1") >= modified("B-1"));
    assert!(sees("A-1"));

    // Held up in its transaction, it comes to light behind what was dated later.
    import_until(&house, "A-2", Point::ImportWritten, overtaken(LEASE, "B-2"));
    assert_eq!(modified("A-2"), modified("B-2") - LEASE);
    let newest = poller.lock().unwrap().newest;
    assert!(modified_after(&house, newest).is_empty(), "without an overlap it is missed");
    assert!(sees("A-2"));

    // Held up for longer than any overlap, it is not committed as it was dated.
    import_until(&house, "A-3", Point::ImportWritten, overtaken(OVERLAP * 2, "B-3"));
    assert!(!sees("A-3"));
    house.clock.advance(Duration::seconds(2));
    let dated = house.clock.now();
    turn(&house, "w1");
    assert_eq!(modified("A-3"), dated);
    assert!(sees("A-3"));
}
