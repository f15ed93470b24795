//! Workers that wait for work: told of it, or looking out for it.

use crate::house::{House, ports};
use crate::stand_ins::{Asked, Hooked, Watched};
use chrono::Duration;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Store, StoreError, Tx, WriteJob};
use cutover_app::worker::Worker;
use cutover_app::{App, Ports, Settings};
use cutover_process::State;
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{FakeClock, SeededRandom};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
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
        self.house.app.wake().notify_all();
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
    let (claims, has_claimed) = channel();
    let (glances, may_go) = (Arc::<AtomicUsize>::default(), Mutex::new(may_go));
    let counted = glances.clone();
    let tower = Watchtower::new(EVER, move |what, _, _| {
        if what == Asked::Write {
            claims.send(()).unwrap();
        } else if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            looks.send(()).unwrap();
            // It goes on as well when the test has failed.
            let _ = may_go.lock().unwrap().recv();
        }
    });
    let done = tower.start(4, Worker::run);
    hear(&is_looking);
    (0..4).for_each(|_| hear(&has_claimed));
    // While one looks out, the others found nothing, come to wait, and end without looking.
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

/// However long they wait who do not look out.
#[test]
fn when_who_looks_out_goes_to_work_another_looks_out_at_once() {
    let ((looks, has_looked), (claims, has_claimed)) = (channel(), channel());
    let ((go, may_go), (end, may_end)) = (channel::<()>(), channel::<()>());
    let (may_go, may_end) = (Mutex::new(may_go), Mutex::new(may_end));
    let (are_working, glances) = (Arc::<AtomicBool>::default(), AtomicUsize::new(0));
    let work = are_working.clone();
    let tower = Watchtower::new(EVER, move |what, _, clock| {
        if !work.load(Ordering::SeqCst) {
            return;
        }
        match what {
            Asked::Write => claims.send(()).unwrap(),
            Asked::Glance => {
                let before = glances.fetch_add(1, Ordering::SeqCst);
                looks.send(before).unwrap();
                match before {
                    // The other finds nothing, and waits.
                    0 => drop(may_go.lock().unwrap().recv()),
                    1 => clock.advance(Duration::seconds(1)),
                    _ => {}
                }
            }
            _ => {}
        }
    });
    let note = format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"slow"}}]}}]"#);
    tower.house.create_with(r#"{"schedule_window_start":"2026-11-21T02:00:01Z"}"#, "A-1", &note);
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    tower.house.app.set_supplier("ACME", change).unwrap();
    tower.documents.on_look_up(move |_| {
        let _ = may_end.lock().unwrap().recv();
        Ok(())
    });
    are_working.store(true, Ordering::SeqCst);
    let done = tower.start(2, Worker::run);
    (0..2).for_each(|_| hear(&has_claimed));
    go.send(()).unwrap();
    // Two of who looks out first, one for payloads, one of who looks out then.
    (0..4).for_each(|n| assert_eq!(hear(&has_looked), n));
    tower.stop();
    end.send(()).unwrap();
    (0..2).for_each(|_| hear(&done));
}

/// A store in which something is due for who looks, and nothing for who claims.
struct Withheld {
    seen: Arc<dyn Store>,
    claimed: MemoryStore,
    writes: Mutex<Sender<()>>,
}

impl Store for Withheld {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.seen.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.writes.lock().unwrap().send(()).unwrap();
        self.claimed.write(job)
    }

    fn poll(&self) -> time::Duration {
        EVER
    }

    fn ping(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_claimed_is_asked_for_less_and_less_often() {
    let house = House::new();
    house.create(EMPTY);
    let (writes, has_written) = channel();
    let store =
        Withheld { seen: house.store.clone(), claimed: MemoryStore::default(), writes: Mutex::new(writes) };
    let random = Arc::new(SeededRandom::new(1));
    let ports = Ports { store: Arc::new(store), ..ports(Arc::default(), house.clock.clone(), random) };
    let app = Arc::new(App::new(ports, Settings::default()));
    let worker = Worker::new(app.clone(), "w1".into(), Arc::default(), house.stop.clone());
    let begun = time::Instant::now();
    let ended = thread::spawn(move || worker.run());
    (0..7).for_each(|_| hear(&has_written));
    // 5 ms, 10, 20, 40, 80 and 160 lie between.
    assert!(begun.elapsed() >= time::Duration::from_millis(315), "{:?}", begun.elapsed());
    house.stop.store(true, Ordering::Release);
    app.wake().notify_all();
    ended.join().unwrap();
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
    // Of new accounts the store tells by itself.
    tower.house.create(EMPTY);
    assert_eq!(told(), 0);
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
