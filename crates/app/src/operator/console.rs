//! The first pages of the console: the suppliers, and the migration of one.

use super::{Activity, Operations, OperatorError};
use crate::account::{Progress, StatusCount, progress};
use crate::port::Supplier;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// Number of minutes of activity shown, including the current one.
const MINUTES: i64 = 60;

/// An import supplier with the number of its accounts in each state, without zero counts.
#[derive(Debug, Clone)]
pub struct CountedSupplier {
    /// The supplier.
    pub supplier: Supplier,
    /// The number of its accounts by state.
    pub counts: Vec<StatusCount>,
    /// True if its imports are held.
    pub is_held: bool,
}

/// The state of a supplier's migration.
#[derive(Debug, Clone)]
pub struct Migration {
    /// The supplier.
    pub supplier: Supplier,
    /// Its progress.
    pub progress: Progress,
    /// What happened in each minute of the last hour, oldest first.
    pub activity: Vec<Activity>,
    /// Time of the query.
    pub at: DateTime<Utc>,
}

impl Operations<'_> {
    /// Returns the import suppliers with the numbers of their accounts, by code.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn counted_suppliers(&self) -> Result<Vec<CountedSupplier>, OperatorError> {
        self.read_committed(|tx| {
            let suppliers = tx.suppliers()?.into_iter();
            let counted = |supplier: Supplier| {
                let counts = StatusCount::of(&tx.state_counts(supplier.id)?);
                let is_held = tx.hold(supplier.id)?.is_some();
                Ok(CountedSupplier { supplier, counts, is_held })
            };
            suppliers.map(counted).collect()
        })
    }

    /// Returns the state of the migration of a supplier. The cost does not depend on the number of accounts.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this code.
    pub fn migration(&self, code: &str) -> Result<Migration, OperatorError> {
        self.app.try_to_record_refused();
        let at = self.app.clock.now();
        let this = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        let first = this - TimeDelta::minutes(MINUTES - 1);
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let seen =
                Activity::of_minutes(&tx.activity(supplier.id, first, this + TimeDelta::minutes(1))?);
            let of_minute = |minute| {
                let found = seen.iter().find(|activity| activity.minute == minute);
                found.copied().unwrap_or(Activity { minute, imported: 0, failed: 0 })
            };
            let activity = (0..MINUTES).map(|n| of_minute(first + TimeDelta::minutes(n))).collect();
            let progress = progress(tx.rows(), &supplier, at)?;
            Ok(Migration { progress, supplier, activity, at })
        })
    }
}
