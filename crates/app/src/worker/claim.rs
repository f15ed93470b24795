use crate::App;
use crate::port::{StoreError, StoredProcess, Supplier, Tx, write};
use chrono::{DateTime, Utc};
use cutover_process::{Actor, Event, IllegalStep, LEASE, Process};

/// A process that a worker may import. Its payload is read in the attempt, so that one that cannot be
/// read fails that attempt and no other.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) process: Process,
    pub(crate) supplier: Supplier,
}

pub(crate) fn illegal(step: IllegalStep) -> StoreError {
    StoreError::Failed(step.to_string())
}

/// Makes a step and writes it; `None` if another came first.
pub(crate) fn take_step(
    tx: &mut dyn Tx,
    process: Process,
    event: Event,
    at: DateTime<Utc>,
    actor: &Actor,
) -> Result<Option<Process>, StoreError> {
    let (process, entry) = process.step(event, at, actor.clone()).map_err(illegal)?;
    Ok(tx.step_process(&process, &entry)?.then_some(process))
}

impl App {
    /// Claims due processes, at most `limit`: each belongs to the worker until its lease ends.
    pub(crate) fn claim(&self, actor: &Actor, limit: u32) -> Result<Vec<Claimed>, StoreError> {
        let (at, actor) = (self.clock.now(), actor.clone());
        write(&*self.store, move |tx| {
            let mut claimed = Vec::new();
            for due in tx.due_processes(at, limit)? {
                claimed.extend(claim_one(tx, due, at, &actor)?);
            }
            Ok(claimed)
        })
    }
}

/// Claims a due process, or ends it if its window has closed meanwhile.
fn claim_one(
    tx: &mut dyn Tx,
    due: StoredProcess,
    at: DateTime<Utc>,
    actor: &Actor,
) -> Result<Option<Claimed>, StoreError> {
    let Some(event) = due.process.due_event(at) else { return Ok(None) };
    let missing = || StoreError::Corrupt(format!("process {} has no supplier", due.process.id()));
    let supplier = tx.supplier_by_id(due.supplier_id)?.ok_or_else(missing)?;
    let is_claim = event == Event::Claimed;
    // The setting counts as it is now, whatever it was when the account was sent.
    let rehearses = is_claim && supplier.settings.dry_run;
    let event = if rehearses { Event::ClaimedForDryRun } else { event };
    let Some(process) = take_step(tx, due.process, event, at, actor)? else { return Ok(None) };
    if !is_claim {
        return Ok(None);
    }
    tx.set_lease(process.id(), at + LEASE)?;
    Ok(Some(Claimed { process, supplier }))
}
