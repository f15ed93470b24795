use super::options::{RunOptions, journal_path};
use super::plan::Plan;
use super::sender::SendOptions;
use crate::error::Error;
use crate::request::Selection;
use crate::service::Target;
use crate::validate::Rules;
use clap::Args;
use std::path::PathBuf;
use std::slice;

/// Options of `documents upload`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DocumentOptions {
    /// The folder with the documents, laid out as below the supplier's document root
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The code of the supplier whose documents they are
    #[arg(long, value_name = "CODE")]
    supplier: String,
    #[command(flatten)]
    target: Target,
    /// File of the answers, from which a run resumes [default: the folder with .cutover-journal appended]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Also send what the service has by the journal, which it stores once
    #[arg(long)]
    again: bool,
    /// Also send what the service refused before as too large
    #[arg(long)]
    retry_refused: bool,
    #[command(flatten)]
    run: RunOptions,
    /// Nothing is checked by rules.
    #[arg(skip)]
    rules: Rules,
}

impl DocumentOptions {
    /// # Errors
    /// [`Error`] if no path of the journal can be derived.
    pub(super) fn plan(&self) -> Result<Plan<'_>, Error> {
        let folder = slice::from_ref(&self.folder);
        Ok(Plan {
            requests: Some(Selection::Documents),
            documents_of: Some(&self.supplier),
            paths: folder,
            tables: None,
            target: &self.target,
            journal: journal_path(self.journal.as_ref(), folder)?,
            staged: None,
            again: self.again,
            retry_refused: self.retry_refused,
            no_validate: false,
            sending: SendOptions {
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
