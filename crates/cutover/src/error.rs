use crate::settings::SettingsError;
use cutover_app::operator::OperatorError;
use cutover_app::port::{DocumentsUnavailable, StoreError};
use std::io;

/// The failure of a command, shown in one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A setting is unknown or cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The use case refused.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Document storage cannot be used.
    #[error(transparent)]
    Documents(#[from] DocumentsUnavailable),
    /// Standard output failed.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The command line lacks an argument that only some databases need.
    #[error("{0}")]
    Usage(String),
    /// The database cannot be reached or is read-only now.
    #[error("{0}")]
    DatabaseUnavailable(String),
    /// Any other failure, as text.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }

    /// Returns true if the database may work later without a change of the settings.
    pub(crate) fn is_outage_of_database(&self) -> bool {
        match self {
            Self::DatabaseUnavailable(_) => true,
            Self::Store(error) => error.is_passing(),
            _ => false,
        }
    }

    /// Returns true if the reader of standard output has gone, so that no message can reach it.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
