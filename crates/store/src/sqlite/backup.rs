//! Copies of a database.

use super::connection::{Role, Target};
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    found: String,
}

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

    /// What SQLite finds wrong with a file, indexes and references included; nothing for a sound one. Reads all of
    /// it several times over.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be read as a database.
    pub fn full_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let mut conn = target(path).connect(Role::Reader)?;
        let found = "SELECT integrity_check AS found FROM pragma_integrity_check WHERE integrity_check <> 'ok' \
            UNION ALL SELECT 'a row of ' || \"table\" || ' refers to none of ' || parent FROM pragma_foreign_key_check";
        let found: Vec<Found> =
            diesel::sql_query(found).load(&mut conn).map_err(|e| OpenError::Connect(e.to_string()))?;
        Ok(found.into_iter().map(|row| row.found).collect())
    }
}

fn target(path: &Path) -> Target {
    let Options { busy_timeout, wal_limit, .. } = Options::default();
    Target { path: path.to_owned(), busy_timeout, wal_limit }
}
