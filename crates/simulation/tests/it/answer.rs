//! Answers as a caller sees them.

use cutover_app::account::{BilledRefused, CreateRefused, Refused};
use cutover_app::additions::{AddRefused, ReplaceRefused, TransactionsRefused, VendorRefused};
use cutover_app::operator::{ArchiveError, OperatorError};
use cutover_app::port::StoreError;

/// Outcome of an operation as far as its caller can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It is done; for items to be added, whether each was added.
    Done(Vec<bool>),
    /// It is refused, and nothing was done.
    Refused(&'static str),
    /// It may or may not have been done, and is safe to retry.
    Unavailable,
    /// No answer arrived.
    Silence,
    /// Something failed that only a fault of the service can explain, unless the code was made to panic.
    Failed(String),
    /// An answer that must never be given.
    Wrong(String),
}

impl Answer {
    pub(crate) fn done() -> Self {
        Self::Done(Vec::new())
    }

    /// Label for counting.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Done(added) if added.iter().any(|added| *added) => "added",
            Self::Done(_) => "done",
            Self::Refused(why) => why,
            Self::Unavailable => "unavailable",
            Self::Silence => "silence",
            Self::Failed(_) => "failed",
            Self::Wrong(_) => "wrong",
        }
    }
}

impl From<StoreError> for Answer {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(_) => Self::Unavailable,
            error if error.is_passing() => Self::Unavailable,
            StoreError::Failed(_) => Self::Failed(error.to_string()),
            error => Self::Wrong(error.to_string()),
        }
    }
}

impl From<CreateRefused> for Answer {
    fn from(refused: CreateRefused) -> Self {
        match refused {
            CreateRefused::Payload(Refused::Store(error)) => error.into(),
            CreateRefused::Payload(Refused::Syntax(_) | Refused::Faults(_)) => Self::Refused("faults"),
            CreateRefused::SupplierNotOngoing => Self::Refused("not ongoing"),
            CreateRefused::SupplierChanging => Self::Refused("supplier changing"),
            CreateRefused::AlreadyImported(_) => Self::Refused("already imported"),
            CreateRefused::InProgress => Self::Refused("in progress"),
        }
    }
}

impl From<BilledRefused> for Answer {
    fn from(refused: BilledRefused) -> Self {
        match refused {
            BilledRefused::Store(error) => error.into(),
            BilledRefused::NotFound => Self::Refused("not found"),
        }
    }
}

impl From<AddRefused> for Answer {
    fn from(refused: AddRefused) -> Self {
        match refused {
            AddRefused::Store(error) => error.into(),
            AddRefused::Syntax(_) | AddRefused::Faults(_) => Self::Refused("faults"),
            AddRefused::NotFound(_) => Self::Refused("not found"),
        }
    }
}

impl From<ReplaceRefused> for Answer {
    fn from(refused: ReplaceRefused) -> Self {
        match refused {
            ReplaceRefused::NotFound => Self::Refused("not found"),
            ReplaceRefused::OtherIdentifier => Self::Wrong(refused.to_string()),
            ReplaceRefused::Add(refused) => refused.into(),
        }
    }
}

impl From<TransactionsRefused> for Answer {
    fn from(refused: TransactionsRefused) -> Self {
        match refused {
            TransactionsRefused::Add(refused) => refused.into(),
            TransactionsRefused::Transaction { .. } => Self::Refused("faults"),
        }
    }
}

impl From<VendorRefused> for Answer {
    fn from(refused: VendorRefused) -> Self {
        match refused {
            VendorRefused::Faults(_) => Self::Refused("faults"),
            VendorRefused::Unavailable(_) => Self::Unavailable,
        }
    }
}

impl From<OperatorError> for Answer {
    fn from(error: OperatorError) -> Self {
        match error {
            OperatorError::Store(error) => error.into(),
            OperatorError::NotFound { .. } => Self::Refused("not found"),
            OperatorError::Exists { .. } => Self::Refused("exists"),
            OperatorError::Refused(_) => Self::Refused("refused"),
            OperatorError::Changed(_) => Self::Refused("changed"),
        }
    }
}

impl From<ArchiveError> for Answer {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Operator(error) => error.into(),
            ArchiveError::Archive(error) => Self::Wrong(error.to_string()),
        }
    }
}
