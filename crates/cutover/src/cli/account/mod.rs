mod erase;
mod export;

use crate::context::Context;
use crate::error::Error;
use clap::Subcommand;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover account export ACME A-000042 --out a-000042.json
  cutover account erase ACME A-000042              show what would be removed
  cutover account erase ACME A-000042 --yes

Only its owner can read an export: it holds all data of an account. An erased account leaves nothing but a line in
`cutover audit`, without personal data; its number can be sent and imported again.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Export all data of an account as one JSON document
    Export(export::ExportArgs),
    /// Erase all data of an account
    Erase(erase::EraseArgs),
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    match command {
        Command::Export(args) => export::run(context, args),
        Command::Erase(args) => erase::run(context, &args),
    }
}
