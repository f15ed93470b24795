//! The erasure of accounts that were only rehearsed, batch by batch (contract D14, decision 0044).

use super::batch::{Batch, Then};
use super::erase::{lock, remove};
use super::select::next_of;
use crate::certificate::forget_account;
use crate::port::{Job, JobKind, PageLimit, StoreError, StoredProcess, Tx};
use chrono::{DateTime, Utc};
use cutover_process::Process;

/// Maximum number of accounts that one transaction removes: other writers wait for it.
const ACCOUNTS: PageLimit = PageLimit { items: 50, scanned: 1_000 };

/// Removes what is kept of the next accounts of a job. They leave no mark: they are still to be sent.
pub(super) fn step(tx: &mut dyn Tx, job: &Job, now: DateTime<Utc>) -> Result<Batch, StoreError> {
    // No certificate is begun meanwhile. Before accounts are locked, as whoever locks both does.
    tx.lock_suppliers()?;
    let selected = next_of(tx, job, JobKind::Erase, ACCOUNTS)?;
    let count = selected.processes.len() as u64;
    let locked = lock(tx, job, selected.processes.into_iter(), was_rehearsed)?;
    // One that was imported before, and undone, may be in certificates.
    for stored in &locked {
        forget_account(tx, job.supplier_id, number(stored), &[])?;
    }
    forget_refusals(tx, job.supplier_id, &locked)?;
    let (changed, removed) = remove(tx, job, &locked, now)?;
    let then = Then::from_next(selected.next);
    Ok(Batch { changed, skipped: count - changed, removed, then, ..Batch::default() })
}

fn was_rehearsed(process: &Process) -> bool {
    process.known_state().is_some_and(|state| JobKind::Erase.begins_from(state))
}

fn number(stored: &StoredProcess) -> &str {
    stored.process.snapshot().external_account_number.as_str()
}

/// Removes the refused creates of accounts: they hold the numbers.
fn forget_refusals(tx: &mut dyn Tx, supplier_id: i64, of: &[StoredProcess]) -> Result<(), StoreError> {
    let numbers: Vec<String> = of.iter().map(|stored| number(stored).to_owned()).collect();
    if numbers.is_empty() || tx.refused_among(supplier_id, &numbers)?.is_empty() {
        return Ok(());
    }
    tx.lock_refusals(supplier_id)?;
    let refused = tx.refused_among(supplier_id, &numbers)?;
    tx.change_refusals(supplier_id, &refused, &[], 0)
}
