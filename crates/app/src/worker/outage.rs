use super::claim::illegal;
use crate::App;
use crate::port::{StepWrite, StoreError, write};
use cutover_process::{Actor, Event, Failure, Process, on_failure};
use std::sync::PoisonError;

/// A claim whose worker could not write how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Interrupted {
    process: Process,
    actor: Actor,
}

impl App {
    /// What happens to a claimed process whose attempt has failed now.
    pub(crate) fn after_failure(&self, process: &Process, failure: Failure) -> Event {
        let (retry_time, now) = (self.settings.import_retry_time, self.clock.now());
        on_failure(process, failure, retry_time, now, self.random.number())
    }

    /// Keeps claims that the database was not there to end, until it is.
    pub(super) fn remember_interrupted(&self, claims: Vec<Process>, actor: &Actor) {
        let claims = claims.into_iter().map(|process| Interrupted { process, actor: actor.clone() });
        self.interrupted.lock().unwrap_or_else(PoisonError::into_inner).extend(claims);
    }

    /// Puts off claims that the database was not there to end, so that its outage does not count as the loss of their
    /// worker. Those that have ended, or that a sweep has taken since, have another version now and are left.
    ///
    /// # Errors
    /// [`StoreError`]; if the database is still away, they are kept for the next time.
    pub(super) fn put_off_interrupted(&self) -> Result<(), StoreError> {
        let claims = std::mem::take(&mut *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner));
        if claims.is_empty() {
            return Ok(());
        }
        let written = self.write_put_off(&claims);
        if matches!(written, Err(StoreError::Unavailable(_))) {
            self.interrupted.lock().unwrap_or_else(PoisonError::into_inner).extend(claims);
        }
        written
    }

    fn write_put_off(&self, claims: &[Interrupted]) -> Result<(), StoreError> {
        let now = self.clock.now();
        let step = |claim: &Interrupted| {
            let event = self.after_failure(&claim.process, Failure::Outage);
            claim.process.clone().step(event, now, claim.actor.clone()).map_err(illegal)
        };
        let steps = claims.iter().map(step).collect::<Result<Vec<_>, _>>()?;
        write(&*self.store, move |tx| {
            let steps: Vec<_> =
                steps.iter().map(|(process, entry)| StepWrite { process, entry, issues: None }).collect();
            tx.step_processes(&steps).map(drop)
        })
    }
}
