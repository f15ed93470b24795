//! Copies of a database.

use super::connection::{Role, Target};
use super::integrity;
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;

impl SqliteStore {
    /// Copies one snapshot of a database into a file that is empty or does not exist. Others may write
    /// meanwhile, and the write-ahead log grows until the copy is complete. The copy has no deleted rows. It
    /// is durable only after the caller has synced the file.
    ///
    /// # Errors
    /// [`OpenError`] if the database cannot be read, or the copy not be written.
    pub fn copy(from: &Path, to: &Path) -> Result<(), OpenError> {
        // Despite its role this connection only reads.
        let mut conn = target(from).connect(Role::Writer)?;
        let copied = diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(target(to).url()?).execute(&mut conn);
        copied.map(drop).map_err(|e| OpenError::Connect(e.to_string()))
    }

    /// Returns the faults that SQLite finds in a file and its indexes, or the rows whose parent is missing.
    /// Reads the whole file several times.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be read as a database.
    pub fn full_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let mut conn = target(path).connect(Role::Reader)?;
        integrity::check(&mut conn, integrity::FULL).map_err(|e| OpenError::Connect(e.to_string()))
    }
}

fn target(path: &Path) -> Target {
    Options::default().target(path)
}
