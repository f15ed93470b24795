use super::dialect::Conn;
use crate::error::OpenError;
use crate::migrations::{Failed, MigrationStatus, applied, statuses};
use diesel::sqlite::Sqlite;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// Applies pending migrations and returns the states of all.
pub(super) fn apply(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    migrate(conn).map_err(|Failed(text)| OpenError::Migration(text))
}

/// Locks the file only if a migration is pending. All migrations are one transaction: of two processes that
/// start at once, the second has nothing left to do.
fn migrate(conn: &mut Conn) -> Result<Vec<MigrationStatus>, Failed> {
    let mut before = applied(conn)?;
    if conn.has_pending_migration(MIGRATIONS)? {
        conn.immediate_transaction(|conn| {
            before = applied(conn)?;
            conn.run_pending_migrations(MIGRATIONS)?;
            Ok::<_, Failed>(())
        })?;
    }
    statuses::<Sqlite>(MIGRATIONS, &before, &applied(conn)?)
}
