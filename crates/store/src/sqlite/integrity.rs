use super::connection::{Role, Target};
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use std::path::Path;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = diesel::sql_types::Text)]
    quick_check: String,
}

impl SqliteStore {
    /// What SQLite finds wrong with a file; nothing for a sound one. Reads all of it, beside others
    /// that use it.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be read as a database.
    pub fn quick_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let Options { busy_timeout, wal_limit, .. } = Options::default();
        let target = Target { path: path.to_owned(), busy_timeout, wal_limit };
        let mut conn = target.connect(Role::Reader)?;
        let found: Vec<Found> = diesel::sql_query("PRAGMA quick_check")
            .load(&mut conn)
            .map_err(|e| OpenError::Connect(e.to_string()))?;
        Ok(found.into_iter().map(|row| row.quick_check).filter(|text| text != "ok").collect())
    }
}
