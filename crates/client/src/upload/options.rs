use crate::error::Error;
use crate::input::is_same;
use crate::journal::{default_path, dry_run_path};
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `upload`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts, folders of them, or - for NDJSON on standard input; as for validate
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) target: Target,
    /// File of the answers, from which a run resumes [default: the first path with .cutover-journal appended]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Also send what was cancelled or undone at the service, and everything else that it has by the journal
    #[arg(long)]
    pub(super) again: bool,
    /// Also send what the service refused before and would refuse again: too large, or faulty with --no-validate
    #[arg(long)]
    pub(super) retry_refused: bool,
    /// Also send accounts that break the rules; what is not JSON or too large is never sent
    #[arg(long)]
    pub(super) no_validate: bool,
    /// Let the service try the accounts and import none; such a run has its own journal
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Send one account per request, for services and proxies that do not accept many at once
    #[arg(long)]
    pub(super) one_by_one: bool,
    /// Number of requests at the same time; fewer while the service is overloaded
    #[arg(long, value_name = "N", default_value = "4")]
    connections: NonZeroUsize,
    /// Give up after this many seconds without an answer
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    patience: NonZeroU64,
    #[command(flatten)]
    pub(super) rules: Rules,
    /// Write every finding and refusal to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Maximum number of concurrent requests; more would only take capacity from other clients.
const MAX_CONNECTIONS: usize = 64;

impl Options {
    /// Path of the journal.
    ///
    /// # Errors
    /// [`Error`] if no path can be derived.
    pub(super) fn journal(&self) -> Result<PathBuf, Error> {
        if let Some(path) = &self.journal {
            return Ok(path.clone());
        }
        let none = || Error::refused("name a journal for standard input with --journal FILE");
        let mut path = default_path(&self.paths).ok_or_else(none)?;
        if self.dry_run {
            path = dry_run_path(&path);
        }
        Ok(path)
    }

    /// For a dry run, path of the journal of the accounts that were sent to be imported, if there is one.
    pub(super) fn staged(&self) -> Option<PathBuf> {
        let is_other = |path: &PathBuf| self.journal.as_ref().is_none_or(|own| !is_same(own, path));
        default_path(&self.paths).filter(|path| self.dry_run && path.exists() && is_other(path))
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.get().min(MAX_CONNECTIONS)
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.get())
    }
}
