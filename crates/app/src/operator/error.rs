use crate::port::StoreError;

/// Reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The thing that it names does not exist.
    #[error("there is no {what} {name:?}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// The name in the command.
        name: String,
    },
    /// The thing that it would create exists.
    #[error("the {what} {name:?} exists already")]
    Exists {
        /// The kind of thing.
        what: &'static str,
        /// The name in the command.
        name: String,
    },
    /// The command is not allowed. The text gives the reason.
    #[error("{0}")]
    Refused(String),
    /// The supplier's hold or settings have changed since the author of the command saw them. The text says how.
    #[error("{0}")]
    Changed(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OperatorError {
    pub(crate) fn not_found(what: &'static str, name: impl ToString) -> Self {
        Self::NotFound { what, name: name.to_string() }
    }
}
