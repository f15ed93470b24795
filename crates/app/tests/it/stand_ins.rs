//! Ports that tests reach into.

use cutover_app::port::{
    Answer, Creation, DocumentState, Documents, DocumentsUnavailable, ListedProcess, PageLimit,
    ProcessFilter, Random, Staging, StagingDone, Store, StoreError, Tx, Verdict, WantedDocument, WriteJob,
    stage,
};
use cutover_process::State;
use cutover_testkit::SeededRandom;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

type LookUp = dyn Fn(&str) -> Result<(), DocumentsUnavailable> + Send + Sync;

/// Documents that are all there; a test says what else comes of looking one up.
pub(crate) struct Hooked(Mutex<Arc<LookUp>>);

impl Default for Hooked {
    fn default() -> Self {
        Self(Mutex::new(Arc::new(|_| Ok(()))))
    }
}

impl Hooked {
    /// Does this from now on, for each path.
    pub(crate) fn on_look_up(
        &self,
        hook: impl Fn(&str) -> Result<(), DocumentsUnavailable> + Send + Sync + 'static,
    ) {
        *lock(&self.0) = Arc::new(hook);
    }
}

impl Documents for Hooked {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn look_up<'a>(
        &'a self,
        _root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        let hook = lock(&self.0).clone();
        let state = |wanted: &WantedDocument| hook(&wanted.path).map(|()| DocumentState::Present);
        Box::pin(std::future::ready(wanted.iter().map(state).collect()))
    }
}

/// Randomness that draws each number so many times, one after another, and then the next.
pub(crate) struct Repeating {
    random: SeededRandom,
    draws: AtomicU64,
    times: u64,
}

impl Repeating {
    pub(crate) fn new(times: u64) -> Self {
        Self { random: SeededRandom::new(1), draws: AtomicU64::new(0), times }
    }
}

impl Random for Repeating {
    fn fill(&self, bytes: &mut [u8]) {
        self.random.fill(bytes);
    }

    fn number(&self) -> u64 {
        self.draws.fetch_add(1, Ordering::SeqCst) / self.times
    }
}

/// What a store is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Read,
    Glance,
    Write,
    /// To tell others of work.
    Tell,
}

/// A store that is watched, and that others tell of work.
pub(crate) struct Watched {
    store: Arc<dyn Store>,
    watch: Box<dyn Fn(Asked) + Send + Sync>,
    poll: Duration,
    refusal: Mutex<Option<StoreError>>,
    on_work: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Watched {
    /// `watch` is called before each of these.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        poll: Duration,
        watch: impl Fn(Asked) + Send + Sync + 'static,
    ) -> Self {
        Self { store, watch: Box::new(watch), poll, refusal: Mutex::default(), on_work: OnceLock::new() }
    }

    /// Refuses to write from now on.
    pub(crate) fn refuse(&self, error: StoreError) {
        *lock(&self.refusal) = Some(error);
    }

    /// Another process tells of work.
    pub(crate) fn tell(&self) {
        self.on_work.get().unwrap()();
    }
}

impl Store for Watched {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        (self.watch)(Asked::Read);
        self.store.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        (self.watch)(Asked::Glance);
        self.store.read_committed(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        (self.watch)(Asked::Write);
        let refusal = lock(&self.refusal).clone();
        refusal.map_or_else(|| self.store.write(job), Err)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.store.stage(creation, done);
    }

    fn notify_workers(&self) {
        (self.watch)(Asked::Tell);
    }

    fn on_work(&self, call: Box<dyn Fn() + Send + Sync>) {
        assert!(self.on_work.set(call).is_ok(), "there is one app");
    }

    fn poll(&self) -> Duration {
        self.poll
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A store whose commit of a new account is lost: it stages once more, and something happens in between.
pub(crate) struct Restaging {
    store: Arc<dyn Store>,
    between: Box<dyn Fn() + Send + Sync>,
}

impl Restaging {
    pub(crate) fn new(store: Arc<dyn Store>, between: impl Fn() + Send + Sync + 'static) -> Self {
        Self { store, between: Box::new(between) }
    }
}

impl Store for Restaging {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(job)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        match stage(&*self.store, creation.clone()) {
            Ok(Staging::Staged) => {
                (self.between)();
                self.store.stage(creation, done);
            }
            other => done(other),
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A store that panics when an account of `ACME` is imported.
pub(crate) struct Panicking {
    store: Arc<dyn Store>,
    number: &'static str,
    escapes: bool,
}

impl Panicking {
    /// `escapes`: whether the panic comes out of the store.
    pub(crate) fn new(store: Arc<dyn Store>, number: &'static str, escapes: bool) -> Self {
        Self { store, number, escapes }
    }
}

impl Store for Panicking {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let number = self.number;
        let written = self.store.write(Box::new(move |tx| {
            let verdict = job(tx);
            let supplier = tx.supplier(&"ACME".parse().unwrap()).unwrap();
            let stored = supplier.and_then(|s| tx.process(s.id, &number.parse().unwrap()).unwrap());
            let state = stored.map(|stored| stored.process.state());
            let is_imported = matches!(state, Some(State::Processed | State::DryRunSucceeded));
            assert!(!is_imported, "the store panics on purpose");
            verdict
        }));
        assert!(!self.escapes || !matches!(written, Err(StoreError::Failed(_))), "so does this");
        written
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.store.stage(creation, done);
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A store in which some commits take too long, and some reads.
pub(crate) struct Slow {
    store: Arc<dyn Store>,
    is_slow: Arc<SlowCommit>,
    on_slow: Box<dyn Fn() + Send + Sync>,
    slow_glances: AtomicU64,
}

/// Whether a commit takes too long that ends the imports of these accounts of `ACME`.
type SlowCommit = dyn Fn(&[String]) -> bool + Send + Sync;

impl Slow {
    /// `on_slow` is called after each commit that took too long.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        is_slow: impl Fn(&[String]) -> bool + Send + Sync + 'static,
        on_slow: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            store,
            is_slow: Arc::new(is_slow),
            on_slow: Box::new(on_slow),
            slow_glances: AtomicU64::new(0),
        }
    }

    /// The next glances take too long, this many of them.
    pub(crate) fn slow_glances(&self, glances: u64) {
        self.slow_glances.store(glances, Ordering::SeqCst);
    }
}

/// The accounts of `ACME` that are imported or rehearsed.
fn ended(tx: &mut dyn Tx) -> Vec<String> {
    let Some(supplier) = tx.supplier(&"ACME".parse().unwrap()).unwrap() else { return Vec::new() };
    let of =
        |state| tx.list_processes(supplier.id, ProcessFilter::of(state), None, PageLimit::of(1_000)).unwrap();
    let listed = [State::Processed, State::DryRunSucceeded].map(of);
    let number = |listed: ListedProcess| listed.process.snapshot().external_account_number.to_string();
    listed.into_iter().flat_map(|page| page.processes).map(number).collect()
}

fn busy() -> StoreError {
    StoreError::Busy("on purpose".into())
}

impl Store for Slow {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let slow = self.slow_glances.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if slow.is_ok() { Err(busy()) } else { self.store.read_committed(job) }
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let is_slow = self.is_slow.clone();
        let (tell, told) = mpsc::sync_channel(1);
        let written = self.store.write(Box::new(move |tx| {
            let before = ended(tx);
            let verdict = job(tx);
            let ended: Vec<_> = ended(tx).into_iter().filter(|number| !before.contains(number)).collect();
            if !ended.is_empty() && is_slow(&ended) {
                tell.send(()).unwrap();
                return Verdict::Rollback;
            }
            verdict
        }));
        if told.try_recv().is_err() {
            return written;
        }
        (self.on_slow)();
        Err(busy())
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.store.stage(creation, done);
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
