use super::dialect::{Conn, Db};
use crate::error::OpenError;
use crate::migrations::{Failed, MigrationState, MigrationStatus, applied, statuses};
use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::time::Duration;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The key of the lock under which one process at a time migrates.
const LOCK: i64 = 0x6375_746f_7665_7200;
/// How long a migration waits for a table: whatever comes to the table meanwhile waits behind it.
const PATIENCE: &str = "SET lock_timeout = '300ms'";
/// How long the others are let to the table before it is tried again.
const PAUSE: Duration = Duration::from_millis(1_500);
/// How often a migration is begun that could not get its table: for about a minute.
const ATTEMPTS: usize = 33;

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

/// Applies what is pending, each migration in a transaction of its own, and tells of every one. Of several
/// processes that come at once, one migrates and the others wait for it.
pub(super) fn apply(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    migrate(conn).map_err(|Failed(text)| OpenError::Migration(text))
}

fn migrate(conn: &mut Conn) -> Result<Vec<MigrationStatus>, Failed> {
    let now = look(conn)?;
    let found = statuses::<Pg>(MIGRATIONS, &now, &now)?;
    if found.iter().all(|migration| migration.state != MigrationState::Pending) {
        return Ok(found);
    }
    // Whoever comes second waits for as long as it takes.
    conn.batch_execute("SET statement_timeout = 0; SET lock_timeout = 0")?;
    conn.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    conn.batch_execute(PATIENCE)?;
    let before = applied(conn)?;
    let mut attempts = 0;
    while conn.has_pending_migration(MIGRATIONS)? {
        match conn.run_next_migration(MIGRATIONS) {
            Ok(_) => attempts = 0,
            Err(error) => {
                attempts += 1;
                if attempts == ATTEMPTS || !error.to_string().contains("lock timeout") {
                    return Err(error.into());
                }
                tracing::warn!("a migration waits for a table in use");
                std::thread::sleep(PAUSE);
            }
        }
    }
    conn.batch_execute(&format!("RESET ALL; SELECT pg_advisory_unlock({LOCK})"))?;
    statuses::<Pg>(MIGRATIONS, &before, &applied(conn)?)
}
