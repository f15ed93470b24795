use super::import::{Batch, Outcome};
use super::pace::Pace;
use crate::App;
use crate::fault::{self, Point};
use crate::port::{StoreError, read_committed};
use cutover_process::{Actor, LEASE, Process, SWEEP, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many processes a worker claims at once, and writes together.
const CLAIM: u32 = 16;
/// How long a worker rests that could not work.
const REST: Duration = Duration::from_secs(1);
/// How long one rests that has none of the keys for what it claimed: others are to get at it first.
const KEYLESS_REST: Duration = Duration::from_secs(5);
/// The least that is waited for something due: another may be claiming it.
const SOON: Duration = Duration::from_millis(5);
/// How often what has expired is removed.
const CLEANING: Duration = Duration::from_secs(60);

/// What the workers of this process have done, for `/metrics`.
#[derive(Debug, Default)]
pub struct WorkerMetrics {
    /// Accounts imported.
    pub processed: AtomicU64,
    /// Processes that ended in an error.
    pub errored: AtomicU64,
    /// Dry runs that found no error.
    pub dry_runs: AtomicU64,
    /// Attempts that will be made again.
    pub deferred: AtomicU64,
    /// Attempts whose claim had run out.
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

/// What a turn of a worker did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worked {
    /// So many processes were claimed and dealt with.
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
    /// A worker of a name; `stop` ends its loop.
    pub fn new(app: Arc<App>, name: String, metrics: Arc<WorkerMetrics>, stop: Arc<AtomicBool>) -> Self {
        Self { app, actor: Actor::Worker { name }, metrics, stop, pace: Pace::new(CLAIM as usize) }
    }

    /// Works until it is stopped: accounts under way are finished, other claims are given back.
    pub fn run(&self) {
        let mut least = SOON;
        loop {
            // Taken first: a stop after it ends the wait.
            let seen = self.app.wake.seen();
            if self.stopped() {
                return;
            }
            match self.run_once() {
                Ok(Worked::Processes(_)) => least = SOON,
                Ok(Worked::Nothing) => self.wait_for_work(seen, &mut least),
                Err(error @ StoreError::KeyMissing(_)) => {
                    tracing::error!(%error, "a worker could not work");
                    self.app.wake.rest(KEYLESS_REST, || self.stopped());
                }
                Err(error) => {
                    tracing::warn!(%error, "a worker could not work");
                    self.app.wake.wait(seen, REST);
                }
            }
        }
    }

    /// Waits until there may be work: told of, or due. Of the workers of a process one looks out, the others
    /// wait to be called or to take its place: what waits costs the database next to nothing.
    fn wait_for_work(&self, seen: u64, least: &mut Duration) {
        let wake = &self.app.wake;
        loop {
            let lookouts = wake.seen_lookouts();
            if let Ok(lookout) = self.app.lookout.try_lock() {
                self.look_out(seen, least);
                drop(lookout);
                // What falls due while this one works is for another to see.
                return wake.call_lookout();
            }
            wake.wait_to_look_out(seen, lookouts, self.app.store.poll());
            if self.is_called(seen) {
                *least = SOON;
                return;
            }
        }
    }

    /// Waits until something is due, at least so long: what was due and not claimed a moment ago is in other
    /// hands, or cannot be read, and is asked for less and less often.
    fn look_out(&self, seen: u64, least: &mut Duration) {
        let mut wait = self.until_due();
        loop {
            if wait > SOON {
                *least = SOON;
            }
            self.app.wake.wait(seen, wait.max(*least));
            if self.is_called(seen) {
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

    fn is_called(&self, seen: u64) -> bool {
        self.stopped() || self.app.wake.seen() != seen
    }

    /// Sweeps every few seconds until it is stopped; one worker of a process does.
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
                    tracing::warn!(%error, "what has expired could not be removed");
                }
                if let Err(error) = self.app.add_partitions() {
                    tracing::error!(%error, "partitions for the next processes could not be added");
                }
            }
            self.app.wake.rest(every, || self.stopped());
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Claims what is due and imports it. Before that it ends what an outage of the database kept it from ending.
    ///
    /// # Errors
    /// [`StoreError`] if nothing could be claimed, or the end of an import not be written: its lease
    /// runs out then. [`StoreError::KeyMissing`] if it could open none of what it claimed.
    pub fn run_once(&self) -> Result<Worked, StoreError> {
        self.app.put_off_interrupted()?;
        let claimed_at = self.app.clock.now();
        let claims = self.app.claim(&self.actor, CLAIM)?;
        let count = claims.len();
        if count == 0 {
            return Ok(Worked::Nothing);
        }
        claims.iter().for_each(|claimed| fault::reached(Point::Claimed, claimed.number()));
        if count == CLAIM as usize {
            // There may be more than for one.
            self.app.wake.call_one();
        }
        // The lease is one for all: what is begun late in it could lose it on the way.
        let may_begin = || !self.stopped() && self.app.clock.now() - claimed_at <= LEASE / 2;
        let (mut failed, mut keyless, mut worked) = (None, None, 0);
        let claimed: Vec<Process> = claims.iter().map(|claimed| claimed.process.clone()).collect();
        let pace = self.pace.limit();
        let batch = Batch { app: &self.app, actor: &self.actor, pace: &self.pace, may_begin: &may_begin };
        // One that cannot be ended must not cost the others their attempt.
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
        if self.pace.limit() == pace {
            self.pace.speed_up();
        }
        if matches!(failed, Some(StoreError::Unavailable(_))) {
            self.app.remember_interrupted(claimed, &self.actor);
        }
        // One that can do others goes on.
        failed.or(keyless.filter(|_| worked == 0)).map_or(Ok(Worked::Processes(count)), Err)
    }

    /// How long until the next process falls due, at most the poll's interval.
    fn until_due(&self) -> Duration {
        let poll = self.app.store.poll();
        let now = self.app.clock.now();
        let next = read_committed(&*self.app.store, |tx| tx.next_due_at(now)).ok().flatten();
        let wait = next.map(|at| (at - now).to_std().unwrap_or(Duration::ZERO));
        wait.map_or(poll, |wait| wait.clamp(SOON, poll))
    }
}
