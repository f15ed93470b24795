mod archive;
mod bulk;
mod erase;
mod export;
mod list;
pub(super) mod shown;

use crate::context::Context;
use crate::error::Error;
use crate::output::Answer;
use archive::ArchiveArgs;
use bulk::BulkArgs;
pub(super) use bulk::read_numbers;
use clap::{Args, Subcommand};
use cutover_app::port::{JobKind, ProcessFilter};
use cutover_model::ProcessStatus;
use cutover_process::State;
use erase::EraseArgs;
use export::ExportArgs;
use serde::Serialize;
use shown::Shown;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover process list ACME
  cutover process list ACME --status ERRORED --json
  cutover process list ACME --status CANCELLED --undone=false     what somebody has cancelled
  cutover process list ACME --error-code required
  cutover process show ACME A-000042      its history, its errors, and the imported account
  cutover process export ACME --format csv --out failed.csv          why accounts failed
  cutover process export ACME --format ndjson --error-code required --out failed.ndjson
  cutover process retry ACME A-000042
  cutover process retry ACME --error-code document_not_pdf               count them
  cutover process retry ACME --error-code document_not_pdf --yes
  cutover process retry ACME --status CANCELLED --yes                    what somebody has cancelled
  cutover process retry ACME --undone --yes                              what was undone
  cutover process cancel ACME --numbers-file numbers.txt --yes
  cutover process cancel ACME --status DRY_RUN_SUCCEEDED --yes           what was only rehearsed
  cutover process erase ACME                                             count what was rehearsed without an error
  cutover process erase ACME --yes --because 'end of the trial'
  cutover process archive --before 2026-01-31 --to archive.ndjson        count them
  cutover process archive --before 2026-01-31 --to archive.ndjson --yes

Without numbers, retry takes those that failed, cancel those that wait, and erase those that were rehearsed without an error. It
is a job, which goes on if the command
ends: see `cutover job --help`.

Only its owner can read an export of failed accounts. Its payloads can be corrected and sent with
`cutover-client upload`. Only its owner can read an archive: it holds payloads, a line of JSON for each process. Lines are durable
before anything is removed from the database; if that fails, the next run writes some lines again. Of several
lines with the same supplier, account number and version, the last one counts.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the processes of a supplier by creation
    List {
        /// Code of the supplier
        supplier: String,
        /// Only processes in this status, for example PENDING or ERRORED
        #[arg(long, value_parser = state)]
        status: Option<State>,
        /// Only processes that are CANCELLED because their import was undone; with =false only others
        #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
        undone: Option<bool>,
        /// Only failed processes with an item of this code, or with this error if they have no items
        #[arg(long, value_name = "CODE")]
        error_code: Option<String>,
        /// Only processes with a warning of this code
        #[arg(long, value_name = "CODE")]
        warning_code: Option<String>,
    },
    /// Show a process; with --json also the imported account
    Show(Which),
    /// Export failed accounts: their errors as CSV, or their payloads as NDJSON
    Export(ExportArgs),
    /// Cancel processes that are pending or were rehearsed; they can be sent or retried again
    Cancel(BulkArgs),
    /// Start another attempt of processes that ended without an account
    Retry(BulkArgs),
    /// Erase accounts that were only rehearsed; they can be sent again
    Erase(EraseArgs),
    /// Move payload and history of ended processes to a file; imported accounts stay
    Archive(ArchiveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct Which {
    /// Code of the supplier
    supplier: String,
    /// Number of the account at its previous supplier
    number: String,
}

/// Parses a status in upper or lower case.
fn state(word: &str) -> Result<State, cutover_core::UnknownWord> {
    word.to_ascii_uppercase().parse()
}

/// A process after a command.
#[derive(Serialize)]
struct ChangedProcess {
    external_account_number: String,
    #[serde(flatten)]
    status: ProcessStatus,
    #[serde(skip)]
    action: &'static str,
}

impl ChangedProcess {
    fn new(number: &str, status: ProcessStatus, action: &'static str) -> Self {
        let external_account_number = cutover_core::trimmed(number).to_owned();
        Self { external_account_number, status, action }
    }
}

impl Answer for ChangedProcess {
    fn text(&self) -> String {
        format!("{} {}: its status is {}.", self.action, self.external_account_number, self.status.status)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::List { supplier, status, undone, error_code, warning_code } => {
            let (error_code, warning_code) = (error_code.as_deref(), warning_code.as_deref());
            let (modified_after, is_undone) = (None, undone);
            let filter = ProcessFilter { state: status, error_code, warning_code, modified_after, is_undone };
            list::run(&app, output, &supplier, filter)?;
        }
        Command::Show(Which { supplier, number }) => {
            output.answer(&Shown::from(app.as_command().show_process(&supplier, &number)?))?;
        }
        Command::Export(args) => export::run(&app, context, args)?,
        Command::Cancel(args) => bulk::run(&app, context, JobKind::Cancel, args)?,
        Command::Erase(args) => erase::run(&app, context, args)?,
        Command::Retry(args) => bulk::run(&app, context, JobKind::Retry, args)?,
        Command::Archive(args) => archive::run(&app, context, args)?,
    }
    Ok(())
}
