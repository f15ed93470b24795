//! Runs of a supplier, and their comparison (contract D15).

mod diff;
mod shown;

use crate::context::Context;
use crate::error::Error;
use clap::Subcommand;
use shown::{Listed, Shown};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover run start ACME 'rehearsal 1'
  cutover supplier set ACME --dry-run true       then the supplier sends its accounts
  cutover run show ACME 'rehearsal 1'            counts, totals, errors, rate
  cutover run end ACME
  cutover run list ACME
  cutover run diff ACME 'rehearsal 1' 'rehearsal 2'
  cutover run diff ACME 'rehearsal 1' 'rehearsal 2' --all --json

While a run is open, the last outcome of each account that ends in it is kept. `cutover supplier undo ACME --run NAME` undoes
the imports of a run.";

/// Number of runs that are read at once.
const PAGE: u32 = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a run; a supplier has one open run at most
    Start {
        /// Code of the supplier
        supplier: String,
        /// Name of the run, used once
        name: String,
    },
    /// End the open run
    End {
        /// Code of the supplier
        supplier: String,
    },
    /// List the runs, the last first
    List {
        /// Code of the supplier
        supplier: String,
    },
    /// Show a run with its figures
    Show {
        /// Code of the supplier
        supplier: String,
        /// Name of the run
        name: String,
    },
    /// Compare two runs
    Diff {
        /// Code of the supplier
        supplier: String,
        /// Name of the first run
        a: String,
        /// Name of the second run
        b: String,
        /// Print all accounts, not only ten of each kind
        #[arg(long)]
        all: bool,
    },
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Start { supplier, name } => {
            output.answer(&Shown::from(app.as_command().start_run(&supplier, &name)?))?;
        }
        Command::End { supplier } => output.answer(&Shown::from(app.as_command().end_run(&supplier)?))?,
        Command::Show { supplier, name } => {
            output.answer(&Shown::from(app.as_command().show_run(&supplier, &name)?))?;
        }
        Command::List { supplier } => {
            let (mut rows, mut before) = (Vec::new(), None);
            loop {
                let page = app.as_command().runs(&supplier, before, PAGE)?;
                rows.extend(page.runs.into_iter().map(Listed::from));
                match page.next {
                    Some(next) => before = Some(next),
                    None => break,
                }
            }
            output.list(&rows)?;
        }
        Command::Diff { supplier, a, b, all } => diff::run(&app, output, (&supplier, &a, &b), all)?,
    }
    Ok(())
}
