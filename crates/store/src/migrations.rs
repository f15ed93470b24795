//! The parts of migrations that both databases share.

use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};

/// State of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationState {
    /// It was applied before.
    Applied,
    /// It was pending and was applied when the store was opened.
    JustApplied,
    /// It is still to be applied.
    Pending,
    /// It is not one of this program's: a newer program applied it.
    Unknown,
}

/// A migration of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Its number; migrations are applied in this order.
    pub version: String,
    /// Its state.
    pub state: MigrationState,
}

/// The reason why migrating failed.
pub(crate) struct Failed(pub(crate) String);

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

/// Returns the applied migrations, oldest first.
pub(crate) fn applied<DB: Backend>(conn: &mut impl MigrationHarness<DB>) -> Result<Vec<String>, Failed> {
    let mut versions: Vec<_> = conn.applied_migrations()?.iter().map(ToString::to_string).collect();
    versions.sort_unstable();
    Ok(versions)
}

/// Returns the states of all migrations of the program and the database, from those applied before and now.
pub(crate) fn statuses<DB: Backend>(
    ours: EmbeddedMigrations,
    before: &[String],
    now: &[String],
) -> Result<Vec<MigrationStatus>, Failed> {
    let ours: Vec<Box<dyn Migration<DB>>> = ours.migrations()?;
    let ours: Vec<String> = ours.iter().map(|migration| migration.name().version().to_string()).collect();
    let mut all: Vec<&String> = ours.iter().chain(now).collect();
    all.sort_unstable();
    all.dedup();
    let state = |version: &String| match (now.contains(version), before.contains(version)) {
        (false, _) => MigrationState::Pending,
        (true, false) => MigrationState::JustApplied,
        (true, true) if ours.contains(version) => MigrationState::Applied,
        (true, true) => MigrationState::Unknown,
    };
    let status = |version: &String| MigrationStatus { version: version.clone(), state: state(version) };
    Ok(all.into_iter().map(status).collect())
}
