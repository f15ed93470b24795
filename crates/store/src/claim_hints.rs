//! Lower bounds in memory, from which the claims of this process begin to read.
//!
//! While any transaction of the server can still see old rows (a backup, a forgotten session), PostgreSQL
//! keeps the index entries of every process that was claimed since. A claim that began at the start of an
//! index would read all of them. A bound in the database would itself leave a dead row version for each
//! claim, so each process keeps its own. A lost hint costs one longer read.

use chrono::{DateTime, TimeDelta, Utc};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Delay after its time within which a process or a lease may be committed and still be found at once.
const LATE: TimeDelta = TimeDelta::seconds(1);
/// Lifetime of a hint. A process that is committed even later is found when the hint ends.
const LIFETIME: TimeDelta = TimeDelta::seconds(30);

/// The hints of one store.
#[derive(Debug, Default)]
pub(crate) struct ClaimHints(Mutex<Hints>);

#[derive(Debug, Default)]
struct Hints {
    /// Key of the supplier that the last claim ended with.
    last_served: i64,
    suppliers: HashMap<i64, SupplierHints>,
}

/// Lower bounds for one supplier.
#[derive(Debug, Clone, Copy, Default)]
struct SupplierHints {
    due: Option<Hint>,
    leases: Option<Hint>,
}

#[derive(Debug, Clone, Copy)]
struct Hint {
    from: DateTime<Utc>,
    /// When the first of the bounds was read that led to this one.
    since: DateTime<Utc>,
}

/// The lower bounds from which to read processes of a supplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) supplier_id: i64,
    /// No pending process is due before this.
    pub(crate) due_from: Option<DateTime<Utc>>,
    /// No lease ends before this.
    pub(crate) leases_from: Option<DateTime<Utc>>,
}

impl ClaimHints {
    /// Returns the key of the supplier that the last claim ended with. The next claim begins with the one
    /// after it.
    pub(crate) fn last_served(&self) -> i64 {
        self.lock().last_served
    }

    pub(crate) fn set_last_served(&self, supplier_id: i64) {
        self.lock().last_served = supplier_id;
    }

    /// Returns the bounds that are valid at a time.
    pub(crate) fn bounds(&self, at: DateTime<Utc>) -> Vec<Bounds> {
        let mut hints = self.lock();
        hints.suppliers.retain(|_, of| {
            of.due = of.due.filter(|hint| hint.holds(at));
            of.leases = of.leases.filter(|hint| hint.holds(at));
            of.due.is_some() || of.leases.is_some()
        });
        let bounds = |(supplier_id, of): (&i64, &SupplierHints)| Bounds {
            supplier_id: *supplier_id,
            due_from: of.due.map(|hint| hint.from),
            leases_from: of.leases.map(|hint| hint.from),
        };
        hints.suppliers.iter().map(bounds).collect()
    }

    /// Notes that at the time `at` the first pending process of a supplier was due at `first`.
    pub(crate) fn set_first_due(&self, supplier_id: i64, first: DateTime<Utc>, at: DateTime<Utc>) {
        Hint::advance(&mut self.lock().suppliers.entry(supplier_id).or_default().due, first, at);
    }

    /// Notes that at the time `at` the first lease of a supplier ended at `first`.
    pub(crate) fn set_first_lease(&self, supplier_id: i64, first: DateTime<Utc>, at: DateTime<Utc>) {
        Hint::advance(&mut self.lock().suppliers.entry(supplier_id).or_default().leases, first, at);
    }

    fn lock(&self) -> MutexGuard<'_, Hints> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hint {
    fn holds(&self, at: DateTime<Utc>) -> bool {
        (TimeDelta::zero()..LIFETIME).contains(&(at - self.since))
    }

    fn advance(hint: &mut Option<Self>, first: DateTime<Utc>, at: DateTime<Utc>) {
        let from = first - LATE;
        *hint = Some(match hint.filter(|hint| hint.holds(at)) {
            Some(before) => Self { from: before.from.max(from), ..before },
            None => Self { from, since: at },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn a_hint_moves_forward_and_ends_after_its_lifetime() {
        let hints = ClaimHints::default();
        assert_eq!(hints.bounds(at(0)), []);
        hints.set_first_due(7, at(-5), at(0));
        hints.set_first_due(7, at(20), at(25));
        hints.set_first_lease(7, at(40), at(25));
        let bounds = |due_from, leases_from| Bounds { supplier_id: 7, due_from, leases_from };
        assert_eq!(hints.bounds(at(29)), [bounds(Some(at(19)), Some(at(39)))]);
        assert_eq!(hints.bounds(at(30)), [bounds(None, Some(at(39)))]);
        assert_eq!(hints.bounds(at(55)), []);
    }

    #[test]
    fn a_hint_ends_when_the_clock_goes_back() {
        let hints = ClaimHints::default();
        hints.set_first_due(7, at(0), at(0));
        assert_eq!(hints.bounds(at(-1)), []);
    }
}
