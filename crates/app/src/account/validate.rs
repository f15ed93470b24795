use super::{Refused, check};
use crate::App;
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step};

impl App {
    /// Validates an account payload (contract 4.1). Stores nothing, and does not ask whether the supplier
    /// is Ongoing (contract D4).
    ///
    /// # Errors
    /// [`Refused`] with every fault of the payload.
    pub fn validate_account(
        &self,
        caller: &Caller,
        body: &[u8],
        found: Option<&FoundDocuments>,
    ) -> Result<Step<()>, Refused> {
        check(self, caller, body, found).map(|step| step.map(drop))
    }
}
