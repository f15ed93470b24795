//! Test doubles of ports.

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

/// Documents that all exist, with a hook that is called for each lookup.
pub(crate) struct HookedDocuments(Mutex<Arc<LookUp>>);

impl Default for HookedDocuments {
    fn default() -> Self {
        Self(Mutex::new(Arc::new(|_| Ok(()))))
    }
}

impl HookedDocuments {
    /// Sets the hook, which is called with each path.
    pub(crate) fn on_look_up(
        &self,
        hook: impl Fn(&str) -> Result<(), DocumentsUnavailable> + Send + Sync + 'static,
    ) {
        *lock(&self.0) = Arc::new(hook);
    }
}

impl Documents for HookedDocuments {
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

/// Randomness that returns each number `times` times in a row.
pub(crate) struct RepeatingRandom {
    random: SeededRandom,
    draws: AtomicU64,
    times: u64,
}

impl RepeatingRandom {
    pub(crate) fn new(times: u64) -> Self {
        Self { random: SeededRandom::new(1), draws: AtomicU64::new(0), times }
    }
}

impl Random for RepeatingRandom {
    fn fill(&self, bytes: &mut [u8]) {
        self.random.fill(bytes);
    }

    fn number(&self) -> u64 {
        self.draws.fetch_add(1, Ordering::SeqCst) / self.times
    }
}

/// A call of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreCall {
    Read,
    ReadCommitted,
    Write,
    /// A notification of other processes.
    Notify,
}

/// A store that reports its calls, and that tests can send notifications of other processes.
pub(crate) struct WatchedStore {
    store: Arc<dyn Store>,
    watch: Box<dyn Fn(StoreCall) + Send + Sync>,
    poll: Duration,
    refusal: Mutex<Option<StoreError>>,
    on_work: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl WatchedStore {
    /// Calls `watch` before each call of the store.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        poll: Duration,
        watch: impl Fn(StoreCall) + Send + Sync + 'static,
    ) -> Self {
        Self { store, watch: Box::new(watch), poll, refusal: Mutex::default(), on_work: OnceLock::new() }
    }

    /// Makes all writes fail with this error from now on.
    pub(crate) fn refuse(&self, error: StoreError) {
        *lock(&self.refusal) = Some(error);
    }

    /// Simulates a notification of another process.
    pub(crate) fn notify(&self) {
        self.on_work.get().unwrap()();
    }
}

impl Store for WatchedStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        (self.watch)(StoreCall::Read);
        self.store.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        (self.watch)(StoreCall::ReadCommitted);
        self.store.read_committed(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        (self.watch)(StoreCall::Write);
        let refusal = lock(&self.refusal).clone();
        refusal.map_or_else(|| self.store.write(job), Err)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.store.stage(creation, done);
    }

    fn notify_workers(&self) {
        (self.watch)(StoreCall::Notify);
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

/// A store that loses the result of staging a new account, calls `between`, and stages it again.
pub(crate) struct RestagingStore {
    store: Arc<dyn Store>,
    between: Box<dyn Fn() + Send + Sync>,
}

impl RestagingStore {
    pub(crate) fn new(store: Arc<dyn Store>, between: impl Fn() + Send + Sync + 'static) -> Self {
        Self { store, between: Box::new(between) }
    }
}

impl Store for RestagingStore {
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

/// A store that panics when an account of `ACME` is imported, inside of its transaction.
pub(crate) struct PanickingStore {
    store: Arc<dyn Store>,
    number: &'static str,
    escapes: bool,
}

impl PanickingStore {
    /// With `escapes`, [`Store::write`] panics as well.
    pub(crate) fn new(store: Arc<dyn Store>, number: &'static str, escapes: bool) -> Self {
        Self { store, number, escapes }
    }
}

impl Store for PanickingStore {
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
            assert!(!is_imported, "panic inside of the transaction");
            verdict
        }));
        assert!(
            !self.escapes || !matches!(written, Err(StoreError::Failed(_))),
            "panic outside of the transaction"
        );
        written
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        self.store.stage(creation, done);
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A store in which some commits and reads time out.
pub(crate) struct SlowStore {
    store: Arc<dyn Store>,
    is_slow: Arc<SlowCommit>,
    on_slow: Box<dyn Fn() + Send + Sync>,
    slow_reads: AtomicU64,
}

/// Returns true if a commit that imports these accounts of `ACME` times out.
type SlowCommit = dyn Fn(&[String]) -> bool + Send + Sync;

impl SlowStore {
    /// Calls `on_slow` after each commit that timed out.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        is_slow: impl Fn(&[String]) -> bool + Send + Sync + 'static,
        on_slow: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self { store, is_slow: Arc::new(is_slow), on_slow: Box::new(on_slow), slow_reads: AtomicU64::new(0) }
    }

    /// Makes this many of the next reads time out.
    pub(crate) fn slow_reads(&self, reads: u64) {
        self.slow_reads.store(reads, Ordering::SeqCst);
    }
}

/// Returns the accounts of `ACME` that are imported or ended a dry run.
fn ended(tx: &mut dyn Tx) -> Vec<String> {
    let Some(supplier) = tx.supplier(&"ACME".parse().unwrap()).unwrap() else { return Vec::new() };
    let of =
        |state| tx.list_processes(supplier.id, ProcessFilter::of(state), None, PageLimit::of(1_000)).unwrap();
    let listed = [State::Processed, State::DryRunSucceeded].map(of);
    let number = |listed: ListedProcess| listed.process.snapshot().external_account_number.to_string();
    listed.into_iter().flat_map(|page| page.processes).map(number).collect()
}

fn busy() -> StoreError {
    StoreError::Busy("injected by the test".into())
}

impl Store for SlowStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let slow = self.slow_reads.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if slow.is_ok() { Err(busy()) } else { self.store.read_committed(job) }
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let is_slow = self.is_slow.clone();
        let (sender, timed_out) = mpsc::sync_channel(1);
        let written = self.store.write(Box::new(move |tx| {
            let before = ended(tx);
            let verdict = job(tx);
            let ended: Vec<_> = ended(tx).into_iter().filter(|number| !before.contains(number)).collect();
            if !ended.is_empty() && is_slow(&ended) {
                sender.send(()).unwrap();
                return Verdict::Rollback;
            }
            verdict
        }));
        if timed_out.try_recv().is_err() {
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
