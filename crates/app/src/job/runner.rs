//! The thread of each process with workers that takes over jobs.

use super::run::Ran;
use crate::App;
use crate::port::{JobState, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Number of batches after which the lease of a job is returned, so that other jobs are served.
const TURN: usize = 50;
/// Pause of an idle runner.
const POLL: Duration = Duration::from_secs(1);
/// Pause after a failure.
const REST: Duration = Duration::from_secs(1);

/// Works on jobs without an owner, in a loop on a thread of its own.
pub struct JobRunner {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
}

impl JobRunner {
    /// Returns a runner; setting `stop` ends its loop.
    pub fn new(app: Arc<App>, stop: Arc<AtomicBool>) -> Self {
        Self { app, stop }
    }

    /// Works until it is stopped. Then it returns the lease of its job.
    pub fn run(&self) {
        while !self.is_stopped() {
            match self.run_once() {
                Ok(true) => {}
                Ok(false) => self.app.wake.sleep(self.app.store.poll().max(POLL), || self.is_stopped()),
                Err(error) => {
                    tracing::warn!(%error, "a job could not be worked on");
                    self.app.wake.sleep(REST, || self.is_stopped());
                }
            }
        }
    }

    /// Claims the job that is due first and works on some batches of it. Returns false if none is due.
    ///
    /// # Errors
    /// [`StoreError`]; the lease of the job expires, and then it is worked on again.
    pub fn run_once(&self) -> Result<bool, StoreError> {
        let Some(job) = self.app.claim_due_job()? else { return Ok(false) };
        for _ in 0..TURN {
            if self.is_stopped() {
                break;
            }
            match self.app.run_batch(job.id, job.claim)? {
                Ran::Job(job) if job.state == JobState::Running => {}
                Ran::Job(_) | Ran::Waits(_) | Ran::Lost => return Ok(true),
            }
        }
        self.app.give_back_job(job.id, job.claim)?;
        Ok(true)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}
