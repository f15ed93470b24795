use super::claim::illegal;
use crate::App;
use crate::gate::{self, Ending};
use crate::port::{StepWrite, StoreError, write};
use cutover_process::{Actor, Event, Failure, Process, on_failure};
use std::sync::PoisonError;

/// A claim that its worker could not end, because the database was unavailable.
#[derive(Debug, Clone)]
pub(crate) struct Interrupted {
    process: Process,
    actor: Actor,
}

impl App {
    /// Returns the event for a claimed process whose attempt has failed now.
    pub(crate) fn after_failure(&self, process: &Process, failure: Failure) -> Event {
        let (retry_time, now) = (self.settings.import_retry_time, self.clock.now());
        on_failure(process, failure, retry_time, now, self.random.number())
    }

    /// Remembers claims that could not be ended, until the database answers again.
    pub(super) fn remember_interrupted(&self, claims: Vec<Process>, actor: &Actor) {
        let claims = claims.into_iter().map(|process| Interrupted { process, actor: actor.clone() });
        self.interrupted.lock().unwrap_or_else(PoisonError::into_inner).extend(claims);
    }

    /// Defers interrupted claims, so that the outage of the database does not count as the loss of their
    /// worker. Processes that took another step since have another version and are left alone.
    ///
    /// # Errors
    /// [`StoreError`]; the claims are kept for the next call if the database is still unavailable.
    pub(super) fn defer_interrupted(&self) -> Result<(), StoreError> {
        let claims = std::mem::take(&mut *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner));
        if claims.is_empty() {
            return Ok(());
        }
        let written = self.write_deferrals(&claims);
        if written.as_ref().is_err_and(StoreError::is_outage) {
            self.interrupted.lock().unwrap_or_else(PoisonError::into_inner).extend(claims);
        }
        written
    }

    fn write_deferrals(&self, claims: &[Interrupted]) -> Result<(), StoreError> {
        let step = |claim: &Interrupted| {
            let event = self.after_failure(&claim.process, Failure::Outage);
            (claim.process.clone(), event, claim.actor.clone())
        };
        let (ended, clock): (Vec<_>, _) = (claims.iter().map(step).collect(), self.clock.clone());
        write(&*self.store, move |tx| {
            let ending = Ending::of(tx, &*clock, ended.iter().map(|(process, ..)| process))?;
            let step = |(process, event, actor): (Process, _, _)| process.step(event, ending.at, actor);
            let steps = ended.into_iter().map(step).collect::<Result<Vec<_>, _>>().map_err(illegal)?;
            let steps: Vec<_> = steps
                .iter()
                .map(|(process, entry)| StepWrite { process, entry, issues: None, sent: None })
                .collect();
            gate::end_processes(tx, &steps, ending).map(drop)
        })
    }
}
