use super::import::Outcome;
use crate::App;
use crate::port::{StoreError, read};
use cutover_process::{Actor, LEASE, SWEEP, State};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many processes a worker claims at once.
const CLAIM: u32 = 4;
/// How long a worker without work waits before it looks again: others may have made work.
const POLL: Duration = Duration::from_secs(1);

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
}

impl Worker {
    /// A worker of a name; `stop` ends its loop.
    pub fn new(app: Arc<App>, name: String, metrics: Arc<WorkerMetrics>, stop: Arc<AtomicBool>) -> Self {
        Self { app, actor: Actor::Worker { name }, metrics, stop }
    }

    /// Works until it is stopped: an account under way is finished, other claims are given back.
    pub fn run(&self) {
        loop {
            // Taken first: a stop after it ends the wait.
            let seen = self.app.wake.seen();
            if self.stopped() {
                return;
            }
            match self.turn() {
                Ok(Worked::Processes(_)) => {}
                Ok(Worked::Nothing) => self.app.wake.wait(seen, self.pause()),
                Err(error) => {
                    tracing::warn!(%error, "a worker could not work");
                    self.app.wake.wait(seen, POLL);
                }
            }
        }
    }

    /// Sweeps every few seconds until it is stopped; one worker of a process does.
    pub fn run_sweeper(&self) {
        let mut last: Option<Instant> = None;
        let every = SWEEP.to_std().unwrap_or(POLL);
        loop {
            let seen = self.app.wake.seen();
            if self.stopped() {
                return;
            }
            if last.is_none_or(|last| last.elapsed() >= every) {
                last = Some(Instant::now());
                match self.app.sweep() {
                    Ok(swept) => {
                        self.metrics.released.fetch_add(swept.released as u64, Ordering::Relaxed);
                    }
                    Err(error) => tracing::warn!(%error, "a sweep failed"),
                }
            }
            self.app.wake.wait(seen, POLL);
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Claims what is due and imports it.
    ///
    /// # Errors
    /// [`StoreError`] if nothing could be claimed, or the end of an import not be written: its lease
    /// runs out then.
    pub fn turn(&self) -> Result<Worked, StoreError> {
        let claimed_at = self.app.clock.now();
        let claims = self.app.claim(&self.actor, CLAIM)?;
        let mut failed = None;
        for claimed in &claims {
            // The lease is one for all: what is begun late in it could lose it on the way.
            let is_late = self.app.clock.now() - claimed_at > LEASE / 2;
            let outcome = if self.stopped() || is_late {
                self.app.give_back(claimed, &self.actor)
            } else {
                self.app.import(claimed, &self.actor)
            };
            // One that cannot be ended must not cost the others their attempt.
            match outcome {
                Ok(outcome) => self.metrics.count(outcome),
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(if claims.is_empty() { Worked::Nothing } else { Worked::Processes(claims.len()) })
    }

    /// Until the next process falls due, at most the poll's interval.
    fn pause(&self) -> Duration {
        let next = read(&*self.app.store, |tx| tx.next_due_at()).ok().flatten();
        let wait = next.map(|at| (at - self.app.clock.now()).to_std().unwrap_or(Duration::from_millis(5)));
        wait.map_or(POLL, |wait| wait.clamp(Duration::from_millis(5), POLL))
    }
}
