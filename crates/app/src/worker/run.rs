use super::import::Batch;
use super::outcome::Outcome;
use super::pace::Pace;
use super::stopwatch::Stopwatch;
use crate::App;
use crate::fault::{self, Point};
use crate::port::{StoreError, read_committed};
use cutover_process::{Actor, LEASE, Process, SWEEP, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of processes that a worker claims and writes together.
const CLAIM: u32 = 16;
/// Pause after a round that failed.
const REST: Duration = Duration::from_secs(1);
/// Pause after a round whose payloads all lacked an encryption key here: workers that have the key come
/// first.
const KEYLESS_REST: Duration = Duration::from_secs(5);
/// Minimum wait for a due process: another worker may be claiming it.
const SOON: Duration = Duration::from_millis(5);
/// Interval at which expired rows are removed.
const CLEANING: Duration = Duration::from_secs(60);

/// Counters of the workers of this process, for `/metrics`.
#[derive(Debug, Default)]
pub struct WorkerMetrics {
    /// Accounts imported.
    pub processed: AtomicU64,
    /// Processes that ended in an error.
    pub errored: AtomicU64,
    /// Dry runs that found no error.
    pub dry_runs: AtomicU64,
    /// Attempts that will be repeated.
    pub deferred: AtomicU64,
    /// Attempts whose claim had expired.
    pub stale: AtomicU64,
    /// Claims taken from lost workers.
    pub released: AtomicU64,
}

impl WorkerMetrics {
    fn count(&self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Now(State::Processed) => &self.processed,
            Outcome::Now(State::Errored | State::DryRunErrored) => &self.errored,
            Outcome::Now(State::DryRunSucceeded) => &self.dry_runs,
            Outcome::Now(_) => &self.deferred,
            Outcome::Stale => &self.stale,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Result of [`Worker::run_once`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// This many processes were claimed and processed.
    Processes(usize),
    /// Nothing was due.
    Nothing,
}

/// One import worker: a loop on a thread of its own.
pub struct Worker {
    app: Arc<App>,
    actor: Actor,
    metrics: Arc<WorkerMetrics>,
    stop: Arc<AtomicBool>,
    pace: Pace,
}

impl Worker {
    /// Returns a worker with this name; setting `stop` ends its loop.
    pub fn new(app: Arc<App>, name: String, metrics: Arc<WorkerMetrics>, stop: Arc<AtomicBool>) -> Self {
        Self { app, actor: Actor::Worker { name }, metrics, stop, pace: Pace::new(CLAIM as usize) }
    }

    /// Works until it is stopped. It finishes the accounts that it has begun and releases its other claims.
    pub fn run(&self) {
        let mut least = SOON;
        loop {
            // Read before the stop flag, so that a later stop ends the wait.
            let seen = self.app.wake.notifications();
            if self.stopped() {
                return;
            }
            match self.run_once() {
                Ok(Worked::Processes(_)) => least = SOON,
                Ok(Worked::Nothing) => self.wait_for_work(seen, &mut least),
                Err(error @ StoreError::KeyMissing(_)) => {
                    tracing::error!(%error, "a worker could not work");
                    self.app.wake.sleep(KEYLESS_REST, || self.stopped());
                }
                Err(error) => {
                    tracing::warn!(%error, "a worker could not work");
                    self.app.wake.wait(seen, REST);
                }
            }
        }
    }

    /// Waits until there may be work. One worker of the process polls the store; the others wait for a
    /// notification or to take over polling. Idle workers so cost the database next to nothing.
    fn wait_for_work(&self, seen: u64, least: &mut Duration) {
        let wake = &self.app.wake;
        loop {
            let handovers = wake.handovers();
            if let Ok(poller) = self.app.poller.try_lock() {
                self.poll(seen, least);
                drop(poller);
                // While this worker works, another one has to poll.
                return wake.hand_over_polling();
            }
            wake.wait_or_take_over(seen, handovers, self.app.store.poll());
            if self.is_notified(seen) {
                *least = SOON;
                return;
            }
        }
    }

    /// Waits until a process is due, at least for `least`. A process that was due and not claimed a moment
    /// ago is claimed by another worker or cannot be read, so `least` doubles each time.
    fn poll(&self, seen: u64, least: &mut Duration) {
        let mut wait = self.until_due();
        loop {
            if wait > SOON {
                *least = SOON;
            }
            self.app.wake.wait(seen, wait.max(*least));
            if self.is_notified(seen) {
                *least = SOON;
                return;
            }
            wait = self.until_due();
            if wait <= SOON {
                *least = (*least * 2).min(self.app.store.poll());
                return;
            }
        }
    }

    fn is_notified(&self, seen: u64) -> bool {
        self.stopped() || self.app.wake.notifications() != seen
    }

    /// Sweeps every few seconds until it is stopped. Runs on one thread of the process.
    pub fn run_sweeper(&self) {
        let every = SWEEP.to_std().unwrap_or(REST);
        let mut cleaned: Option<Instant> = None;
        while !self.stopped() {
            match self.app.sweep() {
                Ok(swept) => {
                    self.metrics.released.fetch_add(swept.released as u64, Ordering::Relaxed);
                }
                Err(error) => tracing::warn!(%error, "a sweep failed"),
            }
            if let Err(error) = self.app.fold_figures() {
                tracing::warn!(%error, "figures could not be folded");
            }
            if cleaned.is_none_or(|at| at.elapsed() >= CLEANING) {
                cleaned = Some(Instant::now());
                if let Err(error) = self.app.remove_expired() {
                    tracing::warn!(%error, "expired tokens and keys could not be removed");
                }
                if let Err(error) = self.app.expire_events() {
                    tracing::warn!(%error, "expired events could not be removed");
                }
                if let Err(error) = self.app.clear_deliveries() {
                    tracing::warn!(%error, "expired deliveries of webhooks could not be removed");
                }
                if let Err(error) = self.app.clear_jobs() {
                    tracing::warn!(%error, "lists of jobs that have ended could not be removed");
                }
                if let Err(error) = self.app.add_partitions() {
                    tracing::error!(%error, "partitions for the next processes could not be added");
                }
            }
            self.app.wake.sleep(every, || self.stopped());
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Claims due processes and imports them. First it ends claims that it could not end during an outage of
    /// the database.
    ///
    /// # Errors
    /// [`StoreError`] if nothing could be claimed, or the end of an import could not be written: its lease
    /// expires then. [`StoreError::KeyMissing`] if it could decrypt none of the claimed payloads.
    pub fn run_once(&self) -> Result<Worked, StoreError> {
        self.app.defer_interrupted()?;
        let claimed_at = self.app.clock.now();
        let claims = self.app.claim(&self.actor, CLAIM)?;
        let count = claims.len();
        if count == 0 {
            return Ok(Worked::Nothing);
        }
        claims.iter().for_each(|claimed| fault::reached(Point::Claimed, claimed.number()));
        if count == CLAIM as usize {
            // There may be more work than for one worker.
            self.app.wake.notify_one();
        }
        // All claims share one lease: an import that begins late could outlive it.
        let may_begin = || !self.stopped() && self.app.clock.now() - claimed_at <= LEASE / 2;
        let (mut failed, mut keyless, mut worked) = (None, None, 0);
        let claimed: Vec<Process> = claims.iter().map(|claimed| claimed.process.clone()).collect();
        let pace = self.pace.limit();
        let watch = Stopwatch::start(&*self.app.clock, &claims);
        let batch = Batch {
            app: &self.app,
            actor: &self.actor,
            pace: &self.pace,
            may_begin: &may_begin,
            watch: &watch,
        };
        // A process that cannot be ended must not cost the others their attempt.
        batch.import(claims, &mut |outcome| match outcome {
            Ok(outcome) => {
                worked += 1;
                self.metrics.count(outcome);
            }
            Err(error @ StoreError::KeyMissing(_)) => {
                self.metrics.deferred.fetch_add(1, Ordering::Relaxed);
                keyless = Some(error);
            }
            Err(error) => failed = Some(error),
        });
        watch.times().for_each(|(supplier_id, accounts, took)| {
            self.app.shares.imported(supplier_id, accounts, took);
        });
        if self.pace.limit() == pace {
            self.pace.speed_up();
        }
        if failed.as_ref().is_some_and(StoreError::is_outage) {
            self.app.remember_interrupted(claimed, &self.actor);
        }
        // A worker that could decrypt other payloads continues.
        failed.or(keyless.filter(|_| worked == 0)).map_or(Ok(Worked::Processes(count)), Err)
    }

    /// Time until the next process is due, at most the interval of polling.
    fn until_due(&self) -> Duration {
        let poll = self.app.store.poll();
        let now = self.app.clock.now();
        let next = read_committed(&*self.app.store, |tx| tx.next_due_at(now)).ok().flatten();
        let wait = next.map(|at| (at - now).to_std().unwrap_or(Duration::ZERO));
        wait.map_or(poll, |wait| wait.clamp(SOON, poll))
    }
}
