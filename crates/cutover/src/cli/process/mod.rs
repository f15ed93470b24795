mod archive;
mod list;
pub(super) mod shown;

use super::Context;
use crate::error::Error;
use crate::output::Answer;
use archive::ArchiveArgs;
use clap::{Args, Subcommand};
use cutover_model::ProcessStatus;
use cutover_process::State;
use serde::Serialize;
use shown::Shown;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover process list ACME
  cutover process list ACME --status ERRORED --json
  cutover process show ACME A-000042      its history, its errors, and what was imported
  cutover process retry ACME A-000042
  cutover process archive --before 2026-01-31 --to archive.ndjson        how many there are
  cutover process archive --before 2026-01-31 --to archive.ndjson --yes

An archive is for its owner alone: it holds payloads. It has a line of JSON for each process. Lines are
durable before anything leaves the database; should that fail, the next run writes some again. Of lines of
one supplier, account number and version, the last counts.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the processes of a supplier by creation
    List {
        /// The supplier's code
        supplier: String,
        /// Only those of a status, such as PENDING or ERRORED
        #[arg(long, value_parser = state)]
        status: Option<State>,
    },
    /// Show all that is known of a process; with --json also the account that was imported
    Show(Which),
    /// Take a pending process out; it can be sent or retried again
    Cancel(Which),
    /// Start another attempt at a process that ended without an account
    Retry(Which),
    /// Move payload and history of processes that have ended to a file; what was imported stays
    Archive(ArchiveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The supplier's code
    supplier: String,
    /// The account's number at its previous supplier
    number: String,
}

/// A status in any case.
fn state(word: &str) -> Result<State, cutover_core::UnknownWord> {
    word.to_ascii_uppercase().parse()
}

/// The status that a command left a process in.
#[derive(Serialize)]
struct Stepped {
    external_account_number: String,
    #[serde(flatten)]
    status: ProcessStatus,
    #[serde(skip)]
    what: &'static str,
}

impl Stepped {
    fn new(number: &str, status: ProcessStatus, what: &'static str) -> Self {
        let external_account_number = cutover_core::trimmed(number).to_owned();
        Self { external_account_number, status, what }
    }
}

impl Answer for Stepped {
    fn text(&self) -> String {
        format!("{} {}: it is {} now.", self.what, self.external_account_number, self.status.status)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::List { supplier, status } => list::run(&app, output, &supplier, status)?,
        Command::Show(Which { supplier, number }) => {
            output.answer(&Shown::from(app.show_process(&supplier, &number)?))?;
        }
        Command::Cancel(Which { supplier, number }) => {
            let status = app.cancel_process(&supplier, &number)?;
            output.answer(&Stepped::new(&number, status, "Cancelled"))?;
        }
        Command::Retry(Which { supplier, number }) => {
            let status = app.retry_process(&supplier, &number)?;
            output.answer(&Stepped::new(&number, status, "Started another attempt at"))?;
        }
        Command::Archive(args) => archive::run(&app, context, args)?,
    }
    Ok(())
}
