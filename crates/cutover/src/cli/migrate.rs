use crate::context::Context;
use crate::error::Error;
use crate::open::{OpenDatabase, Purpose, open_error};
use crate::output::Row;
use crate::settings::{Database, Settings};
use cutover_store::{MigrationState, MigrationStatus, PostgresStore};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover migrate
  cutover migrate --status --json

It prints the migrations that it applied. On SQLite every command applies pending migrations first. On PostgreSQL only
this command does, and `cutover serve --migrate`. An older version can run on the migrations of a newer one.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List every migration; on PostgreSQL, apply none
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
        MigrationState::Pending => "pending",
        MigrationState::Unknown => "of_a_newer_version",
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<(), Error> {
    let shown = |status: &&MigrationStatus| args.status || status.state == MigrationState::JustApplied;
    let migrations = migrations(&context.settings, args.status)?;
    let rows: Vec<Migration> = migrations.iter().filter(shown).map(Migration::from).collect();
    Ok(context.output.list(&rows)?)
}

fn migrations(settings: &Settings, is_read_only: bool) -> Result<Vec<MigrationStatus>, Error> {
    match &settings.database {
        Database::Postgres(options) if is_read_only => {
            PostgresStore::status(options).map_err(|error| open_error(&settings.database, &error))
        }
        _ => Ok(OpenDatabase::open(settings, Purpose::Migrate)?.migrations().to_vec()),
    }
}
