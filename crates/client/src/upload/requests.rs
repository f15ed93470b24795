use super::options::{connections, journal_path};
use super::plan::Plan;
use super::sender::SendOptions;
use crate::error::Error;
use crate::request::Selection;
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `send`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestOptions {
    /// What the files hold
    #[arg(value_enum, value_name = "WHAT")]
    requests: Selection,
    /// Files of requests, folders of them, or - for NDJSON on standard input; one request per line or value, as for upload
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    target: Target,
    /// File of the answers, from which a run resumes [default: the first path with .cutover-journal appended]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Also send what the service has by the journal, which it does not add twice
    #[arg(long)]
    again: bool,
    /// Also send what the service refused before as too large
    #[arg(long)]
    retry_refused: bool,
    /// Number of requests at the same time; fewer while the service is overloaded
    #[arg(long, value_name = "N", default_value = "4")]
    connections: NonZeroUsize,
    /// Give up after this many seconds without an answer
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    patience: NonZeroU64,
    #[command(flatten)]
    rules: Rules,
    /// Write every finding and refusal to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Print the summary as one JSON document
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl RequestOptions {
    /// # Errors
    /// [`Error`] if no path of the journal can be derived.
    pub(super) fn plan(&self) -> Result<Plan<'_>, Error> {
        Ok(Plan {
            requests: Some(self.requests),
            documents_of: None,
            paths: &self.paths,
            tables: None,
            target: &self.target,
            journal: journal_path(self.journal.as_ref(), &self.paths)?,
            staged: None,
            again: self.again,
            retry_refused: self.retry_refused,
            no_validate: false,
            sending: SendOptions {
                // There is no endpoint for many requests at once.
                one_by_one: true,
                connections: connections(self.connections),
                patience: Duration::from_secs(self.patience.get()),
                dry_run: false,
            },
            rules: &self.rules,
            expect: None,
            report: &self.report,
            json: self.json,
            quiet: self.quiet,
        })
    }
}
