//! The log in memory: creates that were refused or accepted and not written yet.

use crate::port::{Clock, RefusedFault};
use chrono::{DateTime, Utc};
use cutover_core::Issue;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of causes that are kept of one refused create.
const CAUSES: usize = 100;
/// Maximum number of accounts that a node gathers between two writes.
const GATHERED: usize = 100_000;
/// Number of refused creates of a supplier that a node writes at once.
const BURST: usize = 5_000;
/// Number of refused creates of a supplier that a node writes each second in the long run. A flood of them so costs the
/// database a few percent of what the refusals cost.
const PER_SECOND: usize = 1_000;

/// The last create of an account since the log was written.
#[derive(Debug, Clone)]
pub(super) enum Latest {
    Refused(Vec<RefusedFault>),
    Accepted,
}

impl Latest {
    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// Creates that this process has refused or accepted and not yet written.
#[derive(Debug, Default)]
pub(crate) struct RefusedLog {
    gathered: Mutex<Gathered>,
    /// Held while creates are written, so that nobody reads the store while some are neither there nor here.
    writing: Mutex<()>,
    /// Number of writes that failed.
    failures: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct Gathered {
    suppliers: BTreeMap<i64, SupplierLog>,
    /// Number of accounts of all suppliers.
    accounts: usize,
    /// Number of accounts that were not recorded.
    pub(super) dropped: usize,
}

/// Creates of one supplier.
#[derive(Debug, Default)]
struct SupplierLog {
    accounts: HashMap<String, (DateTime<Utc>, Latest)>,
    /// Number of refused ones among them.
    refused: usize,
    without_number: u64,
    /// Time of the oldest refusal that is gathered, or an earlier one.
    oldest: Option<DateTime<Utc>>,
    /// Time of the oldest refusal that is being written, or an earlier one.
    being_written: Option<DateTime<Utc>>,
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
pub(super) enum Amount {
    WithinBudget,
    All,
}

impl SupplierLog {
    /// Takes creates to write: all accepted ones, and the newest of the refused ones.
    fn take(&mut self, now: DateTime<Utc>, amount: Amount) -> Batch {
        self.budget.refill(now);
        self.being_written = self.oldest.take();
        let without_number = std::mem::take(&mut self.without_number);
        let excess = match amount {
            Amount::WithinBudget => self.refused.saturating_sub(self.budget.left),
            Amount::All => 0,
        };
        let accounts = match self.time_of_oldest(excess) {
            // Of a flood few are taken, and the others stay where they are.
            Some(kept) => {
                let is_taken = |(at, latest): &(DateTime<Utc>, Latest)| !latest.is_refused() || *at > kept;
                self.accounts.extract_if(|_, create| is_taken(create)).collect()
            }
            None => std::mem::take(&mut self.accounts),
        };
        self.budget.left = self.budget.left.saturating_sub(self.refused - self.accounts.len());
        self.refused = self.accounts.len();
        self.oldest = self.accounts.values().map(|(at, _)| *at).min();
        let accounts = accounts.into_iter().map(|(number, (at, latest))| (number, at, latest)).collect();
        Batch { accounts, without_number }
    }

    fn note(&mut self, refused_at: DateTime<Utc>) {
        self.oldest = Some(self.oldest.map_or(refused_at, |oldest| oldest.min(refused_at)));
    }

    /// Returns the time up to which there are `count` refused creates, more if several are of one time; `None` for none.
    fn time_of_oldest(&self, count: usize) -> Option<DateTime<Utc>> {
        if count == 0 {
            return None;
        }
        let refused = self.accounts.values().filter(|(_, latest)| latest.is_refused());
        let mut times: Vec<_> = refused.map(|(at, _)| *at).collect();
        let last = count.min(times.len()).checked_sub(1)?;
        let (_, last, _) = times.select_nth_unstable(last);
        Some(*last)
    }

    /// Removes the oldest refused creates, at least `count`, and returns their number.
    fn remove_oldest(&mut self, count: usize) -> usize {
        let Some(last) = self.time_of_oldest(count) else { return 0 };
        let before = self.accounts.len();
        self.accounts.retain(|_, (at, latest)| !latest.is_refused() || *at > last);
        let removed = before - self.accounts.len();
        self.refused -= removed;
        removed
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
        if is_refused {
            log.refused += 1;
            log.note(at);
        }
    }

    /// Forgets a tenth of the refused creates of the supplier that has most of them, the oldest ones: a flood of one supplier
    /// leaves the others' alone. If there are few, nothing is forgotten, because searching them each time would be slow.
    fn evict(&mut self) {
        let most = self.suppliers.values_mut().max_by_key(|log| log.refused);
        let Some(log) = most.filter(|log| log.refused >= GATHERED / 10) else { return };
        let evicted = log.remove_oldest(log.refused / 10);
        self.accounts -= evicted;
        self.dropped += evicted;
    }

    /// Takes the creates to write, by supplier.
    pub(super) fn take(&mut self, now: DateTime<Utc>, amount: Amount) -> Vec<(i64, Batch)> {
        let taken = self.suppliers.iter_mut().map(|(id, log)| (*id, log.take(now, amount)));
        let taken: Vec<_> = taken.filter(|(_, batch)| !batch.is_empty()).collect();
        self.accounts = self.suppliers.values().map(|log| log.accounts.len()).sum();
        let is_needed = |log: &SupplierLog| {
            !log.accounts.is_empty() || log.budget.left < BURST || log.being_written.is_some()
        };
        self.suppliers.retain(|_, log| is_needed(log));
        taken
    }

    /// Keeps creates that could not be written for the next time.
    pub(super) fn put_back(&mut self, supplier_id: i64, batch: Batch) {
        let log = self.suppliers.entry(supplier_id).or_default();
        log.without_number += batch.without_number;
        if let Some(at) = log.being_written {
            log.note(at);
        }
        for (number, at, latest) in batch.accounts {
            // A later create takes precedence.
            let log = self.suppliers.get(&supplier_id);
            if !log.is_some_and(|log| log.accounts.contains_key(&number)) {
                self.put(supplier_id, number, at, latest);
            }
        }
    }

    /// Ends a write: everything that was taken is written or [put back](Self::put_back).
    pub(super) fn end_write(&mut self) {
        self.suppliers.values_mut().for_each(|log| log.being_written = None);
    }

    fn is_empty(&self) -> bool {
        self.suppliers.values().all(|log| log.accounts.is_empty() && log.without_number == 0)
    }
}

impl RefusedLog {
    pub(super) fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread writes, and calls `write`. If a write of another thread fails meanwhile, the next one
    /// would wait for the same outage: returns `None`.
    pub(super) fn write<T, E>(&self, write: impl FnOnce() -> Result<T, E>) -> Option<Result<T, E>> {
        let failures = self.failures.load(Ordering::SeqCst);
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.failures.load(Ordering::SeqCst) != failures {
            return None;
        }
        let written = write();
        if written.is_err() {
            self.failures.fetch_add(1, Ordering::SeqCst);
        }
        Some(written)
    }

    /// Returns true if everything is written.
    pub(super) fn is_settled(&self) -> bool {
        self.gathered().is_empty() && self.writing.try_lock().is_ok()
    }

    /// Returns true if there are refused creates that no write has taken.
    pub(crate) fn has_refused(&self) -> bool {
        self.gathered().suppliers.values().any(|log| log.refused > 0 || log.without_number > 0)
    }

    /// Returns the time before which everything that this process has refused is written, of one supplier or of all.
    pub(crate) fn complete_until(&self, supplier_id: Option<i64>, clock: &dyn Clock) -> DateTime<Utc> {
        let gathered = self.gathered();
        let logs = gathered.suppliers.iter().filter(|(id, _)| supplier_id.is_none_or(|of| of == **id));
        let oldest = logs.flat_map(|(_, log)| [log.oldest, log.being_written]).flatten();
        oldest.fold(clock.now(), DateTime::min)
    }

    /// Notes a refused create with the time that `at` returns. Only codes and patterns of paths are kept of its faults.
    pub(in crate::account) fn refused(
        &self,
        supplier_id: i64,
        number: Option<String>,
        issues: &[Issue],
        at: impl FnOnce() -> DateTime<Utc>,
    ) {
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
        let mut gathered = self.gathered();
        // Under the lock: what is noted after a write has begun is not older than that.
        let at = at();
        match number {
            Some(number) => gathered.put(supplier_id, number, at, Latest::Refused(causes)),
            None => {
                let log = gathered.suppliers.entry(supplier_id).or_default();
                log.without_number += 1;
                log.note(at);
            }
        }
    }

    /// Notes an accepted create: an earlier refusal is removed.
    pub(crate) fn accepted(&self, supplier_id: i64, number: &str, at: DateTime<Utc>) {
        self.gathered().put(supplier_id, number.to_owned(), at, Latest::Accepted);
    }
}

/// Refusals and accepted creates of a supplier that are not written yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    pub(super) accounts: Vec<(String, DateTime<Utc>, Latest)>,
    pub(super) without_number: u64,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.without_number == 0
    }

    pub(super) fn has_refused(&self) -> bool {
        self.without_number > 0 || self.accounts.iter().any(|(_, _, latest)| latest.is_refused())
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
