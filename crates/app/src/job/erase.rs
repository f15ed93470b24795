//! The erasure of a supplier, batch by batch (contract D14, decision 0044).

use crate::port::{
    ErasedRows, Job, JobPosition, NewFeedEvent, PageLimit, ProcessFilter, StoreError, StoredProcess, Tx,
};
use chrono::{DateTime, Utc};
use cutover_core::FeedEventType;
use cutover_model::Totals;
use cutover_process::{Process, State};

/// Maximum number of accounts that one transaction removes: other writers wait for it.
const ACCOUNTS: PageLimit = PageLimit { items: 50, scanned: 1_000 };
/// Maximum number of refused creates, and of rows of other tables, that one transaction removes.
const REFUSED: u32 = 500;
const ROWS: u32 = 5_000;
/// Maximum number of businesses that one transaction removes.
const BUSINESSES: u32 = 50;

/// The part of the position in which everything but accounts is removed.
const REST: u32 = 1;

/// Result of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erased {
    /// Something was removed, or the position was moved.
    Some,
    /// Nothing can be removed now: imports are running, or the store is busy with figures.
    Nothing,
    /// The supplier is gone.
    All,
}

/// Removes some of what is kept of the supplier of a job, and moves its position.
pub(super) fn step(tx: &mut dyn Tx, job: &mut Job, now: DateTime<Utc>) -> Result<Erased, StoreError> {
    if job.position.part >= REST {
        return rest(tx, job);
    }
    let after = job.position.at.map(|at| (at, job.position.id));
    let page = tx.list_processes(job.supplier_id, ProcessFilter::default(), after, ACCOUNTS)?;
    accounts(tx, job, page.processes.into_iter().map(|listed| listed.process), now)?;
    if let Some((at, id)) = page.next {
        job.position = JobPosition { at: Some(at), id, ..job.position };
        return Ok(Erased::Some);
    }
    // Accounts that were being imported are left, and those that were created while the job began.
    let is_first = after.is_none();
    job.position = JobPosition::default();
    let left = tx.list_processes(job.supplier_id, ProcessFilter::default(), None, PageLimit::of(1))?;
    if left.processes.is_empty() {
        job.position.part = REST;
        return Ok(Erased::Some);
    }
    Ok(if is_first { Erased::Nothing } else { Erased::Some })
}

/// Removes accounts that are not being imported, with an event of each.
fn accounts(
    tx: &mut dyn Tx,
    job: &mut Job,
    listed: impl Iterator<Item = Process>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let mut ids = Vec::new();
    for process in listed.filter(is_at_rest) {
        tx.lock_process(job.supplier_id, &process.snapshot().external_account_number)?;
        tx.lock_account(process.id())?;
        ids.push(process.id());
    }
    // They may have changed until they were locked.
    let mut locked: Vec<StoredProcess> = tx.processes_by_id(&ids)?;
    locked.retain(|stored| is_at_rest(&stored.process));
    let ids: Vec<i64> = locked.iter().map(|stored| stored.process.id()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut totals = Totals::default();
    for id in &ids {
        if let Some(share) = tx.account_totals(*id)? {
            let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
            totals = totals.checked_add(share).ok_or_else(out_of_range)?;
        }
    }
    if totals.accounts > 0 {
        tx.remove_totals(job.supplier_id, &totals)?;
    }
    add(job, tx.erase(&ids)?);
    job.changed += ids.len() as u64;
    for stored in &locked {
        let is = stored.process.snapshot();
        tx.publish(&NewFeedEvent {
            supplier_id: job.supplier_id,
            event_type: FeedEventType::AccountErased,
            occurred_at: now,
            external_account_number: Some(is.external_account_number.clone()),
            service_account_number: is.service_account_number.clone(),
            data: None,
        })?;
    }
    Ok(())
}

/// A worker may be importing a process in progress. The meaning of a state of a newer version is not known.
fn is_at_rest(process: &Process) -> bool {
    !matches!(process.known_state(), None | Some(State::InProgress))
}

/// Removes what is kept besides accounts, one kind after another, and the supplier last.
fn rest(tx: &mut dyn Tx, job: &mut Job) -> Result<Erased, StoreError> {
    tx.lock_refusals(job.supplier_id)?;
    let refused = tx.refused_after(job.supplier_id, "", REFUSED)?;
    if !refused.is_empty() {
        tx.change_refusals(job.supplier_id, &refused, &[], 0)?;
        add(job, vec![("refused_creates", refused.len() as u64)]);
        return Ok(Erased::Some);
    }
    if businesses(tx, job)? {
        return Ok(Erased::Some);
    }
    let rows = tx.erase_minutes_and_jobs(job.supplier_id, job.id, ROWS)?;
    if !rows.is_empty() {
        add(job, rows);
        return Ok(Erased::Some);
    }
    match tx.erase_supplier(job.supplier_id)? {
        Some(rows) => {
            add(job, rows);
            Ok(Erased::All)
        }
        None => {
            job.position = JobPosition::default();
            Ok(Erased::Nothing)
        }
    }
}

/// Removes businesses that the supplier has sent. One that accounts of another supplier refer to, by a contract or by an
/// instruction, becomes that supplier's.
/// Returns false if there were none.
fn businesses(tx: &mut dyn Tx, job: &mut Job) -> Result<bool, StoreError> {
    let found = tx.businesses_of(job.supplier_id, BUSINESSES)?;
    for business in &found {
        tx.lock_business(*business)?;
        let mut user = tx.supplier_paying(*business)?;
        for contract in tx.contracts_of(*business)? {
            // Transactions that name the contract from now on wait for the lock, and then do not find it.
            tx.lock_contract(job.organisation_id, &contract)?;
            if user.is_none() {
                user = tx.supplier_using(job.organisation_id, &contract)?;
            }
        }
        match user {
            Some(supplier) => tx.pass_business(*business, supplier)?,
            None => add(job, tx.erase_business(*business)?),
        }
    }
    Ok(!found.is_empty())
}

fn add(job: &mut Job, removed: Vec<ErasedRows>) {
    for (table, rows) in removed {
        *job.removed.entry(table.to_owned()).or_default() += rows;
    }
}
