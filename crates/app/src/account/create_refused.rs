use super::Refused;
use crate::port::{MayConflict, StoreError};
use cutover_core::ServiceAccountNumber;

/// Why an account was not scheduled (contract 7.2, 7.3, D4, D5).
#[derive(Debug, thiserror::Error)]
pub enum CreateRefused {
    /// The payload was refused.
    #[error(transparent)]
    Payload(#[from] Refused),
    /// The supplier is Paused or Complete.
    #[error("the import supplier takes no accounts now")]
    SupplierNotOngoing,
    /// The settings of the supplier are being changed.
    #[error("the import supplier is being changed")]
    SupplierChanging,
    /// The account exists.
    #[error("the account has been imported already")]
    AlreadyImported(ServiceAccountNumber),
    /// The account is being imported.
    #[error("the account is being imported")]
    InProgress,
}

impl From<StoreError> for CreateRefused {
    fn from(error: StoreError) -> Self {
        Self::Payload(Refused::Store(error))
    }
}

impl MayConflict for CreateRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Payload(Refused::Store(StoreError::Conflict(_))))
    }
}
