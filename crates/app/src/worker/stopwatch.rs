use super::claim::Claimed;
use crate::port::Clock;
use chrono::{DateTime, Utc};
use cutover_process::LEASE;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Measures how long the accounts of each supplier take in a round of a worker.
pub(super) struct Stopwatch<'a> {
    clock: &'a dyn Clock,
    supplier_of: HashMap<i64, i64>,
    laps: RefCell<Laps>,
}

struct Laps {
    last: DateTime<Utc>,
    times: BTreeMap<i64, Duration>,
}

impl<'a> Stopwatch<'a> {
    pub(super) fn start(clock: &'a dyn Clock, claims: &[Claimed]) -> Self {
        let supplier_of = claims.iter().map(|claimed| (claimed.process.id(), claimed.supplier.id)).collect();
        Self { clock, supplier_of, laps: RefCell::new(Laps { last: clock.now(), times: BTreeMap::new() }) }
    }

    /// Counts the time since the last call for the suppliers of these processes, in the proportion of their
    /// weights.
    pub(super) fn lap(&self, processes: impl Iterator<Item = (i64, u64)>) {
        let mut laps = self.laps.borrow_mut();
        let now = self.clock.now();
        // The clock may have been set.
        let most = LEASE.to_std().unwrap_or_default();
        let took = (now - laps.last).to_std().unwrap_or_default().min(most);
        laps.last = now;
        let parts: Vec<(i64, u64)> =
            processes.filter_map(|(id, weight)| Some((*self.supplier_of.get(&id)?, weight.max(1)))).collect();
        let whole: u128 = parts.iter().map(|(_, weight)| u128::from(*weight)).sum();
        for (supplier_id, weight) in parts {
            let part = took.as_nanos() * u128::from(weight) / whole;
            *laps.times.entry(supplier_id).or_default() +=
                Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX));
        }
    }

    /// Returns the suppliers, each with the number of its accounts and their time.
    pub(super) fn times(&self) -> impl Iterator<Item = (i64, u32, Duration)> {
        let mut accounts: BTreeMap<i64, u32> = BTreeMap::new();
        self.supplier_of.values().for_each(|supplier_id| *accounts.entry(*supplier_id).or_default() += 1);
        let times = self.laps.borrow().times.clone();
        accounts.into_iter().map(move |(id, count)| (id, count, times.get(&id).copied().unwrap_or_default()))
    }
}
