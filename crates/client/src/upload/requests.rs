use super::options::{RunOptions, journal_path};
use super::plan::Plan;
use super::sender::SendOptions;
use crate::assemble::TableOptions;
use crate::error::Error;
use crate::request::Selection;
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::path::PathBuf;

/// Options of `send`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestOptions {
    /// What the files hold
    #[arg(value_enum, value_name = "WHAT")]
    requests: Selection,
    /// Files of requests or of tables, folders of them, or - for NDJSON of requests on standard input; as for upload
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    tables: TableOptions,
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
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    run: RunOptions,
}

impl RequestOptions {
    /// # Errors
    /// [`Error`] if no path of the journal can be derived.
    pub(super) fn plan(&self) -> Result<Plan<'_>, Error> {
        Ok(Plan {
            requests: Some(self.requests),
            documents_of: None,
            paths: &self.paths,
            tables: Some(&self.tables),
            target: &self.target,
            journal: journal_path(self.journal.as_ref(), &self.paths)?,
            staged: None,
            again: self.again,
            retry_refused: self.retry_refused,
            no_validate: false,
            sending: SendOptions {
                // There is no endpoint for many requests at once.
                one_by_one: true,
                connections: self.run.connections(),
                patience: self.run.patience(),
                dry_run: false,
            },
            rules: &self.rules,
            expect: None,
            report: &self.run.report,
            json: self.run.json,
            quiet: self.run.quiet,
        })
    }
}
