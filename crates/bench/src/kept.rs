//! Restores a SQLite database before each round.

use crate::error::Error;
use crate::seed::sqlite3;
use crate::server::Installation;
use std::path::Path;

/// The extension of the copy.
const KEPT: &str = "kept";

/// Keeps a copy of an installation's database. No server may be running.
pub(crate) fn keep(installation: &Installation) -> Result<(), Error> {
    sqlite3(installation, &["PRAGMA wal_checkpoint(TRUNCATE);"])?;
    let file = installation.database();
    copy(&file, &file.with_extension(KEPT))
}

/// Puts the copy back. No server may be running.
pub(crate) fn restore(installation: &Installation) -> Result<(), Error> {
    let file = installation.database();
    for left in ["db-wal", "db-shm"].map(|extension| file.with_extension(extension)) {
        // Neither exists if all changes were moved to the database file.
        let _ = std::fs::remove_file(left);
    }
    copy(&file.with_extension(KEPT), &file)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::copy(from, to).map(drop).map_err(Error::file("copy", from))
}
