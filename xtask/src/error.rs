use std::io;
use std::path::{Path, PathBuf};

/// Reasons why a chore could not be done. A fault that a check finds is an outcome, not an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot {action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot run {command}: {source}")]
    Run { command: String, source: io::Error },
    #[error("cargo does not name its host")]
    NoHost,
    #[error("the benches cannot be built")]
    BenchBuild,
    #[error("cargo failed: {0}")]
    Metadata(String),
    #[error("cannot understand the answer of cargo: {0}")]
    MetadataForm(#[from] serde_json::Error),
    #[error("{}: {source}", path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{0}")]
    Package(String),
}

impl Error {
    /// For `map_err`: names the file and what was to be done with it.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { action, path, source }
    }
}
