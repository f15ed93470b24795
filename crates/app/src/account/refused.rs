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
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of refused creates that are kept of a supplier: the oldest go first.
const KEPT: u64 = 100_000;
/// Maximum number of causes that are kept of one refused create.
const CAUSES: usize = 100;
/// Maximum number of accounts that a node gathers between two writes.
const GATHERED: usize = 100_000;
/// Number of refused creates of a supplier that a node writes at once.
const BURST: usize = 5_000;
/// Number of refused creates of a supplier that a node writes each second in the long run. A flood of them so costs the
/// database a few percent of what the refusals cost.
const PER_SECOND: usize = 1_000;
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

impl Latest {
    fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// Creates that this process has refused or accepted and not yet written.
#[derive(Debug, Default)]
pub(crate) struct RefusedLog(Mutex<Gathered>);

#[derive(Debug, Default)]
struct Gathered {
    suppliers: BTreeMap<i64, SupplierLog>,
    /// Number of accounts of all suppliers.
    accounts: usize,
    /// Number of accounts that were not recorded.
    dropped: usize,
}

/// Creates of one supplier.
#[derive(Debug, Default)]
struct SupplierLog {
    accounts: HashMap<String, (DateTime<Utc>, Latest)>,
    /// Number of refused ones among them.
    refused: usize,
    without_number: u64,
    budget: Budget,
}

/// Limits how many refused creates are written: [`BURST`] at once, and [`PER_SECOND`] in the long run.
#[derive(Debug)]
struct Budget {
    left: usize,
    /// `None` before the first write.
    since: Option<DateTime<Utc>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: BURST, since: None }
    }
}

impl Budget {
    fn refill(&mut self, now: DateTime<Utc>) {
        let passed = self.since.map_or(0, |since| (now - since).num_milliseconds());
        let added = usize::try_from(passed).unwrap_or_default().saturating_mul(PER_SECOND) / 1_000;
        // A part of a refusal counts at the next time.
        if added > 0 || self.since.is_none_or(|since| since > now) {
            self.since = Some(now);
        }
        self.left = BURST.min(self.left.saturating_add(added));
    }
}

/// The number of gathered refusals to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    WithinBudget,
    All,
}

impl SupplierLog {
    /// Takes creates to write: all accepted ones, and the newest of the refused ones.
    fn take(&mut self, now: DateTime<Utc>, amount: Amount) -> Batch {
        self.budget.refill(now);
        let without_number = std::mem::take(&mut self.without_number);
        let excess = match amount {
            Amount::WithinBudget => self.refused.saturating_sub(self.budget.left),
            Amount::All => 0,
        };
        let kept = self.split_off_oldest(excess);
        self.budget.left = self.budget.left.saturating_sub(self.refused);
        self.refused = kept.len();
        let accounts = std::mem::replace(&mut self.accounts, kept);
        let accounts = accounts.into_iter().map(|(number, (at, latest))| (number, at, latest)).collect();
        Batch { accounts, without_number }
    }

    /// Removes the oldest refused creates and returns them: at least `count`, more if several are of one time.
    fn split_off_oldest(&mut self, count: usize) -> HashMap<String, (DateTime<Utc>, Latest)> {
        if count == 0 {
            return HashMap::new();
        }
        let refused = self.accounts.values().filter(|(_, latest)| latest.is_refused());
        let mut times: Vec<_> = refused.map(|(at, _)| *at).collect();
        let Some(last) = count.min(times.len()).checked_sub(1) else { return HashMap::new() };
        let (_, last, _) = times.select_nth_unstable(last);
        let oldest: HashMap<_, _> =
            self.accounts.extract_if(|_, (at, latest)| latest.is_refused() && at <= last).collect();
        self.refused -= oldest.len();
        oldest
    }
}

impl Gathered {
    fn put(&mut self, supplier_id: i64, number: String, at: DateTime<Utc>, latest: Latest) {
        if self.accounts >= GATHERED {
            self.evict();
        }
        let is_full = self.accounts >= GATHERED;
        let log = self.suppliers.entry(supplier_id).or_default();
        let is_refused = latest.is_refused();
        match log.accounts.entry(number) {
            Entry::Occupied(mut known) => {
                let (_, before) = known.insert((at, latest));
                log.refused -= usize::from(before.is_refused());
            }
            Entry::Vacant(_) if is_full => {
                self.dropped += 1;
                return;
            }
            Entry::Vacant(new) => {
                new.insert((at, latest));
                self.accounts += 1;
            }
        }
        log.refused += usize::from(is_refused);
    }

    /// Forgets a tenth of the refused creates of the supplier that has most of them, the oldest ones: a flood of one supplier
    /// leaves the others' alone. If there are few, nothing is forgotten, because searching them each time would be slow.
    fn evict(&mut self) {
        let most = self.suppliers.values_mut().max_by_key(|log| log.refused);
        let Some(log) = most.filter(|log| log.refused >= GATHERED / 10) else { return };
        let evicted = log.split_off_oldest(log.refused / 10).len();
        self.accounts -= evicted;
        self.dropped += evicted;
    }

    /// Takes the creates to write, by supplier.
    fn take(&mut self, now: DateTime<Utc>, amount: Amount) -> Vec<(i64, Batch)> {
        let taken = self.suppliers.iter_mut().map(|(id, log)| (*id, log.take(now, amount)));
        let taken: Vec<_> = taken.filter(|(_, batch)| !batch.is_empty()).collect();
        self.accounts = self.suppliers.values().map(|log| log.accounts.len()).sum();
        self.suppliers.retain(|_, log| !log.accounts.is_empty() || log.budget.left < BURST);
        taken
    }

    fn is_empty(&self) -> bool {
        self.suppliers.values().all(|log| log.accounts.is_empty() && log.without_number == 0)
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
            self.gathered().suppliers.entry(supplier_id).or_default().without_number += 1;
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
    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.without_number == 0
    }

    fn has_refused(&self) -> bool {
        self.without_number > 0 || self.accounts.iter().any(|(_, _, latest)| latest.is_refused())
    }
}

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
        let (batches, dropped) = {
            let mut gathered = self.refused.gathered();
            (gathered.take(self.clock.now(), amount), std::mem::take(&mut gathered.dropped))
        };
        if dropped > 0 {
            tracing::warn!(accounts = dropped, "too many creates at once: not all refusals are recorded");
        }
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

    /// Writes all that this process has gathered before it ends.
    pub(crate) fn try_to_record_all_refused(&self) {
        if let Err(error) = self.record_gathered(Amount::All) {
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
            gathered.suppliers.entry(supplier_id).or_default().without_number += batch.without_number;
        }
        for (number, at, latest) in batch.accounts {
            // A later create takes precedence.
            let log = gathered.suppliers.get(&supplier_id);
            if !log.is_some_and(|log| log.accounts.contains_key(&number)) {
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
    let refused = batch.accounts.iter().filter(|(_, _, latest)| latest.is_refused());
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

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(second)
    }

    fn refuse(gathered: &mut Gathered, supplier_id: i64, accounts: std::ops::Range<usize>) {
        for n in accounts {
            let time = DateTime::UNIX_EPOCH + Duration::milliseconds(n as i64);
            gathered.put(supplier_id, format!("E-{n}"), time, Latest::Refused(Vec::new()));
        }
    }

    /// The number of accounts taken of each supplier, with the least and the greatest number of a refused one.
    fn taken(gathered: &mut Gathered, second: i64) -> Vec<(i64, usize, i64, i64)> {
        let batches = gathered.take(at(second), Amount::WithinBudget);
        let figures = |(supplier_id, batch): (i64, Batch)| {
            let refused = batch.accounts.iter().filter(|(_, _, latest)| latest.is_refused());
            let times: Vec<_> = refused.map(|(_, at, _)| at.timestamp_millis()).collect();
            let (least, most) = (times.iter().min(), times.iter().max());
            (supplier_id, batch.accounts.len(), *least.unwrap_or(&-1), *most.unwrap_or(&-1))
        };
        batches.into_iter().map(figures).collect()
    }

    #[test]
    fn a_flood_is_written_within_the_budget_and_the_newest_first() {
        let mut gathered = Gathered::default();
        refuse(&mut gathered, 1, 0..70_000);
        refuse(&mut gathered, 2, 0..10);
        gathered.put(1, "A-1".into(), at(0), Latest::Accepted);
        assert_eq!(taken(&mut gathered, 0), [(1, 5_001, 65_000, 69_999), (2, 10, 0, 9)]);
        assert_eq!(taken(&mut gathered, 0), []);
        // A thousand each second, and never more at once than at the beginning.
        assert_eq!(taken(&mut gathered, 1), [(1, 1_000, 64_000, 64_999)]);
        assert_eq!(taken(&mut gathered, 3_600), [(1, 5_000, 59_000, 63_999)]);
        let rest = gathered.take(at(3_600), Amount::All);
        assert_eq!((rest[0].1.accounts.len(), gathered.accounts, gathered.dropped), (59_000, 0, 0));
    }

    #[test]
    fn a_flood_of_one_supplier_leaves_the_others_alone() {
        let mut gathered = Gathered::default();
        refuse(&mut gathered, 2, 0..100);
        gathered.put(1, "A-1".into(), at(0), Latest::Accepted);
        refuse(&mut gathered, 1, 0..250_000);
        assert!(gathered.accounts <= GATHERED && gathered.dropped > 150_000, "{}", gathered.dropped);
        assert_eq!(gathered.accounts + gathered.dropped, 250_101);
        assert!(gathered.suppliers[&1].accounts.contains_key("E-249999"));
        assert!(matches!(gathered.suppliers[&1].accounts["A-1"].1, Latest::Accepted));
        assert_eq!(gathered.suppliers[&2].accounts.len(), 100);
    }

    #[test]
    fn an_account_counts_as_refused_by_its_last_create() {
        let mut gathered = Gathered::default();
        for latest in [Latest::Refused(Vec::new()), Latest::Accepted, Latest::Refused(Vec::new())] {
            gathered.put(1, "E-1".into(), at(0), latest);
        }
        assert_eq!((gathered.accounts, gathered.suppliers[&1].refused), (1, 1));
        gathered.put(1, "E-1".into(), at(0), Latest::Accepted);
        assert_eq!((gathered.accounts, gathered.suppliers[&1].refused), (1, 0));
    }
}
