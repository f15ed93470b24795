//! The erasure of a supplier, batch by batch (contract D14, decision 0044).

use super::batch::{Batch, Then};
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

/// Removes some of what is kept of the supplier of a job.
pub(super) fn step(tx: &mut dyn Tx, job: &Job, now: DateTime<Utc>) -> Result<Batch, StoreError> {
    if job.position.part >= REST {
        return rest(tx, job);
    }
    let after = job.position.at.map(|at| (at, job.position.id));
    let page = tx.list_processes(job.supplier_id, ProcessFilter::default(), after, ACCOUNTS)?;
    let locked = lock(tx, job, page.processes.into_iter().map(|listed| listed.process), is_at_rest)?;
    let (changed, removed) = remove(tx, job, &locked, now)?;
    let then = match page.next {
        Some((at, id)) => Then::Continue(JobPosition { at: Some(at), id, ..job.position }),
        None => after_last_account(tx, job, after.is_none())?,
    };
    Ok(Batch { changed, removed, then, ..Batch::default() })
}

/// Accounts that were being imported are left at the end of the list, and those that were created while the job began.
fn after_last_account(tx: &mut dyn Tx, job: &Job, is_first_page: bool) -> Result<Then, StoreError> {
    let left = tx.list_processes(job.supplier_id, ProcessFilter::default(), None, PageLimit::of(1))?;
    if left.processes.is_empty() {
        return Ok(Then::Continue(JobPosition { part: REST, ..JobPosition::default() }));
    }
    let again = JobPosition::default();
    Ok(if is_first_page { Then::Wait(again) } else { Then::Continue(again) })
}

/// Locks the accounts of processes that can be removed, and returns these as they are then.
pub(super) fn lock(
    tx: &mut dyn Tx,
    job: &Job,
    listed: impl Iterator<Item = Process>,
    can_be_removed: fn(&Process) -> bool,
) -> Result<Vec<StoredProcess>, StoreError> {
    let mut ids = Vec::new();
    for process in listed.filter(can_be_removed) {
        tx.lock_process(job.supplier_id, &process.snapshot().external_account_number)?;
        tx.lock_account(process.id())?;
        ids.push(process.id());
    }
    // They may have changed until they were locked.
    let mut locked: Vec<StoredProcess> = tx.processes_by_id(&ids)?;
    locked.retain(|stored| can_be_removed(&stored.process));
    Ok(locked)
}

/// Removes accounts that are locked, with an event of each. Returns how many, and their rows.
pub(super) fn remove(
    tx: &mut dyn Tx,
    job: &Job,
    locked: &[StoredProcess],
    now: DateTime<Utc>,
) -> Result<(u64, Vec<ErasedRows>), StoreError> {
    let ids: Vec<i64> = locked.iter().map(|stored| stored.process.id()).collect();
    if ids.is_empty() {
        return Ok((0, Vec::new()));
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
    let removed = tx.erase(&ids)?;
    for stored in locked {
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
    Ok((ids.len() as u64, removed))
}

/// A worker may be importing a process in progress. The meaning of a state of a newer version is not known.
fn is_at_rest(process: &Process) -> bool {
    !matches!(process.known_state(), None | Some(State::InProgress))
}

/// Removes what is kept besides accounts, one kind after another, and the supplier last.
fn rest(tx: &mut dyn Tx, job: &Job) -> Result<Batch, StoreError> {
    let (removed, then) = match next_rest(tx, job)? {
        Some(removed) => (removed, Then::Continue(job.position)),
        None => match tx.erase_supplier(job.supplier_id)? {
            Some(removed) => (removed, Then::End),
            // The store is busy with figures.
            None => (Vec::new(), Then::Wait(JobPosition::default())),
        },
    };
    Ok(Batch { removed, then, ..Batch::default() })
}

/// Returns the rows that were removed; `None` if nothing but the supplier itself is left.
fn next_rest(tx: &mut dyn Tx, job: &Job) -> Result<Option<Vec<ErasedRows>>, StoreError> {
    tx.lock_refusals(job.supplier_id)?;
    let refused = tx.refused_after(job.supplier_id, "", REFUSED)?;
    if !refused.is_empty() {
        tx.change_refusals(job.supplier_id, &refused, &[], 0)?;
        return Ok(Some(vec![("refused_creates", refused.len() as u64)]));
    }
    if let Some(removed) = businesses(tx, job)? {
        return Ok(Some(removed));
    }
    let removed = tx.erase_minutes_and_jobs(job.supplier_id, job.id, ROWS)?;
    Ok(Some(removed).filter(|removed| !removed.is_empty()))
}

/// Removes businesses that the supplier has sent. One that accounts of another supplier refer to, by a contract or by an
/// instruction, becomes that supplier's.
/// Returns the rows that were removed; `None` if there were no businesses.
fn businesses(tx: &mut dyn Tx, job: &Job) -> Result<Option<Vec<ErasedRows>>, StoreError> {
    let sent = tx.businesses_of(job.supplier_id, BUSINESSES)?;
    let mut removed = Vec::new();
    for business in &sent {
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
            None => removed.extend(tx.erase_business(*business)?),
        }
    }
    Ok((!sent.is_empty()).then_some(removed))
}
