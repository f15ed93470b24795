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
  cutover migrate --running-role cutover_run            as the owner of the tables

It prints the migrations that it applied. On SQLite every command applies pending migrations first. On PostgreSQL only
this command does, and `cutover serve --migrate`. An older version can run on the migrations of a newer one.

With --running-role the service runs as another role than the owner of the tables: one that can change rows, and can
neither define tables nor change the audit trail. Later migrations keep its rights complete.";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List every migration; on PostgreSQL, apply none
    #[arg(long)]
    status: bool,
    /// Give a role of PostgreSQL the rights that running needs, and no others
    #[arg(long, value_name = "ROLE", conflicts_with = "status")]
    running_role: Option<String>,
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
    let migrations = migrations(&context.settings, args)?;
    let rows: Vec<Migration> = migrations.iter().filter(shown).map(Migration::from).collect();
    Ok(context.output.list(&rows)?)
}

fn migrations(settings: &Settings, args: &Args) -> Result<Vec<MigrationStatus>, Error> {
    match &settings.database {
        Database::Postgres(options) => {
            let migrations = if args.status {
                PostgresStore::status(options)
            } else {
                PostgresStore::migrate(options, args.running_role.as_deref())
            };
            migrations.map_err(|error| open_error(&settings.database, &error))
        }
        Database::Sqlite(_) if args.running_role.is_some() => {
            Err(Error::refused("--running-role is for PostgreSQL: SQLite has no roles"))
        }
        Database::Sqlite(_) => Ok(OpenDatabase::open(settings, Purpose::Command)?.migrations().to_vec()),
    }
}
