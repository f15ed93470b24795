//! Refused creates: each node gathers them in memory and writes them at intervals (contract D13).

use crate::App;
use crate::auth::Caller;
use crate::port::{
    RefusedCreate, RefusedFault, RefusedFigures, StoreError, Supplier, Tx, find_stale, read_committed,
    write_with_retry,
};
use chrono::{DateTime, Utc};
use cutover_core::{Issue, SupplierCode};
use cutover_model::{RefusedCauseShown, RefusedCreateShown, RefusedItem, RefusedShown, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of refused creates that are kept of a supplier: the oldest go first.
const KEPT: u64 = 100_000;
/// Maximum number of causes that are kept of one refused create.
const CAUSES: usize = 100;
/// Maximum number of accounts that a node gathers between two writes. Further ones are not recorded.
const GATHERED: usize = 100_000;
/// Number of accounts that are written in one transaction.
const BATCH: usize = 2_000;
/// Maximum number of causes in the progress of a supplier.
const TOP: u32 = 10;

/// The last create of an account since the log was written.
#[derive(Debug, Clone)]
enum Latest {
    Refused(Vec<RefusedFault>),
    Accepted,
}

/// Creates that this process has refused or accepted and not yet written.
#[derive(Debug, Default)]
pub(crate) struct RefusedLog(Mutex<Gathered>);

#[derive(Debug, Default)]
struct Gathered {
    /// By supplier and number.
    accounts: HashMap<(i64, String), (DateTime<Utc>, Latest)>,
    /// By supplier.
    without_number: BTreeMap<i64, u64>,
    /// Number of accounts that were not recorded.
    dropped: u64,
}

impl Gathered {
    fn put(&mut self, supplier_id: i64, number: String, at: DateTime<Utc>, latest: Latest) {
        let key = (supplier_id, number);
        if self.accounts.len() >= GATHERED && !self.accounts.contains_key(&key) {
            self.dropped += 1;
        } else {
            self.accounts.insert(key, (at, latest));
        }
    }

    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.without_number.is_empty()
    }
}

impl RefusedLog {
    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a refused create. Only codes and patterns of paths are kept of its faults.
    pub(super) fn refused(
        &self,
        supplier_id: i64,
        number: Option<String>,
        issues: &[Issue],
        at: DateTime<Utc>,
    ) {
        let Some(number) = number else {
            *self.gathered().without_number.entry(supplier_id).or_default() += 1;
            return;
        };
        let mut causes: Vec<RefusedFault> = Vec::new();
        for issue in issues {
            let cause = RefusedFault { code: issue.code.to_string(), attr: issue.attr.pattern() };
            if !causes.contains(&cause) {
                causes.push(cause);
            }
            if causes.len() == CAUSES {
                break;
            }
        }
        self.gathered().put(supplier_id, number, at, Latest::Refused(causes));
    }

    /// Notes an accepted create: an earlier refusal is removed.
    pub(crate) fn accepted(&self, supplier_id: i64, number: &str, at: DateTime<Utc>) {
        self.gathered().put(supplier_id, number.to_owned(), at, Latest::Accepted);
    }
}

/// Refusals and accepted creates of a supplier that are not written yet.
#[derive(Debug, Clone, Default)]
struct Batch {
    accounts: Vec<(String, DateTime<Utc>, Latest)>,
    without_number: u64,
}

impl Batch {
    fn has_refused(&self) -> bool {
        let is_refused = |(_, _, latest): &(String, _, Latest)| matches!(latest, Latest::Refused(_));
        self.without_number > 0 || self.accounts.iter().any(is_refused)
    }
}

impl App {
    /// Writes the refused creates that this process has gathered, in bounded transactions. Those that could not be
    /// written are kept for the next write.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be written.
    pub fn record_refused(&self) -> Result<(), StoreError> {
        let gathered = std::mem::take(&mut *self.refused.gathered());
        if gathered.dropped > 0 {
            tracing::warn!(
                accounts = gathered.dropped,
                "too many creates at once: not all refusals are recorded"
            );
        }
        if gathered.is_empty() {
            return Ok(());
        }
        let mut by_supplier = BTreeMap::<i64, Batch>::new();
        for (supplier_id, without_number) in gathered.without_number {
            by_supplier.entry(supplier_id).or_default().without_number = without_number;
        }
        for ((supplier_id, number), (at, latest)) in gathered.accounts {
            by_supplier.entry(supplier_id).or_default().accounts.push((number, at, latest));
        }
        let mut result = Ok(());
        for (supplier_id, batch) in by_supplier {
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
                    self.gather_again(supplier_id, batch);
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

    /// Records the gathered refusals of a supplier before its caller reads them. Requests of others write nothing.
    pub(super) fn record_refused_for(&self, caller: &Caller, supplier: &SupplierCode) {
        if self.refused.gathered().is_empty() {
            return;
        }
        let found = read_committed(&*self.store, |tx| tx.supplier_of(caller.organisation_id, supplier));
        if found.is_ok_and(|supplier| supplier.is_some()) {
            self.try_to_record_refused();
        }
    }

    fn gather_again(&self, supplier_id: i64, batch: Batch) {
        let mut gathered = self.refused.gathered();
        if batch.without_number > 0 {
            *gathered.without_number.entry(supplier_id).or_default() += batch.without_number;
        }
        for (number, at, latest) in batch.accounts {
            // A later create takes precedence.
            if !gathered.accounts.contains_key(&(supplier_id, number.clone())) {
                gathered.put(supplier_id, number, at, latest);
            }
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

    /// Returns refused creates of a supplier of the caller's organisation with greater numbers than `after`, at most
    /// `limit`, and true if others follow (contract D13); `None` if there is no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn refused_creates(
        &self,
        caller: &Caller,
        supplier: &str,
        after: &str,
        limit: u32,
    ) -> Result<Option<(Vec<RefusedCreateShown>, bool)>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        self.record_refused_for(caller, &code);
        find_stale(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let mut page = tx.refused_after(supplier.id, after, limit.saturating_add(1))?;
            let has_more = page.len() > limit as usize;
            page.truncate(limit as usize);
            Ok(Some((page.iter().map(|refused| shown(refused, &supplier)).collect(), has_more)))
        })
    }

    /// Returns the figures of the refused creates of a supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn refused_figures(&self, supplier: &Supplier) -> Result<RefusedFigures, StoreError> {
        self.try_to_record_refused();
        read_committed(&*self.store, |tx| figures(tx, supplier.id))
    }

    /// Calls `f` with every refused create of a supplier, by number.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn each_refused(
        &self,
        supplier: &Supplier,
        mut f: impl FnMut(RefusedCreateShown),
    ) -> Result<(), StoreError> {
        let mut after = String::new();
        loop {
            let page = read_committed(&*self.store, |tx| tx.refused_after(supplier.id, &after, 1_000))?;
            page.iter().for_each(|refused| f(shown(refused, supplier)));
            match page.last() {
                Some(last) => after.clone_from(&last.number),
                None => return Ok(()),
            }
        }
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
    let refused = batch.accounts.iter().filter(|(_, _, latest)| matches!(latest, Latest::Refused(_)));
    let refused: Vec<String> = refused.map(|(number, _, _)| number.clone()).collect();
    let created: HashMap<String, _> = tx.created_among(supplier_id, &refused)?.into_iter().collect();
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

/// Returns the figures of the refused creates of a supplier.
pub(super) fn figures(tx: &mut dyn Tx, supplier_id: i64) -> Result<RefusedFigures, StoreError> {
    tx.refused_figures(supplier_id, TOP)
}

/// Returns the figures as answers show them.
pub(super) fn shown_figures(figures: &RefusedFigures) -> RefusedShown {
    let cause = |(cause, count): &(RefusedFault, u64)| RefusedCauseShown {
        code: cause.code.clone(),
        attr: cause.attr.clone(),
        count: *count,
    };
    RefusedShown {
        accounts: figures.accounts,
        without_number: figures.without_number,
        top_errors: figures.top.iter().map(cause).collect(),
    }
}

fn shown(refused: &RefusedCreate, supplier: &Supplier) -> RefusedCreateShown {
    let item = |cause: &RefusedFault| RefusedItem { code: cause.code.clone(), attr: cause.attr.clone() };
    RefusedCreateShown {
        external_account_number: refused.number.clone(),
        refused_at: Timestamp(supplier.settings.time_zone.local(refused.refused_at)),
        errors: refused.causes.iter().map(item).collect(),
    }
}
