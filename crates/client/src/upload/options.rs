use crate::error::Error;
use crate::input::is_same;
use crate::journal::usual_path;
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// What `upload` is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts, folders of them, or - for NDJSON on standard input; as for validate
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) target: Target,
    /// What was answered, to go on from [default: the first path with .cutover-journal behind it]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Send again what the service has by the journal, to put right what was lost or has failed there since
    #[arg(long)]
    pub(super) again: bool,
    /// Send again what the service refused before, though it is the same
    #[arg(long)]
    pub(super) retry_refused: bool,
    /// Send what the rules find faulty as well; what is not JSON or too large is never sent
    #[arg(long)]
    pub(super) no_validate: bool,
    /// Have accounts tried and not imported; such a run has a journal of its own
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Send an account a request, for services and proxies that do not take many at once
    #[arg(long)]
    pub(super) one_by_one: bool,
    /// How many requests are under way at the same time; fewer while the service has too much to do
    #[arg(long, value_name = "N", default_value = "4")]
    connections: NonZeroUsize,
    /// Give up when the service has not done anything for so many seconds
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

/// More requests at once would only take places from others.
const MAX_CONNECTIONS: usize = 64;

impl Options {
    /// Where the journal is.
    ///
    /// # Errors
    /// [`Error`] if it must be said.
    pub(super) fn journal(&self) -> Result<PathBuf, Error> {
        if let Some(path) = &self.journal {
            return Ok(path.clone());
        }
        let none = || Error::refused("say with --journal FILE where the journal of standard input is to be");
        let mut path = usual_path(&self.paths).ok_or_else(none)?;
        if self.dry_run {
            path.set_extension("cutover-dry-run-journal");
        }
        Ok(path)
    }

    /// Where the journal of what was sent to be imported is, for a dry run; nowhere if there is none.
    pub(super) fn staged(&self) -> Option<PathBuf> {
        let is_other = |path: &PathBuf| self.journal.as_ref().is_none_or(|own| !is_same(own, path));
        usual_path(&self.paths).filter(|path| self.dry_run && path.exists() && is_other(path))
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.get().min(MAX_CONNECTIONS)
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.get())
    }
}
