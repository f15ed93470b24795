use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use crate::error::OpenError;
use crate::migrations::{Failed, MigrationState, MigrationStatus, applied, statuses};
use diesel::connection::SimpleConnection;
use diesel::migration::Migration;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::time::Duration;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The key of the lock under which one process at a time migrates. It is tried again and again, not waited for: an index
/// that is built concurrently waits for every statement that runs, so for the one that would wait for the lock.
const LOCK: i64 = 0x6375_746f_7665_7200;
/// How long a migration waits for a table: whatever comes to the table meanwhile waits behind it.
const PATIENCE: &str = "SET lock_timeout = '300ms'";
/// How long others are let to the table, or to migrate, before it is tried again.
const PAUSE: Duration = Duration::from_millis(1_500);
/// How often a migration is begun that could not get its table: for about a minute.
const ATTEMPTS: usize = 33;

statement! {
    TryLock { key: i64 } -> Bool = "SELECT pg_try_advisory_lock(" key ")"
}

statement! {
    /// Indexes that were not built to the end, as one is left that was built concurrently and cut off. Those of a
    /// REINDEX are not ours.
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

/// Every migration, none applied. Nothing is written, for which a role that only serves need have no right.
pub(super) fn status(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    let found = look(conn).and_then(|now| statuses::<Pg>(MIGRATIONS, &now, &now));
    found.map_err(|Failed(text)| OpenError::Migration(text))
}

fn look(conn: &mut Conn) -> Result<Vec<String>, Failed> {
    let has_table = HasTable {}.get_result(conn)?;
    Ok(if has_table { Applied {}.load(conn)? } else { Vec::new() })
}

/// Applies what is pending, and tells of every migration. Each is a transaction of its own, but for those whose
/// `metadata.toml` says otherwise: they are a single statement that no transaction takes, such as `CREATE INDEX
/// CONCURRENTLY`. Of several processes that come at once, one migrates and the others wait for it.
pub(super) fn apply(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    migrate(conn, || MIGRATIONS).map_err(|Failed(text)| OpenError::Migration(text))
}

fn migrate(
    conn: &mut Conn,
    migrations: impl Fn() -> EmbeddedMigrations,
) -> Result<Vec<MigrationStatus>, Failed> {
    let now = look(conn)?;
    let found = statuses::<Pg>(migrations(), &now, &now)?;
    if found.iter().all(|migration| migration.state != MigrationState::Pending) {
        return Ok(found);
    }
    conn.batch_execute("SET statement_timeout = 0")?;
    while !(TryLock { key: LOCK }).get_result::<bool>(conn)? {
        std::thread::sleep(PAUSE);
    }
    let before = applied(conn)?;
    let mut attempts = 0;
    while let Some(next) = conn.pending_migrations(migrations())?.first() {
        match run(conn, &**next) {
            Ok(()) => attempts = 0,
            Err(Failed(error)) => {
                attempts += 1;
                if attempts == ATTEMPTS || !error.contains("lock timeout") {
                    return Err(Failed(error));
                }
                tracing::warn!("a migration waits for a table in use");
                std::thread::sleep(PAUSE);
            }
        }
    }
    conn.batch_execute(&format!("RESET ALL; SELECT pg_advisory_unlock({LOCK})"))?;
    statuses::<Pg>(migrations(), &before, &applied(conn)?)
}

fn run(conn: &mut Conn, migration: &dyn Migration<Pg>) -> Result<(), Failed> {
    if migration.metadata().run_in_transaction() {
        conn.batch_execute(PATIENCE)?;
    } else {
        // It keeps nobody from the table while it waits for transactions that began before it.
        conn.batch_execute("SET lock_timeout = 0")?;
        let unfinished: Vec<String> = Unfinished {}.load(conn)?;
        for index in unfinished {
            conn.batch_execute(&format!("DROP INDEX CONCURRENTLY {index}"))?;
        }
    }
    conn.run_migration(migration)?;
    Ok(())
}

#[cfg(test)]
mod tests;
