use super::dialect::Conn;
use crate::error::OpenError;
use diesel::migration::{Migration, MigrationSource};
use diesel::sqlite::Sqlite;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// What became of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationState {
    /// It was applied before.
    Applied,
    /// It was pending and was applied when the store was opened.
    JustApplied,
    /// It is not one of this program's: a newer one was here.
    Unknown,
}

/// A migration of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Its number; migrations are applied in this order.
    pub version: String,
    /// What became of it.
    pub state: MigrationState,
}

/// Why migrating failed.
struct Failed(String);

impl From<diesel::result::Error> for Failed {
    fn from(error: diesel::result::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Failed {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self(error.to_string())
    }
}

/// Applies what is pending, and tells of every migration.
pub(super) fn apply(conn: &mut Conn) -> Result<Vec<MigrationStatus>, OpenError> {
    migrate(conn).map_err(|Failed(text)| OpenError::Migration(text))
}

/// The file is locked only if there is something to do, and all of it is one transaction: of two
/// processes that start at once, the second finds nothing left to do.
fn migrate(conn: &mut Conn) -> Result<Vec<MigrationStatus>, Failed> {
    let mut before = versions(conn)?;
    if conn.has_pending_migration(MIGRATIONS)? {
        conn.immediate_transaction(|conn| {
            before = versions(conn)?;
            conn.run_pending_migrations(MIGRATIONS)?;
            Ok::<_, Failed>(())
        })?;
    }
    let ours: Vec<Box<dyn Migration<Sqlite>>> = MIGRATIONS.migrations()?;
    let ours: Vec<String> = ours.iter().map(|migration| migration.name().version().to_string()).collect();
    let state = |version: &String| match (before.contains(version), ours.contains(version)) {
        (false, _) => MigrationState::JustApplied,
        (true, true) => MigrationState::Applied,
        (true, false) => MigrationState::Unknown,
    };
    let status = |version: String| MigrationStatus { state: state(&version), version };
    Ok(versions(conn)?.into_iter().map(status).collect())
}

/// What is applied, oldest first.
fn versions(conn: &mut Conn) -> Result<Vec<String>, Failed> {
    let mut versions: Vec<_> = conn.applied_migrations()?.iter().map(ToString::to_string).collect();
    versions.sort_unstable();
    Ok(versions)
}

#[cfg(test)]
mod tests;
