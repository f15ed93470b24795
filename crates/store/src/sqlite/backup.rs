//! Copies of a database.

use super::connection::{Role, Target};
use super::integrity;
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;

impl SqliteStore {
    /// Copies a database into a file that is empty or not there, as it is at one moment, beside others that use it:
    /// they write meanwhile, and the write-ahead log grows until this is done. What was deleted is not in the copy.
    /// It is not on the disk before the file is made durable.
    ///
    /// # Errors
    /// [`OpenError`] if one cannot be read, or the other not be written.
    pub fn copy(from: &Path, to: &Path) -> Result<(), OpenError> {
        // The others write; this one does nothing but read.
        let mut conn = target(from).connect(Role::Writer)?;
        let copied = diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(target(to).url()?).execute(&mut conn);
        copied.map(drop).map_err(|e| OpenError::Connect(e.to_string()))
    }

    /// Faults of a file that SQLite finds, indexes included, or rows whose parent is missing; empty for a sound one.
    /// Reads all of it several times over.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be read as a database.
    pub fn full_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let mut conn = target(path).connect(Role::Reader)?;
        integrity::check(&mut conn, integrity::FULL).map_err(|e| OpenError::Connect(e.to_string()))
    }
}

fn target(path: &Path) -> Target {
    let Options { busy_timeout, wal_limit, .. } = Options::default();
    Target { path: path.to_owned(), busy_timeout, wal_limit }
}
