//! Certificates of what the service has of a supplier's accounts (contract D17, decision 0050).

mod issue;
mod keys;
mod leaves;
mod read;
mod remove;

pub use issue::certified_accounts;
pub use keys::CertificateKeyReport;
pub use leaves::LeavesPage;
pub(crate) use leaves::{forget_account, forget_some};
pub use read::IssuedCertificate;
pub use remove::LeavesOf;

use crate::port::{MayConflict, StoreError};

/// Reason why no certificate was issued or returned.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// There is no such supplier or certificate, or the certificate has no leaf for the account.
    #[error("there is no such certificate")]
    NotFound,
    /// No certificate of the supplier was issued.
    #[error("no certificate was issued")]
    NotIssued,
    /// The leaves of the certificate were removed.
    #[error("the leaves of this certificate are not kept any more")]
    LeavesRemoved,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayConflict for CertificateError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}
