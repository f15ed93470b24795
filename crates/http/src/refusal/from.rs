//! Conversions of the use cases' errors to refusals.

use super::{Refusal, TransactionFailure};
use cutover_app::account::{
    BilledRefused, CancelRefused, CreateRefused, ImportedRefused, ManifestRefused, Refused,
};
use cutover_app::additions::{AddRefused, ReplaceRefused, TransactionsRefused, VendorRefused};
use cutover_app::auth::{Denied, Outcome};
use cutover_app::certificate::CertificateError;
use cutover_app::operator::{OperatorError, RunRefused, SearchRefused};
use cutover_app::port::{DocumentsUnavailable, StoreError};
use cutover_app::{DocumentRefused, FeedRefused};
use cutover_core::{AttrPath, Code, Issue, Level, RuleId};

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::Busy(_) => Self::Unavailable(error.to_string()),
            StoreError::Unwritable(_) | StoreError::ReadOnly(_) => Self::Unwritable(error.to_string()),
            StoreError::KeyMissing(_) => Self::KeyMissing(error.to_string()),
            StoreError::Conflict(_) | StoreError::Corrupt(_) | StoreError::Failed(_) => {
                Self::Unexpected(error.to_string())
            }
        }
    }
}

impl From<OperatorError> for Refusal {
    fn from(error: OperatorError) -> Self {
        match error {
            OperatorError::NotFound { .. } => Self::NotFound,
            OperatorError::Store(error) => error.into(),
            OperatorError::Exists { .. } | OperatorError::Refused(_) | OperatorError::Changed(_) => {
                Self::Unexpected(error.to_string())
            }
        }
    }
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        match denied.outcome {
            Outcome::Missing => Self::NotAuthenticated,
            _ => Self::AuthenticationFailed,
        }
    }
}

impl From<FeedRefused> for Refusal {
    fn from(refused: FeedRefused) -> Self {
        match refused {
            FeedRefused::UnknownSupplier => Self::Parameters(vec!["import_supplier"]),
            FeedRefused::Expired => Self::EventsExpired,
            FeedRefused::Store(error) => error.into(),
        }
    }
}

impl From<ImportedRefused> for Refusal {
    fn from(refused: ImportedRefused) -> Self {
        match refused {
            ImportedRefused::UnknownSupplier => Self::NotFound,
            ImportedRefused::OtherSupplier => Self::Parameters(vec!["after"]),
            ImportedRefused::Expired => Self::EventsExpired,
            ImportedRefused::Store(error) => error.into(),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Syntax(error) => Self::NotJson(error.to_string()),
            Refused::Faults(issues) => Self::AccountFaults(issues),
            Refused::Store(error) => error.into(),
        }
    }
}

impl From<CreateRefused> for Refusal {
    fn from(refused: CreateRefused) -> Self {
        match refused {
            CreateRefused::Payload(Refused::Faults(_)) => Self::ImportFaults,
            CreateRefused::Payload(refused) => refused.into(),
            CreateRefused::SupplierNotOngoing => Self::SupplierNotOngoing,
            CreateRefused::SupplierChanging => Self::Unavailable(refused.to_string()),
            CreateRefused::AlreadyImported(number) => Self::AlreadyImported(number),
            CreateRefused::InProgress => Self::InProgress,
        }
    }
}

impl From<BilledRefused> for Refusal {
    fn from(refused: BilledRefused) -> Self {
        match refused {
            BilledRefused::NotFound => Self::NotFound,
            BilledRefused::Store(error) => error.into(),
        }
    }
}

impl From<CancelRefused> for Refusal {
    fn from(refused: CancelRefused) -> Self {
        match refused {
            CancelRefused::NotFound => Self::NotFound,
            CancelRefused::NotPending => Self::NotPending,
            CancelRefused::Store(error) => error.into(),
        }
    }
}

impl From<ManifestRefused> for Refusal {
    fn from(refused: ManifestRefused) -> Self {
        match refused {
            ManifestRefused::NotFound => Self::NotFound,
            ManifestRefused::NotDeclared => Self::NoManifest,
            ManifestRefused::Syntax(error) => Self::NotJson(error.to_string()),
            ManifestRefused::Faults(issues) => Self::Faults(issues),
            ManifestRefused::Store(error) => error.into(),
        }
    }
}

impl From<RunRefused> for Refusal {
    fn from(refused: RunRefused) -> Self {
        match refused {
            RunRefused::NotFound => Self::NotFound,
            RunRefused::NotAllowed => Self::PermissionDenied,
            RunRefused::Open => Self::RunOpen,
            RunRefused::Exists => Self::RunExists,
            RunRefused::Ended => Self::RunEnded,
            RunRefused::Syntax(error) => Self::NotJson(error.to_string()),
            RunRefused::Faults(issues) => Self::Faults(issues),
            RunRefused::Store(error) => error.into(),
        }
    }
}

impl From<SearchRefused> for Refusal {
    fn from(refused: SearchRefused) -> Self {
        match refused {
            SearchRefused::NotFound => Self::NotFound,
            SearchRefused::Syntax(error) => Self::NotJson(error.to_string()),
            SearchRefused::Faults(issues) => Self::Faults(issues),
            SearchRefused::Store(error) => error.into(),
        }
    }
}

impl From<CertificateError> for Refusal {
    fn from(refused: CertificateError) -> Self {
        match refused {
            CertificateError::NotFound => Self::NotFound,
            CertificateError::NotIssued => Self::NoCertificate,
            CertificateError::LeavesRemoved => Self::LeavesRemoved,
            CertificateError::Store(error) => error.into(),
        }
    }
}

impl From<DocumentsUnavailable> for Refusal {
    fn from(error: DocumentsUnavailable) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<DocumentRefused> for Refusal {
    fn from(refused: DocumentRefused) -> Self {
        match refused {
            DocumentRefused::NotFound => Self::NotFound,
            DocumentRefused::InvalidPath => Self::Faults(vec![Issue {
                attr: AttrPath::root().name("path"),
                code: Code::InvalidDocumentPath,
                rule: RuleId("DOC-01"),
                level: Level::Error,
                detail: Code::InvalidDocumentPath.detail().into(),
            }]),
            DocumentRefused::Empty => Self::Invalid("The document is empty."),
            DocumentRefused::OtherDigest => Self::DigestMismatch,
            DocumentRefused::Exists => Self::DocumentExists,
            DocumentRefused::Storage(cause) => Self::DocumentsRefused(Some(cause)),
            DocumentRefused::Unavailable(error) => error.into(),
            DocumentRefused::Store(error) => error.into(),
        }
    }
}

impl From<AddRefused> for Refusal {
    fn from(refused: AddRefused) -> Self {
        match refused {
            AddRefused::Syntax(error) => Self::NotJson(error.to_string()),
            AddRefused::Faults(issues) => Self::Faults(issues),
            AddRefused::NotFound(code) => Self::NoAccount(code),
            AddRefused::Store(error) => error.into(),
        }
    }
}

impl From<ReplaceRefused> for Refusal {
    fn from(refused: ReplaceRefused) -> Self {
        match refused {
            ReplaceRefused::NotFound => Self::NotFound,
            ReplaceRefused::OtherIdentifier => Self::Parameters(vec!["external_business_identifier"]),
            ReplaceRefused::Add(refused) => refused.into(),
        }
    }
}

impl From<TransactionsRefused> for Refusal {
    fn from(refused: TransactionsRefused) -> Self {
        match refused {
            TransactionsRefused::Add(refused) => refused.into(),
            TransactionsRefused::Transaction { transaction_data, error_detail, errors } => {
                Self::Transaction(TransactionFailure { transaction_data, error_detail, errors })
            }
        }
    }
}

impl From<VendorRefused> for Refusal {
    fn from(refused: VendorRefused) -> Self {
        match refused {
            VendorRefused::Faults(issues) => Self::Faults(issues),
            VendorRefused::Unavailable(cause) => Self::VendorUnavailable(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_encryption_key_has_its_own_code() {
        let refusal = Refusal::from(StoreError::KeyMissing("new".into()));
        assert_eq!((refusal.status().as_u16(), refusal.code().as_str()), (503, "encryption_key_missing"));
    }

    #[test]
    fn only_transient_store_errors_ask_for_a_retry() {
        let status = |error: StoreError| Refusal::from(error).status().as_u16();
        let (full, read_only) = (StoreError::Unwritable, StoreError::ReadOnly);
        for error in [StoreError::Unavailable, full, read_only, StoreError::Busy, StoreError::KeyMissing] {
            assert_eq!(status(error(String::new())), 503);
        }
        for error in [StoreError::Corrupt, StoreError::Conflict, StoreError::Failed] {
            assert_eq!(status(error(String::new())), 500);
        }
    }
}
