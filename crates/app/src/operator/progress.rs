use super::OperatorError;
use super::suppliers::find;
use crate::App;
use crate::account::{Progress, progress};
use crate::port::{MinuteCount, StoreError, Supplier, Tx, read};
use chrono::{DateTime, Utc};

/// What came of the accounts of a supplier in a minute: each counts where it stands now, in the minute in
/// which it came there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// When the minute began.
    pub minute: DateTime<Utc>,
    /// Imported, or rehearsed without an error.
    pub imported: u64,
    /// Failed, dry runs too.
    pub failed: u64,
}

impl App {
    /// How far the migration of a supplier has come, whoever owns it.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn show_progress(&self, supplier: &str) -> Result<Progress, OperatorError> {
        self.of_supplier(supplier, |tx, supplier| progress(tx, supplier, self.clock.now()))
    }

    /// What came of the accounts of a supplier from the minute of a time on, oldest first; minutes in which
    /// nothing did are left out.
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

    /// What one state of the database says of a supplier.
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
    /// Of the counts of one minute, of which there is one at least.
    fn of(counts: &[MinuteCount]) -> Self {
        // Of a status that a newer version wrote, nobody here knows which it is.
        let sum = |is_failed: bool| {
            let wanted =
                |count: &&MinuteCount| count.state.known().is_some_and(|s| s.is_error() == is_failed);
            counts.iter().filter(wanted).map(|count| count.processes).sum()
        };
        Self { minute: counts[0].minute, imported: sum(false), failed: sum(true) }
    }
}
