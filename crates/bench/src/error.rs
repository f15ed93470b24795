use std::path::{Path, PathBuf};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    Bench(String),
    /// A program of others is missing.
    #[error("NOT RUN: {0}")]
    Missing(String),
    #[error("cannot {operation} {}: {source}", path.display())]
    File { operation: &'static str, path: PathBuf, source: std::io::Error },
    #[error("cannot run {command}: {source}")]
    Run { command: String, source: std::io::Error },
}

impl Error {
    /// For `map_err`: names the operation and the file.
    pub(crate) fn file(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { operation, path: path.to_owned(), source }
    }

    /// For `map_err`: shows any error.
    pub(crate) fn of(error: impl std::fmt::Display) -> Self {
        Self::Bench(error.to_string())
    }
}
