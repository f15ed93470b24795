use super::OperatorError;
use super::lookup::find;
use crate::App;
use crate::account::{Progress, progress};
use crate::port::{MinuteCount, StoreError, Supplier, Tx, read};
use chrono::{DateTime, Utc};

/// Numbers of accounts of a supplier that reached their current state in a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Start of the minute.
    pub minute: DateTime<Utc>,
    /// Accounts imported, and dry runs without errors.
    pub imported: u64,
    /// Accounts that failed, including dry runs.
    pub failed: u64,
}

impl App {
    /// Returns the progress of a supplier's migration, for any organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_progress(&self, supplier: &str) -> Result<Progress, OperatorError> {
        self.try_to_record_refused();
        self.of_supplier(supplier, |tx, supplier| progress(tx, supplier, self.clock.now()))
    }

    /// Returns the activity of a supplier since the minute of `since`, oldest first, without minutes that
    /// have none.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_activity(
        &self,
        supplier: &str,
        since: DateTime<Utc>,
    ) -> Result<Vec<Activity>, OperatorError> {
        let counts = self.of_supplier(supplier, |tx, supplier| tx.minute_counts(supplier.id, since))?;
        Ok(counts.chunk_by(|one, other| one.minute == other.minute).map(Activity::of).collect())
    }

    /// Reads something about a supplier from one snapshot.
    fn of_supplier<T>(
        &self,
        code: &str,
        job: impl Fn(&mut dyn Tx, &Supplier) -> Result<T, StoreError>,
    ) -> Result<T, OperatorError> {
        let found = read(&*self.store, |tx| match find(tx, code)? {
            Some(supplier) => job(tx, &supplier).map(Some),
            None => Ok(None),
        })?;
        found.ok_or_else(|| OperatorError::not_found("supplier", code))
    }
}

impl Activity {
    /// Sums the counts of one minute. There is at least one.
    fn of(counts: &[MinuteCount]) -> Self {
        // A state of a newer version counts as neither.
        let sum = |is_failed: bool| {
            let wanted =
                |count: &&MinuteCount| count.state.known().is_some_and(|s| s.is_error() == is_failed);
            counts.iter().filter(wanted).map(|count| count.processes).sum()
        };
        Self { minute: counts[0].minute, imported: sum(false), failed: sum(true) }
    }
}
