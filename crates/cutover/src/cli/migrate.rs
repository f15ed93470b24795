use super::Context;
use crate::error::Error;
use crate::open::open_store;
use crate::output::Row;
use cutover_store::{MigrationState, MigrationStatus};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover migrate
  cutover migrate --status --json

On SQLite every command applies pending migrations first; this one says which.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List every migration instead of those that were just applied
    #[arg(long)]
    status: bool,
}

#[derive(Debug, Serialize)]
struct Migration {
    version: String,
    state: &'static str,
}

impl From<&MigrationStatus> for Migration {
    fn from(status: &MigrationStatus) -> Self {
        Self { version: status.version.clone(), state: word(status.state) }
    }
}

impl Row for Migration {
    const HEADS: &'static [&'static str] = &["MIGRATION", "STATE"];
    const EMPTY: &'static str = "Nothing to do: the database is up to date.";

    fn cells(&self) -> Vec<String> {
        vec![self.version.clone(), self.state.replace('_', " ")]
    }
}

fn word(state: MigrationState) -> &'static str {
    match state {
        MigrationState::Applied => "applied",
        MigrationState::JustApplied => "just_applied",
        MigrationState::Unknown => "of_a_newer_version",
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<(), Error> {
    let store = open_store(&context.settings)?;
    let shown = |status: &&MigrationStatus| args.status || status.state == MigrationState::JustApplied;
    let rows: Vec<Migration> = store.migrations().iter().filter(shown).map(Migration::from).collect();
    Ok(context.output.list(&rows)?)
}
