use crate::App;
use crate::fault::{self, Point};
use crate::gate::{self, Ending};
use crate::port::{Clock, StepWrite, StoreError, StoredProcess, Supplier, Tx, write};
use chrono::{DateTime, Utc};
use cutover_process::{Actor, Event, HistoryEntry, IllegalStep, LEASE, Process};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A claimed process. Its payload is read in the attempt, so that an unreadable one fails only that attempt.
#[derive(Debug, Clone)]
pub(crate) struct Claimed {
    pub(crate) process: Process,
    pub(crate) supplier: Arc<Supplier>,
}

impl Claimed {
    /// The external account number, which [fault points](Point) are about.
    pub(crate) fn number(&self) -> &str {
        self.process.snapshot().external_account_number.as_str()
    }
}

pub(crate) fn illegal(step: IllegalStep) -> StoreError {
    StoreError::Failed(step.to_string())
}

impl App {
    /// Claims due processes, at most `limit`: each belongs to the worker until its lease ends.
    pub(crate) fn claim(&self, actor: &Actor, limit: u32) -> Result<Vec<Claimed>, StoreError> {
        let claimed = match self.claim_or_end(actor, limit, false)? {
            Some(claimed) => claimed,
            None => self.claim_or_end(actor, limit, true)?.unwrap_or_default(),
        };
        for claimed in &claimed {
            self.shares.claimed(claimed.supplier.id, 1);
        }
        Ok(claimed)
    }

    /// Claims due processes. Writes nothing and returns `None` if there are others to end because they missed their window,
    /// unless it `may_end` them: that takes a lock before all others.
    fn claim_or_end(
        &self,
        actor: &Actor,
        limit: u32,
        may_end: bool,
    ) -> Result<Option<Vec<Claimed>>, StoreError> {
        let (clock, actor, shares) = (self.clock.clone(), actor.clone(), self.shares.clone());
        write(&*self.store, move |tx| {
            let ending = may_end.then(|| Ending::of_any(tx, &*clock)).transpose()?;
            let at = ending.as_ref().map_or_else(|| clock.now(), |ending| ending.at);
            let due = tx.due_processes(at, limit, &shares)?;
            let is_missed =
                |stored: &StoredProcess| stored.process.due_event(at) == Some(Event::WindowMissed);
            if ending.is_none() && due.iter().any(is_missed) {
                return Ok(None);
            }
            let suppliers = suppliers_of(tx, &due)?;
            let mut taken = Vec::new();
            for stored in due {
                taken.extend(begun(stored, &suppliers, at, &actor)?);
            }
            let steps: Vec<_> = taken.iter().map(|(begun, entry)| step_of(&begun.process, entry)).collect();
            let written = gate::step_processes(tx, &steps)?;
            in_time(&*clock, at)?;
            taken.iter().for_each(|(begun, _)| fault::reached(Point::ClaimWritten, begun.number()));
            let claimed = taken.into_iter().zip(written).filter(|(_, is_written)| *is_written);
            // A process that missed its window has just ended.
            let claimed =
                claimed.map(|((begun, _), _)| begun).filter(|begun| !begun.process.state().has_ended());
            Ok(Some(claimed.collect()))
        })
    }
}

fn step_of<'a>(process: &'a Process, entry: &'a HistoryEntry) -> StepWrite<'a> {
    StepWrite { process, entry, issues: None, sent: None }
}

type SuppliersById = HashMap<i64, Arc<Supplier>>;

/// Reads the suppliers of processes, with their current settings.
fn suppliers_of(tx: &mut dyn Tx, due: &[StoredProcess]) -> Result<SuppliersById, StoreError> {
    let ids: BTreeSet<i64> = due.iter().map(|stored| stored.supplier_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let found = if ids.is_empty() { Vec::new() } else { tx.suppliers_by_ids(&ids)? };
    Ok(found.into_iter().map(|supplier| (supplier.id, Arc::new(supplier))).collect())
}

/// Claims a due process, or ends it if its window has closed.
fn begun(
    due: StoredProcess,
    suppliers: &SuppliersById,
    at: DateTime<Utc>,
    actor: &Actor,
) -> Result<Option<(Claimed, HistoryEntry)>, StoreError> {
    let Some((event, supplier)) = due.process.due_event(at).zip(suppliers.get(&due.supplier_id)) else {
        return Ok(None);
    };
    // The current setting counts, not the one at the time of the request.
    let rehearses = event == Event::Claimed && supplier.settings.dry_run;
    let event = if rehearses { Event::ClaimedForDryRun } else { event };
    let (process, entry) = due.process.step(event, at, actor.clone()).map_err(illegal)?;
    Ok(Some((Claimed { process, supplier: supplier.clone() }, entry)))
}

/// Refuses to commit steps that were dated longer ago than a lease: their claims have expired, and clients
/// that poll by the time of the last step rely on a prompt commit.
pub(super) fn in_time(clock: &dyn Clock, at: DateTime<Utc>) -> Result<(), StoreError> {
    if clock.now() - at <= LEASE {
        Ok(())
    } else {
        Err(StoreError::Busy("a write took longer than a lease".into()))
    }
}
