use super::migrations::migrations;
use super::{at_rest, external, holds, nodes, webhooks};
use crate::cli::doctor::finding::Finding;
use crate::open::{ExternalServices, OpenDatabase, Purpose, build_app};
use crate::settings::{Settings, shown_bytes};
use crate::system::SystemClock;
use chrono::{DateTime, Utc};
use cutover_app::operator::newest_row_ahead;
use cutover_app::port::{Clock, Store, StoreError};
use cutover_store::SqliteStore;
use std::fmt::Display;
use std::path::Path;

/// Checks a SQLite database, and the vendors in it.
pub(super) fn all(settings: &Settings, file: &Path) -> Vec<Finding> {
    if let Err(error) = settings.encryption.sealer() {
        return vec![at_rest::unusable(&error)];
    }
    let database = match OpenDatabase::open(settings, Purpose::Command) {
        Ok(database) => database,
        Err(error) => {
            let fix = "check that its folder exists and belongs to you, and that its disk has space";
            return vec![Finding::fail("database", on_disk(&error, file, free_space(file)), fix)];
        }
    };
    let store = database.store();
    let app = build_app(&database, settings, ExternalServices::closed());
    let writable = writable(app.try_to_write(), file, free_space(file));
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

/// Judges an attempt to write.
fn writable(written: Result<(), StoreError>, file: &Path, free: Option<u64>) -> Finding {
    let fix = match written {
        Ok(()) => {
            return Finding::ok("database", format!("{} can be read and written", file.display()));
        }
        Err(StoreError::Unwritable(_)) => "make room on this disk, or check it",
        Err(StoreError::ReadOnly(_)) => {
            "check the permissions of the file, and that its disk is not mounted read-only"
        }
        Err(_) => "check its permissions and the space on its disk",
    };
    let error = written.err().map(|error| error.to_string()).unwrap_or_default();
    Finding::fail("database", on_disk(&error, file, free), fix)
}

/// A failure with the disk that it may be about.
fn on_disk(failure: &impl Display, file: &Path, free: Option<u64>) -> String {
    let free =
        free.map(|bytes| format!(", {} free", shown_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))));
    format!("{failure} (the disk of {}{})", file.display(), free.unwrap_or_default())
}

/// Returns the bytes that are free on the disk of the database; `None` if that is not known.
fn free_space(file: &Path) -> Option<u64> {
    let on_disk_of = |path| SqliteStore::free_space_of(path).ok().flatten();
    on_disk_of(file).or_else(|| on_disk_of(file.parent()?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_takes_no_writes_is_named_with_its_free_space() {
        let file = Path::new("/srv/cutover/cutover.db");
        let full = || StoreError::Unwritable("database or disk is full".into());
        let read_only = StoreError::ReadOnly("attempt to write a readonly database".into());
        let lines = [
            writable(Ok(()), file, Some(0)),
            writable(Err(full()), file, Some(40 << 10)),
            writable(Err(full()), file, None),
            writable(Err(read_only), file, Some(3 << 30)),
            writable(Err(StoreError::Busy("database is locked".into())), file, Some(3 << 30)),
        ];
        insta::assert_snapshot!(lines.map(|finding| finding.line()).join("\n"));
    }

    /// The file of a database that could not be created has no file system, but its folder has.
    #[test]
    fn the_space_of_a_file_that_is_not_there_is_that_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("cutover.db");
        assert_eq!(free_space(&missing).is_some(), cfg!(unix));
        assert_eq!(free_space(&missing.join("deeper").join("cutover.db")), None);
    }
}
