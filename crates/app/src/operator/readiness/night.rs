//! Everything that people watch in the night of a migration.

use super::{Checks, Readiness, Services};
use crate::account::{Progress, progress};
use crate::operator::{Operations, OperatorError};
use crate::port::{Gate, Supplier};
use chrono::{DateTime, Utc};

/// The state of a supplier in the night of its migration.
#[derive(Debug, Clone)]
pub struct Night {
    /// The supplier.
    pub supplier: Supplier,
    /// Its progress.
    pub progress: Progress,
    /// The checks before the next wave, and the forecast.
    pub readiness: Readiness,
    /// Its gate, with the running wave; `None` if it has none.
    pub gate: Option<Gate>,
    /// The time at which the first window of accounts that wait closes.
    pub first_window: Option<DateTime<Utc>>,
    /// Time of the query.
    pub at: DateTime<Utc>,
}

impl Operations<'_> {
    /// Returns the state of a supplier in the night of its migration. The cost does not depend on the number of accounts.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this code.
    pub fn night(&self, code: &str, services: &Services) -> Result<Night, OperatorError> {
        self.app.try_to_record_refused();
        let (supplier, progress) = self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let progress = progress(tx.rows(), &supplier, self.app.clock.now())?;
            Ok((supplier, progress))
        })?;
        let facts = self.sampled_lately(&supplier, self.app.facts(&supplier, services)?)?;
        let (gate, at) = (facts.gate.clone(), facts.now);
        let first_window = facts.windows.windows.first().map(|window| window.end);
        let readiness = self.app.judged(facts, services, Checks::All, false)?;
        Ok(Night { supplier, progress, readiness, gate, first_window, at })
    }
}
