//! Nodes whose stores fail at random, for simulations of one part of the service.

use chrono::{DateTime, Utc};
use cutover_app::port::{Clock, Random, Store, StoreError, Tx, WriteJob};
use cutover_app::worker::{Worker, WorkerMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Faults end once this is set.
pub(crate) type Calm = Arc<AtomicBool>;

/// Writes a job to the store, perhaps with a planted bug. The number, from 1 to 7, is drawn for each job.
type Bug = dyn Fn(&dyn Store, WriteJob, u64) -> Result<(), StoreError> + Send + Sync;

/// A store that fails, or commits and then fails, until it is calmed.
struct FlakyStore {
    store: Arc<dyn Store>,
    random: SeededRandom,
    is_calm: Calm,
    bug: Arc<Bug>,
}

impl FlakyStore {
    /// A number that decides on a fault.
    fn draw(&self) -> u64 {
        if self.is_calm.load(Ordering::SeqCst) { 7 } else { self.random.number() % 8 }
    }
}

fn failed() -> StoreError {
    StoreError::Unavailable("on purpose".into())
}

impl Store for FlakyStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        if self.draw() == 0 { Err(failed()) } else { self.store.read(job) }
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        match self.draw() {
            0 => Err(failed()),
            draw @ 1 => (self.bug)(&*self.store, job, draw).and(Err(failed())),
            draw => (self.bug)(&*self.store, job, draw),
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// Wraps the store of each node.
pub(crate) fn flaky(
    stores: Vec<Arc<dyn Store>>,
    seed: u64,
    is_calm: &Calm,
    bug: impl Fn(&dyn Store, WriteJob, u64) -> Result<(), StoreError> + Send + Sync + 'static,
) -> Vec<Arc<dyn Store>> {
    let bug: Arc<Bug> = Arc::new(bug);
    let wrap = |(n, store): (u64, _)| -> Arc<dyn Store> {
        let random = SeededRandom::new(seed ^ (8 + n));
        Arc::new(FlakyStore { store, random, is_calm: is_calm.clone(), bug: bug.clone() })
    };
    (0..).zip(stores).map(wrap).collect()
}

/// The use cases over each store; the seeds of their random numbers differ.
pub(crate) fn apps(stores: Vec<Arc<dyn Store>>, clock: &Arc<FakeClock>, seed: u64) -> Vec<Arc<App>> {
    (0_u64..).zip(stores).map(|(n, store)| app(store, clock, seed ^ (16 + n))).collect()
}

/// A worker for each node.
pub(crate) fn workers(apps: Vec<Arc<App>>) -> Vec<(Arc<App>, Worker)> {
    let worker = |(n, app): (u64, Arc<App>)| {
        (app.clone(), Worker::new(app, format!("w{n}"), Arc::<WorkerMetrics>::default(), Arc::default()))
    };
    (0..).zip(apps).map(worker).collect()
}

pub(crate) fn app(store: Arc<dyn Store>, clock: &Arc<FakeClock>, seed: u64) -> Arc<App> {
    let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::<FakeVendors>::default());
    let (webhooks, random) = (Arc::<FakeWebhooks>::default(), Arc::new(SeededRandom::new(seed)));
    let ports = Ports { store, clock: clock.clone(), random, documents, vendors, webhooks };
    Arc::new(App::new(ports, Settings::default()))
}

pub(crate) fn now(clock: &FakeClock) -> DateTime<Utc> {
    Clock::now(clock)
}

/// Number of the n-th account.
pub(crate) fn number(n: u64) -> String {
    format!("A-{n}")
}
