use super::migrations::migrations;
use super::{at_rest, external, holds, nodes, webhooks};
use crate::cli::doctor::finding::Finding;
use crate::open::{OpenDatabase, Purpose};
use crate::settings::Settings;
use crate::system::SystemClock;
use chrono::{DateTime, Utc};
use cutover_app::operator::newest_row_ahead;
use cutover_app::port::{Clock, Store, StoreError, write};
use cutover_store::SqliteStore;
use std::path::Path;

/// Checks a SQLite database, and the vendors in it.
pub(super) fn all(settings: &Settings, file: &Path) -> Vec<Finding> {
    if let Err(error) = settings.encryption.sealer() {
        return vec![at_rest::unusable(&error)];
    }
    let database = match OpenDatabase::open(settings, Purpose::Command) {
        Ok(database) => database,
        Err(error) => {
            return vec![Finding::fail("database", error, "check that its folder exists and belongs to you")];
        }
    };
    let store = database.store();
    let writable = match write(&*store, |_| Ok::<_, StoreError>(())) {
        Ok(()) => Finding::ok("database", format!("{} can be read and written", file.display())),
        Err(error) => Finding::fail("database", error, "check its permissions and the space on its disk"),
    };
    let integrity = match SqliteStore::quick_check(file) {
        Ok(problems) if problems.is_empty() => Finding::ok("integrity", "the file is intact"),
        Ok(problems) => Finding::fail("integrity", problems.join("; "), "restore the file from a backup"),
        Err(error) => Finding::fail("integrity", error, "check the disk"),
    };
    let mut findings = vec![writable, migrations(database.migrations()), integrity];
    findings.push(clock(&*store, SystemClock.now()));
    findings.push(at_rest::at_rest(settings, &database));
    findings.push(nodes::nodes(settings, &database));
    findings.push(webhooks::webhooks(settings, &database));
    findings.push(holds::holds(settings, &database));
    findings.extend(external::vendors(settings, &database));
    findings
}

/// Compares the clock with the newest row that an operator created.
pub(super) fn clock(store: &dyn Store, now: DateTime<Utc>) -> Finding {
    match newest_row_ahead(store, now) {
        Err(error) => Finding::fail("clock", error, "check the database"),
        Ok(Some(newest)) => Finding::fail(
            "clock",
            format!("it is {now} here, but the database has rows of {newest}"),
            "set the clock of this machine: leases, windows and tokens depend on it",
        ),
        Ok(None) => Finding::ok("clock", format!("{} UTC", now.format("%Y-%m-%d %H:%M:%S"))),
    }
}
