//! Everything that people watch in the night of a migration.

use super::{Readiness, Services, sees_all};
use crate::App;
use crate::account::Progress;
use crate::auth::Caller;
use crate::operator::OperatorError;
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

impl App {
    /// Returns the state of a supplier of an organisation in the night of its migration. The cost does not depend on
    /// the number of accounts.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this code.
    pub fn own_night(
        &self,
        caller: &Caller,
        code: &str,
        services: &Services,
    ) -> Result<Night, OperatorError> {
        let supplier = self.own_supplier(caller, code)?;
        let progress = self.show_progress(code)?;
        let facts = self.facts(&supplier, services)?;
        let (gate, at) = (facts.gate.clone(), facts.now);
        let first_window = facts.windows.windows.first().map(|window| window.end);
        let readiness = self.judged(facts, services, sees_all(caller))?;
        Ok(Night { supplier, progress, readiness, gate, first_window, at })
    }
}
