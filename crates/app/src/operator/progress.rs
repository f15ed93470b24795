use super::{Operations, OperatorError};
use crate::account::{Progress, progress};
use crate::port::{ActivityCount, ActivityKind};
use chrono::{DateTime, Utc};

/// What happened to accounts of a supplier in a minute, whatever became of them since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Start of the minute.
    pub minute: DateTime<Utc>,
    /// Accounts imported, and dry runs without errors.
    pub imported: u64,
    /// Accounts that failed, including dry runs, or were refused.
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
    pub(super) fn of_minutes(counts: &[ActivityCount]) -> Vec<Self> {
        counts.chunk_by(|one, other| one.minute == other.minute).map(Self::of).collect()
    }

    /// Sums the counts of one minute. There is at least one.
    fn of(counts: &[ActivityCount]) -> Self {
        // A kind of a newer version counts as neither.
        let sum = |is_wanted: fn(ActivityKind) -> bool| {
            let wanted = |count: &&ActivityCount| count.kind.known().is_some_and(|kind| is_wanted(*kind));
            counts.iter().filter(wanted).map(|count| count.accounts).sum()
        };
        let (imported, failed) = (sum(ActivityKind::is_success), sum(ActivityKind::is_failure));
        Self { minute: counts[0].minute, imported, failed }
    }
}
