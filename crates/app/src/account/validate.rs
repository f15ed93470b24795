use super::{Refused, check};
use crate::App;
use crate::auth::Caller;
use cutover_core::Issue;

impl App {
    /// Validates an account payload (contract 4.1); its warnings. Stores nothing, and does not ask
    /// whether the supplier is Ongoing (decisions D4).
    ///
    /// # Errors
    /// [`Refused`] with every fault of the payload.
    pub fn validate_account(&self, caller: &Caller, body: &[u8]) -> Result<Vec<Issue>, Refused> {
        check(self, caller, body).map(|check| check.report.warnings)
    }
}
