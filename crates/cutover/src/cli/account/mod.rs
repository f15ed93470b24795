mod erase;
mod export;

use super::Context;
use crate::error::Error;
use clap::Subcommand;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover account export ACME A-000042 --out a-000042.json
  cutover account erase ACME A-000042              what there is to be removed
  cutover account erase ACME A-000042 --yes

An export is for its owner alone: it holds all that is kept of an account. An erased account leaves nothing but a
line in `cutover audit` without a word of whose it was; its number can be sent and imported again.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hand out all that is kept of an account, as one JSON document
    Export(export::ExportArgs),
    /// Remove all that is kept of an account
    Erase(erase::EraseArgs),
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    match command {
        Command::Export(args) => export::run(context, args),
        Command::Erase(args) => erase::run(context, &args),
    }
}
