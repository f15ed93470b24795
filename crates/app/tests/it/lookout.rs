//! Workers that wait for work: told of it, or looking out for it.

use crate::house::House;
use crate::stand_ins::{Asked, Hooked, Watched};
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::SupplierChange;
use cutover_app::worker::Worker;
use cutover_process::State;
use cutover_testkit::FakeClock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time;

/// Longer than any test: what waits so long was not called.
const EVER: time::Duration = time::Duration::from_secs(3_600);
const EMPTY: &str = r#""unknown_occupier":true"#;

/// Waits for something that happens on another thread.
fn hear<T>(told: &Receiver<T>) -> T {
    told.recv_timeout(time::Duration::from_secs(60)).unwrap()
}

/// A house whose store is watched once it stands.
struct Watchtower {
    house: House,
    store: Arc<Watched>,
    documents: Arc<Hooked>,
}

impl Watchtower {
    /// `watch` hears what the store is asked, and how often it was asked the same before.
    fn new(poll: time::Duration, watch: impl Fn(Asked, usize, &FakeClock) + Send + Sync + 'static) -> Self {
        let (stands, given) = (Arc::<AtomicBool>::default(), OnceLock::new());
        let clock = Arc::<OnceLock<Arc<FakeClock>>>::default();
        let documents = Arc::<Hooked>::default();
        let house = House::on(|ports| {
            let (stands, clock, asked) = (stands.clone(), clock.clone(), <[AtomicUsize; 4]>::default());
            let store = Watched::new(ports.store, poll, move |what| {
                if stands.load(Ordering::SeqCst) {
                    let before = asked[what as usize].fetch_add(1, Ordering::SeqCst);
                    watch(what, before, clock.get().unwrap());
                }
            });
            let store = given.get_or_init(|| Arc::new(store)).clone();
            Ports { store, documents: documents.clone(), ..ports }
        });
        assert!(clock.set(house.clock.clone()).is_ok());
        stands.store(true, Ordering::SeqCst);
        Self { store: given.into_inner().unwrap(), house, documents }
    }

    /// Starts workers; what tells that one has ended.
    fn start(&self, count: usize, run: fn(&Worker)) -> Receiver<()> {
        let (done, is_done) = channel();
        for n in 0..count {
            let (worker, done) = (self.house.another_worker(&format!("w{n}")), done.clone());
            thread::spawn(move || {
                run(&worker);
                // The test may have failed meanwhile.
                let _ = done.send(());
            });
        }
        is_done
    }

    fn stop(&self) {
        self.house.stop.store(true, Ordering::Release);
        self.house.app.wake().call();
    }

    /// An account that is due so many minutes later.
    fn create_for(&self, minutes: u32, number: &str, members: &str) {
        let params = format!(r#"{{"schedule_window_start":"2026-11-21T02:{minutes:02}:00Z"}}"#);
        self.house.create_with(&params, number, members);
    }
}

#[test]
fn of_those_who_wait_one_looks_out() {
    let ((looks, is_looking), (go, may_go)) = (channel(), channel::<()>());
    let (glances, may_go) = (Arc::<AtomicUsize>::default(), Mutex::new(may_go));
    let counted = glances.clone();
    let tower = Watchtower::new(EVER, move |what, before, _| {
        if what == Asked::Glance {
            counted.fetch_add(1, Ordering::SeqCst);
            if before == 0 {
                looks.send(()).unwrap();
                // It goes on as well when the test has failed.
                let _ = may_go.lock().unwrap().recv();
            }
        }
    });
    let done = tower.start(4, Worker::run);
    hear(&is_looking);
    // While one looks out, the others come to wait and end without looking.
    tower.stop();
    (0..3).for_each(|_| hear(&done));
    go.send(()).unwrap();
    hear(&done);
    assert_eq!(glances.load(Ordering::SeqCst), 1);
}

#[test]
fn what_falls_due_is_taken_up_by_who_looks_out() {
    let (wrote, has_written) = channel();
    let tower = Watchtower::new(time::Duration::from_millis(10), move |what, before, clock| match what {
        // It was not due at the first look, nor at the second.
        Asked::Glance if before == 2 => clock.advance(Duration::minutes(1)),
        // A claim of nothing, the claim, the import.
        Asked::Write => wrote.send(before).unwrap(),
        _ => {}
    });
    tower.create_for(1, "A-1", EMPTY);
    let done = tower.start(1, Worker::run);
    (0..3).for_each(|n| assert_eq!(hear(&has_written), n));
    tower.stop();
    hear(&done);
    assert_eq!(tower.house.state_of("A-1"), State::Processed);
}

#[test]
fn while_one_works_another_looks_out() {
    let tower = Watchtower::new(time::Duration::from_millis(10), |what, before, clock| {
        if what == Asked::Glance && before == 2 {
            clock.advance(Duration::minutes(1));
        }
    });
    for (minutes, path) in [(1, "slow"), (2, "fast")] {
        let note = format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"{path}"}}]}}]"#);
        tower.create_for(minutes, path, &note);
    }
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    tower.house.app.set_supplier("ACME", change).unwrap();
    let ((begun, has_begun), (go, may_go)) = (channel(), channel::<()>());
    let may_go = Mutex::new(may_go);
    tower.documents.on_look_up(move |path| {
        begun.send(path.to_owned()).unwrap();
        if path == "slow" {
            let _ = may_go.lock().unwrap().recv();
        }
        Ok(())
    });
    let done = tower.start(2, Worker::run);
    assert_eq!(hear(&has_begun), "slow");
    tower.house.clock.advance(Duration::minutes(1));
    assert_eq!(hear(&has_begun), "fast");
    go.send(()).unwrap();
    tower.stop();
    (0..2).for_each(|_| hear(&done));
    assert_eq!(["slow", "fast"].map(|number| tower.house.state_of(number)), [State::Processed; 2]);
}

#[test]
fn what_another_process_tells_of_is_taken_up() {
    let ((looks, is_looking), (wrote, has_written)) = (channel(), channel());
    let tower = Watchtower::new(EVER, move |what, before, _| match what {
        Asked::Glance if before == 0 => looks.send(()).unwrap(),
        Asked::Write => wrote.send(before).unwrap(),
        _ => {}
    });
    let done = tower.start(1, Worker::run);
    hear(&is_looking);
    crate::batch::stage(&tower.house, "A-1", EMPTY);
    tower.store.tell();
    (0..3).for_each(|n| assert_eq!(hear(&has_written), n));
    tower.stop();
    hear(&done);
    assert_eq!(tower.house.state_of("A-1"), State::Processed);
}

#[test]
fn other_processes_are_told_of_work() {
    let told = Arc::<AtomicUsize>::default();
    let counted = told.clone();
    let tower = Watchtower::new(EVER, move |what, _, _| {
        if what == Asked::Tell {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let app = &tower.house.app;
    let told = || told.swap(0, Ordering::SeqCst);
    tower.house.create(EMPTY);
    assert_eq!(told(), 1);
    app.cancel_process("ACME", "A-1").unwrap();
    told();
    app.retry_process("ACME", "A-1").unwrap();
    assert_eq!(told(), 1);
    app.set_supplier("ACME", SupplierChange::default()).unwrap();
    assert_eq!(told(), 1);
}

#[test]
fn a_sweeper_releases_and_cleans_until_it_is_stopped() {
    let (wrote, has_written) = channel();
    let tower = Watchtower::new(EVER, move |what, before, _| {
        if what == Asked::Write {
            wrote.send(before).unwrap();
        }
    });
    let house = &tower.house;
    crate::worker::claim(house, "A-1");
    assert_eq!(hear(&has_written), 0);
    house.clock.advance(Duration::days(8));
    let done = tower.start(1, Worker::run_sweeper);
    // The release, and the removal.
    (1..=2).for_each(|n| assert_eq!(hear(&has_written), n));
    tower.stop();
    hear(&done);
    assert_eq!(house.metrics.released.load(Ordering::Relaxed), 1);
    assert_eq!(house.state_of("A-1"), State::Pending);
    assert_eq!(crate::worker::remove_tokens(house), 0);
}
