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
    /// Seals values that are unsealed or sealed with a key other than the first, in batches, while others use
    /// the file. Calls `progress` after each batch.
    ///
    /// # Errors
    /// [`ResealError`] if it failed. The batches before it stay sealed.
    pub fn reseal(
        path: &Path,
        options: &Options,
        progress: &mut dyn FnMut(&Resealed),
    ) -> Result<Vec<Resealed>, ResealError> {
        let mut conn = options.target(path).connect(Role::Writer)?;
        let resealed = at_rest::reseal(&mut conn, &options.sealer, "BEGIN IMMEDIATE", progress);
        Ok(resealed.map_err(store_error)?)
    }

    /// Empties the write-ahead log, which holds the latest writes. Returns false if a reader prevented it.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be used.
    pub fn empty_log(path: &Path) -> Result<bool, OpenError> {
        checkpoint(&mut target(path).connect(Role::Writer)?)
    }

    /// Rewrites the file, so that it keeps no trace of replaced or removed values. Nobody else may be using
    /// it. It needs as much space again meanwhile.
    ///
    /// # Errors
    /// [`OpenError`] if it failed; then the file is unchanged.
    pub fn rewrite(path: &Path) -> Result<(), OpenError> {
        let mut conn = target(path).connect(Role::Writer)?;
        // The copy may be larger than the memory.
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
