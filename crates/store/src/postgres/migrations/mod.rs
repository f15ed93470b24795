use super::dialect::{Conn, Db, Dialect};
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use super::rights;
use crate::error::{Meaning, OpenError};
use crate::migrations::{Failed, MigrationState, MigrationStatus, applied, statuses};
use cutover_postgres_client::sqlstate;
use diesel::connection::SimpleConnection;
use diesel::migration::Migration;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::time::Duration;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The key of the lock under which one process at a time migrates. Processes poll it instead of waiting in a
/// statement: an index that is built concurrently waits for every running statement, so it would wait for
/// them.
const LOCK: i64 = 0x6375_746f_7665_7200;
/// Maximum wait of a migration for a table. Later statements on the table wait behind it.
const SET_LOCK_TIMEOUT: &str = "SET lock_timeout = '300ms'";
/// Pause before another attempt, in which others use the table or migrate.
const PAUSE: Duration = Duration::from_millis(1_500);
/// Maximum number of attempts of a migration to lock its table, which take about a minute.
const ATTEMPTS: usize = 33;

statement! {
    TryLock { key: i64 } -> Bool = "SELECT pg_try_advisory_lock(" key ")"
}

statement! {
    /// Invalid indexes: a concurrent build that was interrupted leaves one. Those of an operator's REINDEX
    /// are left out.
    Unfinished {} -> Text
        = "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT i.indisvalid AND n.nspname = current_schema() \
            AND c.relname !~ '_cc(new|old)[0-9]*$'"
}

statement! {
    HasTable {} -> Bool = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL"
}

statement! {
    Applied {} -> Text = "SELECT version FROM __diesel_schema_migrations ORDER BY version"
}

/// Returns the states of all migrations without applying any. Nothing is written, so a role that only serves
/// needs no right for it.
pub(super) fn status(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    let states = applied_versions(conn).and_then(|now| statuses::<Pg>(MIGRATIONS, &now, &now));
    states.map_err(open_error)
}

fn applied_versions(conn: &mut Conn) -> Result<Vec<String>, Failed> {
    let has_table = HasTable {}.get_result(conn)?;
    Ok(if has_table { Applied {}.load(conn)? } else { Vec::new() })
}

/// Applies pending migrations and returns the states of all. Each runs in its own transaction, except those
/// whose `metadata.toml` forbids it: single statements like `CREATE INDEX CONCURRENTLY`. Of several processes
/// one migrates and the others wait for it. Roles with rights for running keep them complete; `running_role` gets
/// exactly these.
pub(super) fn apply(conn: &mut Conn, running_role: Option<&str>) -> Result<Vec<MigrationStatus>, OpenError> {
    migrate(conn, || MIGRATIONS, running_role).map_err(open_error)
}

/// A standby is read-only until it is promoted.
fn open_error(Failed(text): Failed) -> OpenError {
    let is_read_only = sqlstate(&text) == Some("25006");
    let is_passing =
        is_read_only || matches!(Dialect::meaning(&text), Meaning::Passing | Meaning::Unwritable);
    if is_passing { OpenError::Unavailable(text) } else { OpenError::Migration(text) }
}

fn migrate(
    conn: &mut Conn,
    migrations: impl Fn() -> EmbeddedMigrations,
    running_role: Option<&str>,
) -> Result<Vec<MigrationStatus>, Failed> {
    let now = applied_versions(conn)?;
    let states = statuses::<Pg>(migrations(), &now, &now)?;
    let is_current = states.iter().all(|migration| migration.state != MigrationState::Pending);
    if is_current && running_role.is_none() {
        return Ok(states);
    }
    rights::check_owner(conn)?;
    // A migration may take any time.
    conn.set_answer_timeout(None)?;
    conn.batch_execute("SET statement_timeout = 0")?;
    while !(TryLock { key: LOCK }).get_result::<bool>(conn)? {
        std::thread::sleep(PAUSE);
    }
    let before = applied(conn)?;
    let mut attempts = 0;
    while let Some(next) = conn.pending_migrations(migrations())?.first() {
        match run(conn, &**next, running_role) {
            Ok(()) => attempts = 0,
            Err(Failed(error)) => {
                attempts += 1;
                if attempts == ATTEMPTS || !error.contains("55P03") {
                    return Err(Failed(error));
                }
                tracing::warn!("a migration is waiting for a table in use");
                std::thread::sleep(PAUSE);
            }
        }
    }
    if let Some(role) = running_role {
        conn.transaction(|conn| rights::settle(conn, role))?;
    }
    conn.batch_execute(&format!("RESET ALL; SELECT pg_advisory_unlock({LOCK})"))?;
    statuses::<Pg>(migrations(), &before, &applied(conn)?)
}

fn run(conn: &mut Conn, migration: &dyn Migration<Pg>, running_role: Option<&str>) -> Result<(), Failed> {
    if migration.metadata().run_in_transaction() {
        conn.batch_execute(SET_LOCK_TIMEOUT)?;
        conn.transaction(|conn| {
            conn.run_migration(migration)?;
            Ok(rights::extend(conn, running_role)?)
        })
    } else {
        // It blocks nobody while it waits for transactions that began before it.
        conn.batch_execute("SET lock_timeout = 0")?;
        let unfinished: Vec<String> = Unfinished {}.load(conn)?;
        for index in unfinished {
            conn.batch_execute(&format!("DROP INDEX CONCURRENTLY {index}"))?;
        }
        conn.run_migration(migration)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
