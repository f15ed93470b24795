mod options;
mod refused;
mod shown;

use crate::context::Context;
use crate::error::Error;
use clap::Subcommand;
use cutover_core::SupplierStatus;
use options::Options;
use refused::Refused;
use shown::{Done, Listed, Shown};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover supplier add ACME --organisation 'Acme Energy' --time-zone Australia/Melbourne
  cutover supplier set ACME --status paused            pending processes stay pending
  cutover supplier set ACME --rule CUS-08=error --rule MPT-01=off
  cutover supplier show ACME --json";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an import supplier
    Add {
        /// Code in paths and payloads, unique in the installation
        code: String,
        /// Organisation that owns the supplier
        #[arg(long, value_name = "NAME")]
        organisation: String,
        #[command(flatten)]
        options: Options,
    },
    /// Change settings of a supplier; other settings stay
    Set {
        /// Code of the supplier
        code: String,
        /// Status; accounts are accepted while ongoing, not while paused or complete
        #[arg(long)]
        status: Option<SupplierStatus>,
        #[command(flatten)]
        options: Options,
    },
    /// Show a supplier with its settings
    Show {
        /// Code of the supplier
        code: String,
    },
    /// List the suppliers
    List,
    /// List accounts whose create was refused, and which were not accepted since
    Refused {
        /// Code of the supplier
        code: String,
    },
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Add { code, organisation, options } => {
            let supplier = app.add_supplier(&code, &organisation, options.change(None)?)?;
            output.answer(&Done::added(&supplier))?;
        }
        Command::Set { code, status, options } => {
            let change = options.change(status)?;
            output.answer(&Done::set(&app.set_supplier(&code, change)?))?;
        }
        Command::Show { code } => output.answer(&Shown::from(&app.show_supplier(&code)?))?,
        Command::Refused { code } => {
            let (supplier, mut rows) = (app.show_supplier(&code)?, Vec::new());
            app.each_refused(&supplier, |refused| rows.push(Refused(refused)))?;
            output.list(&rows)?;
        }
        Command::List => output.list(&app.suppliers()?.iter().map(Listed::from).collect::<Vec<_>>())?,
    }
    Ok(())
}
