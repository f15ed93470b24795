use super::connection::Role;
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use diesel::prelude::*;
use std::path::Path;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = diesel::sql_types::Text)]
    found: String,
}

/// The pages of the file, and the rows that belong to others.
const CHECKS: [&str; 2] = [
    "SELECT quick_check AS found FROM pragma_quick_check WHERE quick_check <> 'ok'",
    "SELECT DISTINCT 'a row of ' || \"table\" || ' belongs to none of ' || parent AS found \
     FROM pragma_foreign_key_check",
];

impl SqliteStore {
    /// What SQLite finds wrong with a file, or with rows that belong to others; nothing for a sound one. Reads all
    /// of it, beside others that use it.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be read as a database.
    pub fn quick_check(path: &Path) -> Result<Vec<String>, OpenError> {
        let mut conn = Options::default().target(path).connect(Role::Reader)?;
        let mut all = Vec::new();
        for check in CHECKS {
            // Of a broken file the rest says nothing.
            if !all.is_empty() {
                break;
            }
            let found: Vec<Found> =
                diesel::sql_query(check).load(&mut conn).map_err(|e| OpenError::Connect(e.to_string()))?;
            all.extend(found.into_iter().map(|row| row.found));
        }
        Ok(all)
    }
}
