//! Idle workers: notifications, polling and handover.

use crate::env::{TestEnv, ports};
use crate::test_doubles::{HookedDocuments, StoreCall, WatchedStore};
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

/// Longer than any test runs: a wait of this length never ends by itself.
const EVER: time::Duration = time::Duration::from_secs(3_600);
const EMPTY: &str = r#""unknown_occupier":true"#;

/// Receives a message from another thread.
fn receive<T>(messages: &Receiver<T>) -> T {
    cutover_testkit_machine::receive("a message", messages)
}

/// An environment whose store reports its calls, once set up.
struct WatchedEnv {
    env: TestEnv,
    store: Arc<WatchedStore>,
    documents: Arc<HookedDocuments>,
}

impl WatchedEnv {
    /// Calls `watch` with each call of the store and the number of earlier calls of that kind.
    fn new(
        poll: time::Duration,
        watch: impl Fn(StoreCall, usize, &FakeClock) + Send + Sync + 'static,
    ) -> Self {
        let (is_set_up, given) = (Arc::<AtomicBool>::default(), OnceLock::new());
        let clock = Arc::<OnceLock<Arc<FakeClock>>>::default();
        let documents = Arc::<HookedDocuments>::default();
        let env = TestEnv::on(|ports| {
            let (is_set_up, clock, calls) = (is_set_up.clone(), clock.clone(), <[AtomicUsize; 4]>::default());
            let store = WatchedStore::new(ports.store, poll, move |what| {
                if is_set_up.load(Ordering::SeqCst) {
                    let before = calls[what as usize].fetch_add(1, Ordering::SeqCst);
                    watch(what, before, clock.get().unwrap());
                }
            });
            let store = given.get_or_init(|| Arc::new(store)).clone();
            Ports { store, documents: documents.clone(), ..ports }
        });
        assert!(clock.set(env.clock.clone()).is_ok());
        is_set_up.store(true, Ordering::SeqCst);
        Self { store: given.into_inner().unwrap(), env, documents }
    }

    /// Starts workers, and returns a channel that gets a message when one ends.
    fn start(&self, count: usize, run: fn(&Worker)) -> Receiver<()> {
        let (done, is_done) = channel();
        for n in 0..count {
            let (worker, done) = (self.env.another_worker(&format!("w{n}")), done.clone());
            thread::spawn(move || {
                run(&worker);
                // The receiver is gone if the test has failed.
                let _ = done.send(());
            });
        }
        is_done
    }

    fn stop(&self) {
        self.env.stop.store(true, Ordering::Release);
        self.env.app.wake().notify_all();
    }

    /// Creates an account that is due in `minutes` minutes.
    fn create_for(&self, minutes: u32, number: &str, members: &str) {
        let params = format!(r#"{{"schedule_window_start":"2026-11-21T02:{minutes:02}:00Z"}}"#);
        self.env.create_with(&params, number, members);
    }
}

#[test]
fn one_of_the_waiting_workers_polls() {
    let ((looks, is_looking), (go, may_go)) = (channel(), channel::<()>());
    let (claims, has_claimed) = channel();
    let (reads, may_go) = (Arc::<AtomicUsize>::default(), Mutex::new(may_go));
    let counted = reads.clone();
    let watched = WatchedEnv::new(EVER, move |what, _, _| {
        if what == StoreCall::Write {
            claims.send(()).unwrap();
        } else if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            looks.send(()).unwrap();
            // Also returns if the test has failed.
            let _ = may_go.lock().unwrap().recv();
        }
    });
    let done = watched.start(4, Worker::run);
    receive(&is_looking);
    (0..4).for_each(|_| receive(&has_claimed));
    // While one polls, the others wait, and end without polling.
    watched.stop();
    (0..3).for_each(|_| receive(&done));
    go.send(()).unwrap();
    receive(&done);
    assert_eq!(reads.load(Ordering::SeqCst), 1);
}

#[test]
fn the_polling_worker_imports_due_accounts() {
    let (wrote, has_written) = channel();
    let watched = WatchedEnv::new(time::Duration::from_millis(10), move |what, before, clock| match what {
        // The account becomes due at the third poll.
        StoreCall::ReadCommitted if before == 2 => clock.advance(Duration::minutes(1)),
        // An empty claim, the claim, the import.
        StoreCall::Write => wrote.send(before).unwrap(),
        _ => {}
    });
    watched.create_for(1, "A-1", EMPTY);
    let done = watched.start(1, Worker::run);
    (0..3).for_each(|n| assert_eq!(receive(&has_written), n));
    watched.stop();
    receive(&done);
    assert_eq!(watched.env.state_of("A-1"), State::Processed);
}

#[test]
fn another_worker_polls_while_one_works() {
    let watched = WatchedEnv::new(time::Duration::from_millis(10), |what, before, clock| {
        if what == StoreCall::ReadCommitted && before == 2 {
            clock.advance(Duration::minutes(1));
        }
    });
    for (minutes, path) in [(1, "slow"), (2, "fast")] {
        let note = format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"{path}"}}]}}]"#);
        watched.create_for(minutes, path, &note);
    }
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    watched.env.app.as_command().set_supplier("ACME", change).unwrap();
    let ((begun, has_begun), (go, may_go)) = (channel(), channel::<()>());
    let may_go = Mutex::new(may_go);
    watched.documents.on_look_up(move |path| {
        begun.send(path.to_owned()).unwrap();
        if path == "slow" {
            let _ = may_go.lock().unwrap().recv();
        }
        Ok(())
    });
    let done = watched.start(2, Worker::run);
    assert_eq!(receive(&has_begun), "slow");
    watched.env.clock.advance(Duration::minutes(1));
    assert_eq!(receive(&has_begun), "fast");
    go.send(()).unwrap();
    watched.stop();
    (0..2).for_each(|_| receive(&done));
    assert_eq!(["slow", "fast"].map(|number| watched.env.state_of(number)), [State::Processed; 2]);
}

/// The interval of polling is infinite: only the handover can wake the other worker.
#[test]
fn a_worker_hands_polling_over_when_it_begins_to_work() {
    let ((looks, has_looked), (claims, has_claimed)) = (channel(), channel());
    let ((go, may_go), (end, may_end)) = (channel::<()>(), channel::<()>());
    let (may_go, may_end) = (Mutex::new(may_go), Mutex::new(may_end));
    let (are_working, reads) = (Arc::<AtomicBool>::default(), AtomicUsize::new(0));
    let work = are_working.clone();
    let watched = WatchedEnv::new(EVER, move |what, _, clock| {
        if !work.load(Ordering::SeqCst) {
            return;
        }
        match what {
            StoreCall::Write => claims.send(()).unwrap(),
            StoreCall::ReadCommitted => {
                let before = reads.fetch_add(1, Ordering::SeqCst);
                looks.send(before).unwrap();
                match before {
                    // The other worker finds nothing and waits.
                    0 => drop(may_go.lock().unwrap().recv()),
                    1 => clock.advance(Duration::seconds(1)),
                    _ => {}
                }
            }
            _ => {}
        }
    });
    let note = format!(r#"{EMPTY},"notes":[{{"document_paths":[{{"document_path":"slow"}}]}}]"#);
    watched.env.create_with(r#"{"schedule_window_start":"2026-11-21T02:00:01Z"}"#, "A-1", &note);
    let change = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    watched.env.app.as_command().set_supplier("ACME", change).unwrap();
    watched.documents.on_look_up(move |_| {
        let _ = may_end.lock().unwrap().recv();
        Ok(())
    });
    are_working.store(true, Ordering::SeqCst);
    let done = watched.start(2, Worker::run);
    (0..2).for_each(|_| receive(&has_claimed));
    go.send(()).unwrap();
    // Two polls of the first worker, one read of payloads, and one poll of the second worker.
    (0..4).for_each(|n| assert_eq!(receive(&has_looked), n));
    watched.stop();
    end.send(()).unwrap();
    (0..2).for_each(|_| receive(&done));
}

/// A store that shows a due account to polls and hides it from claims.
struct WithheldStore {
    seen: Arc<dyn Store>,
    claimed: MemoryStore,
    writes: Mutex<Sender<()>>,
}

impl Store for WithheldStore {
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
fn polling_backs_off_if_due_accounts_cannot_be_claimed() {
    let env = TestEnv::new();
    env.create(EMPTY);
    let (writes, has_written) = channel();
    let store = WithheldStore {
        seen: env.store.clone(),
        claimed: MemoryStore::default(),
        writes: Mutex::new(writes),
    };
    let random = Arc::new(SeededRandom::new(1));
    let ports = Ports { store: Arc::new(store), ..ports(Arc::default(), env.clock.clone(), random) };
    let app = Arc::new(App::new(ports, Settings::default()));
    let worker = Worker::new(app.clone(), "w1".into(), Arc::default(), env.stop.clone());
    let begun = time::Instant::now();
    let ended = thread::spawn(move || worker.run());
    (0..7).for_each(|_| receive(&has_written));
    // The waits are 5, 10, 20, 40, 80 and 160 ms.
    assert!(begun.elapsed() >= time::Duration::from_millis(315), "{:?}", begun.elapsed());
    env.stop.store(true, Ordering::Release);
    app.wake().notify_all();
    ended.join().unwrap();
}

#[test]
fn a_notification_of_another_process_starts_an_import() {
    let ((looks, is_looking), (wrote, has_written)) = (channel(), channel());
    let watched = WatchedEnv::new(EVER, move |what, before, _| match what {
        StoreCall::ReadCommitted if before == 0 => looks.send(()).unwrap(),
        StoreCall::Write => wrote.send(before).unwrap(),
        _ => {}
    });
    let done = watched.start(1, Worker::run);
    receive(&is_looking);
    crate::batch::stage(&watched.env, "A-1", EMPTY);
    watched.store.notify();
    (0..3).for_each(|n| assert_eq!(receive(&has_written), n));
    watched.stop();
    receive(&done);
    assert_eq!(watched.env.state_of("A-1"), State::Processed);
}

#[test]
fn other_processes_are_notified_of_work() {
    let notifications = Arc::<AtomicUsize>::default();
    let counted = notifications.clone();
    let watched = WatchedEnv::new(EVER, move |what, _, _| {
        if what == StoreCall::Notify {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let app = &watched.env.app;
    let notified = || notifications.swap(0, Ordering::SeqCst);
    // The store itself notifies of new accounts.
    watched.env.create(EMPTY);
    assert_eq!(notified(), 0);
    app.as_command().cancel_process("ACME", "A-1").unwrap();
    notified();
    app.as_command().retry_process("ACME", "A-1").unwrap();
    assert_eq!(notified(), 1);
    app.as_command().set_supplier("ACME", SupplierChange::default()).unwrap();
    assert_eq!(notified(), 1);
}

#[test]
fn a_sweeper_releases_and_cleans_until_it_is_stopped() {
    let (wrote, has_written) = channel();
    let watched = WatchedEnv::new(EVER, move |what, before, _| {
        if what == StoreCall::Write {
            wrote.send(before).unwrap();
        }
    });
    let env = &watched.env;
    crate::worker::claim(env, "A-1");
    assert_eq!(receive(&has_written), 0);
    env.clock.advance(Duration::days(8));
    let done = watched.start(1, Worker::run_sweeper);
    // The release and the cleaning.
    (1..=2).for_each(|n| assert_eq!(receive(&has_written), n));
    watched.stop();
    receive(&done);
    assert_eq!(env.metrics.released.load(Ordering::Relaxed), 1);
    assert_eq!(env.state_of("A-1"), State::Pending);
    assert_eq!(crate::worker::remove_tokens(env), 0);
}
