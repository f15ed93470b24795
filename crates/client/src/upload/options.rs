use super::plan::Plan;
use super::sender::SendOptions;
use crate::assemble::TableOptions;
use crate::error::Error;
use crate::expect::ExpectOption;
use crate::input::is_same;
use crate::journal::{default_path, dry_run_path};
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// The options that all commands that send have.
#[derive(Debug, Clone, Args)]
pub(super) struct RunOptions {
    /// Number of requests at the same time; fewer while the service is overloaded
    #[arg(long, value_name = "N", default_value = "4")]
    connections: NonZeroUsize,
    /// Give up after this many seconds without an answer
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    patience: NonZeroU64,
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

/// Options of `upload`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts or of tables, folders of them, or - for NDJSON of accounts on standard input; as for validate
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    target: Target,
    /// File of the answers, from which a run resumes [default: the first path with .cutover-journal appended]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Also send what was cancelled or undone at the service, and everything else that it has by the journal
    #[arg(long)]
    again: bool,
    /// Also send what the service refused before and would refuse again: too large, or faulty with --no-validate
    #[arg(long)]
    retry_refused: bool,
    /// Also send accounts that break the rules; what is not JSON or too large is never sent
    #[arg(long)]
    no_validate: bool,
    /// Let the service try the accounts and import none; such a run has its own journal
    #[arg(long)]
    dry_run: bool,
    /// Send one account per request, for services and proxies that do not accept many at once
    #[arg(long)]
    one_by_one: bool,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    expect: ExpectOption,
    #[command(flatten)]
    run: RunOptions,
}

/// Maximum number of concurrent requests; more would only take capacity from other clients.
const MAX_CONNECTIONS: usize = 64;

impl Options {
    /// Path of the journal.
    ///
    /// # Errors
    /// [`Error`] if no path can be derived.
    fn journal(&self) -> Result<PathBuf, Error> {
        let path = journal_path(self.journal.as_ref(), &self.paths)?;
        Ok(if self.dry_run && self.journal.is_none() { dry_run_path(&path) } else { path })
    }

    /// For a dry run, path of the journal of the accounts that were sent to be imported, if there is one.
    fn staged(&self) -> Option<PathBuf> {
        let is_other = |path: &PathBuf| self.journal.as_ref().is_none_or(|own| !is_same(own, path));
        default_path(&self.paths).filter(|path| self.dry_run && path.exists() && is_other(path))
    }

    /// # Errors
    /// [`Error`] if no path of the journal can be derived.
    pub(super) fn plan(&self) -> Result<Plan<'_>, Error> {
        Ok(Plan {
            requests: None,
            documents_of: None,
            paths: &self.paths,
            tables: Some(&self.tables),
            target: &self.target,
            journal: self.journal()?,
            staged: self.staged(),
            again: self.again,
            retry_refused: self.retry_refused,
            no_validate: self.no_validate,
            sending: SendOptions {
                one_by_one: self.one_by_one,
                connections: self.run.connections(),
                patience: self.run.patience(),
                dry_run: self.dry_run,
            },
            rules: &self.rules,
            expect: Some(&self.expect),
            report: &self.run.report,
            json: self.run.json,
            quiet: self.run.quiet,
        })
    }
}

impl RunOptions {
    /// Number of concurrent requests.
    pub(super) fn connections(&self) -> usize {
        self.connections.get().min(MAX_CONNECTIONS)
    }

    /// Time without an answer after which the run ends.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.get())
    }
}

/// Path of the journal.
///
/// # Errors
/// [`Error`] if none is given and none can be derived.
pub(super) fn journal_path(given: Option<&PathBuf>, inputs: &[PathBuf]) -> Result<PathBuf, Error> {
    let none = || Error::refused("name a journal for standard input with --journal FILE");
    given.cloned().or_else(|| default_path(inputs)).ok_or_else(none)
}
