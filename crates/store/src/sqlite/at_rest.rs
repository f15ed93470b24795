use super::connection::{Role, Target};
use super::dialect::Conn;
use super::queries::{at_rest, store_error};
use super::store::{Options, SqliteStore};
use crate::error::OpenError;
use crate::sealed::{ResealError, Resealed};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::Path;

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    busy: i32,
}

impl SqliteStore {
    /// Seals what lies open, and what is sealed with another key than the first, a batch at a time, beside whoever
    /// uses the file. `told` hears how far it is.
    ///
    /// # Errors
    /// [`ResealError`] if it could not go on. What was sealed before is.
    pub fn reseal(
        path: &Path,
        options: &Options,
        told: &mut dyn FnMut(&Resealed),
    ) -> Result<Vec<Resealed>, ResealError> {
        let mut conn = options.target(path).connect(Role::Writer)?;
        let resealed = at_rest::reseal(&mut conn, &options.sealer, "BEGIN IMMEDIATE", told);
        Ok(resealed.map_err(store_error)?)
    }

    /// Empties the write-ahead log, which holds what was written last; whether it could: somebody may be reading.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be used.
    pub fn empty_log(path: &Path) -> Result<bool, OpenError> {
        checkpoint(&mut target(path).connect(Role::Writer)?)
    }

    /// Writes the file anew, so that nothing is left in it of what was replaced or removed. Nobody else may be
    /// using it; it takes as much room again beside it meanwhile.
    ///
    /// # Errors
    /// [`OpenError`] if it could not; then it is as it was.
    pub fn rewrite(path: &Path) -> Result<(), OpenError> {
        let mut conn = target(path).connect(Role::Writer)?;
        // Not in memory: it may be larger.
        conn.batch_execute("PRAGMA temp_store = FILE; VACUUM").map_err(refused)?;
        checkpoint(&mut conn).map(drop)
    }
}

fn target(path: &Path) -> Target {
    Options::default().target(path)
}

fn checkpoint(conn: &mut Conn) -> Result<bool, OpenError> {
    let done: Checkpoint =
        diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(conn).map_err(refused)?;
    Ok(done.busy == 0)
}

fn refused(error: diesel::result::Error) -> OpenError {
    OpenError::Connect(error.to_string())
}
