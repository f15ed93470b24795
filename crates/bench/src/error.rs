use std::io;
use std::path::{Path, PathBuf};

/// Reasons why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot {action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot run {command}: {source}")]
    Run { command: String, source: io::Error },
    #[error("{}: {source}", path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{0}")]
    Bench(String),
}

impl Error {
    /// For `map_err`: names the file and what was to be done with it.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }
}
