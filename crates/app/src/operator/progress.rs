use super::{Operations, OperatorError};
use crate::account::{Progress, progress};
use crate::port::MinuteCount;
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

impl Operations<'_> {
    /// Returns the progress of a supplier's migration.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_progress(&self, supplier: &str) -> Result<Progress, OperatorError> {
        self.app.try_to_record_refused();
        self.read(|tx| {
            let supplier = tx.supplier(supplier)?;
            Ok(progress(tx.rows(), &supplier, self.app.clock.now())?)
        })
    }
}

impl Activity {
    /// Returns the activity in minutes that have any, oldest first.
    pub(super) fn of_minutes(counts: &[MinuteCount]) -> Vec<Self> {
        counts.chunk_by(|one, other| one.minute == other.minute).map(Self::of).collect()
    }

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
