use crate::error::Error;
use crate::journal::usual_path;
use crate::service::Target;
use clap::Args;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// What `watch` is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct WatchOptions {
    /// The import supplier's code
    pub(super) supplier: String,
    /// Look again after so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    pub(super) interval: NonZeroU64,
    /// Print how it ended as one JSON document, as the service describes it, and nothing before
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) target: Target,
}

/// What `report` is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportOptions {
    /// The import supplier's code
    pub(super) supplier: String,
    /// What was uploaded: it says where the journal is
    #[arg(value_name = "PATH", required_unless_present = "journal")]
    paths: Vec<PathBuf>,
    /// The journal of the upload [default: the first path with .cutover-journal behind it]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write what became of every account to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) target: Target,
}

impl ReportOptions {
    /// Where the journal is.
    ///
    /// # Errors
    /// [`Error`] if it must be said.
    pub(super) fn journal(&self) -> Result<PathBuf, Error> {
        let none = || Error::refused("say with --journal FILE where the journal of the upload is");
        self.journal.clone().or_else(|| usual_path(&self.paths)).ok_or_else(none)
    }
}
