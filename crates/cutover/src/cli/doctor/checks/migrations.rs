use crate::cli::doctor::finding::Finding;
use cutover_store::{MigrationState, MigrationStatus};

const CHECK: &str = "migrations";

/// Checks that the database has the migrations of this version.
pub(super) fn migrations(migrations: &[MigrationStatus]) -> Finding {
    let pending: Vec<&str> = migrations
        .iter()
        .filter(|migration| migration.state == MigrationState::Pending)
        .map(|migration| migration.version.as_str())
        .collect();
    match migrations.last() {
        Some(_) if !pending.is_empty() => Finding::fail(
            CHECK,
            format!("the database lacks {}", pending.join(", ")),
            "run `cutover migrate`",
        ),
        Some(_) if migrations.iter().any(|m| m.state == MigrationState::Unknown) => Finding::warn(
            CHECK,
            "a newer version of this program has migrated the database",
            "run that version, or watch for failures",
        ),
        Some(last) => Finding::ok(CHECK, format!("all applied, the last is {}", last.version)),
        None => Finding::fail(CHECK, "the database has none", "run `cutover migrate`"),
    }
}
