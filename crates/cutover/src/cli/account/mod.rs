mod erase;
mod export;
mod find;

use crate::context::Context;
use crate::error::Error;
use clap::Subcommand;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover account find A-0000                      where each of these accounts stands
  cutover account export ACME A-000042 --out a-000042.json
  cutover account erase ACME A-000042              show what would be removed
  cutover account erase ACME A-000042 --yes --because 'request 17'
  cutover account erase ACME A-000042 --forget --yes --because 'request 17 was withdrawn'

Only its owner can read an export: it holds all data of an account. An erased account leaves nothing but a line in
`cutover audit`, without personal data, and a keyed hash of its number: if it is sent again, it is refused with the code
account_erased. With --forget it can be sent and imported again. The level of the rule PST-17
decides: `cutover supplier set ACME --rule PST-17=warning`.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find accounts by their number, and say where each stands
    ///
    /// Finds the account with this number here, and accounts whose number at their previous supplier begins with it:
    /// imported, waiting, failed, cancelled and refused ones, at most 100 of a supplier. Times are in the zone
    /// of the supplier, or in the one that all suppliers share, otherwise in UTC.
    Find(find::FindArgs),
    /// Export all data of an account as one JSON document
    Export(export::ExportArgs),
    /// Erase all data of an account
    Erase(erase::EraseArgs),
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    match command {
        Command::Find(args) => find::run(context, args),
        Command::Export(args) => export::run(context, args),
        Command::Erase(args) => erase::run(context, &args),
    }
}
