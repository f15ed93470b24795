//! Writes the log to the store.

use super::log::{Amount, Batch, Latest};
use crate::App;
use crate::auth::Caller;
use crate::port::{RefusedCreate, StoreError, Tx, read_committed, write_with_retry};
use cutover_core::SupplierCode;
use std::collections::HashMap;

/// Maximum number of refused creates that are kept of a supplier: the oldest go first.
const KEPT: u64 = 100_000;
/// Number of accounts that are written in one transaction.
const BATCH: usize = 2_000;

impl App {
    /// Writes the refused creates that this process has gathered, in bounded transactions. Those of a flood, and those that
    /// could not be written, are kept for the next write.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be written.
    pub fn record_refused(&self) -> Result<(), StoreError> {
        self.record_gathered(Amount::WithinBudget)
    }

    fn record_gathered(&self, amount: Amount) -> Result<(), StoreError> {
        let written = self.refused.write(|| {
            let (batches, dropped) = {
                let mut gathered = self.refused.gathered();
                (gathered.take(self.clock.now(), amount), std::mem::take(&mut gathered.dropped))
            };
            if dropped > 0 {
                tracing::warn!(accounts = dropped, "too many creates at once: not all refusals are recorded");
            }
            let result = self.record_batches(batches);
            self.refused.gathered().end_write();
            result
        });
        written.unwrap_or_else(|| Err(StoreError::Unavailable("the write before failed".into())))
    }

    /// Writes batches up to the first that fails, and keeps the others for the next time.
    fn record_batches(&self, batches: Vec<(i64, Batch)>) -> Result<(), StoreError> {
        let mut result = Ok(());
        for (supplier_id, batch) in batches {
            if self.is_nothing_to_write(supplier_id, &batch) {
                continue;
            }
            let Batch { mut accounts, mut without_number } = batch;
            // In the order of the index, neighbours are written to the same pages.
            accounts.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
            let mut chunks: Vec<_> = accounts.chunks(BATCH).map(<[_]>::to_vec).collect();
            if chunks.is_empty() {
                chunks.push(Vec::new());
            }
            for accounts in chunks {
                let batch = Batch { accounts, without_number: std::mem::take(&mut without_number) };
                if result.is_ok() {
                    result = self.record_batch(supplier_id, &batch);
                }
                if result.is_err() {
                    self.refused.gathered().put_back(supplier_id, batch);
                }
            }
        }
        result
    }

    /// Like [`record_refused`](Self::record_refused), for callers that go on after a failure.
    pub(crate) fn try_to_record_refused(&self) {
        if let Err(error) = self.record_refused() {
            tracing::warn!(%error, "refused creates could not be recorded");
        }
    }

    /// Writes all that this process has gathered before it ends.
    pub(crate) fn try_to_record_all_refused(&self) {
        if let Err(error) = self.record_gathered(Amount::All) {
            tracing::warn!(%error, "refused creates could not be recorded");
        }
    }

    /// Records the gathered refusals of a supplier before its caller reads them. Requests of others write nothing.
    pub(in crate::account) fn record_refused_for(&self, caller: &Caller, supplier: &SupplierCode) {
        if self.refused.is_settled() {
            return;
        }
        let found = read_committed(&*self.store, |tx| tx.supplier_of(caller.organisation_id, supplier));
        if found.is_ok_and(|supplier| supplier.is_some()) {
            self.try_to_record_refused();
        }
    }

    /// Returns true if all gathered creates were accepted and the supplier has no refused ones, as is usual.
    fn is_nothing_to_write(&self, supplier_id: i64, batch: &Batch) -> bool {
        let figures = || read_committed(&*self.store, |tx| tx.refused_figures(supplier_id, 0));
        !batch.has_refused() && figures().is_ok_and(|figures| figures.accounts == 0)
    }

    fn record_batch(&self, supplier_id: i64, batch: &Batch) -> Result<(), StoreError> {
        if !batch.has_refused() {
            // Most accounts were never refused: that is found without a lock.
            let numbers = numbers(batch);
            if read_committed(&*self.store, |tx| tx.refused_among(supplier_id, &numbers))?.is_empty() {
                return Ok(());
            }
        }
        let batch = batch.clone();
        write_with_retry(&*self.store, move |tx| write_batch(tx, supplier_id, &batch))
    }
}

fn numbers(batch: &Batch) -> Vec<String> {
    batch.accounts.iter().map(|(number, _, _)| number.clone()).collect()
}

/// Writes the last create of some accounts of a supplier. Stored refusals of a later time stay, and a refusal is
/// left out if another node accepted the account after it.
fn write_batch(tx: &mut dyn Tx, supplier_id: i64, batch: &Batch) -> Result<(), StoreError> {
    // Nothing is kept of a supplier that was erased meanwhile.
    if tx.supplier_by_id(supplier_id)?.is_none() {
        return Ok(());
    }
    tx.lock_refusals(supplier_id)?;
    let stored = tx.refused_among(supplier_id, &numbers(batch))?;
    let mut stored: HashMap<_, _> = stored.into_iter().map(|old| (old.number.clone(), old)).collect();
    let refused = batch.accounts.iter().filter(|(_, _, latest)| latest.is_refused());
    let refused: Vec<String> = refused.map(|(number, _, _)| number.clone()).collect();
    let known = tx.processes_among(supplier_id, &refused)?.into_iter();
    let created: HashMap<String, _> = known.map(|(number, _, created_at)| (number, created_at)).collect();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (number, at, latest) in &batch.accounts {
        let old = stored.remove(number);
        if old.as_ref().is_some_and(|old| old.refused_at > *at) {
            continue;
        }
        removed.extend(old);
        if let Latest::Refused(causes) = latest
            && created.get(number).is_none_or(|created_at| created_at <= at)
        {
            added.push(RefusedCreate { number: number.clone(), refused_at: *at, causes: causes.clone() });
        }
    }
    tx.change_refusals(supplier_id, &removed, &added, batch.without_number)?;
    let excess = tx.refused_figures(supplier_id, 0)?.accounts.saturating_sub(KEPT);
    if excess > 0 {
        let oldest = tx.oldest_refused(supplier_id, u32::try_from(excess).unwrap_or(u32::MAX))?;
        tx.change_refusals(supplier_id, &oldest, &[], 0)?;
    }
    Ok(())
}
