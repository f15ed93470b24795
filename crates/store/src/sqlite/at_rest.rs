use super::connection::{Role, Target};
use super::queries::{at_rest, store_error};
use super::store::{Options, SqliteStore};
use super::turn::{Turn, no_wait};
use super::wal;
use crate::error::OpenError;
use crate::sealed::{ResealError, Resealed};
use diesel::connection::SimpleConnection;
use std::path::Path;
use std::time::Duration;

/// Maximum time for which the log is kept by readers.
const READERS: Duration = Duration::from_secs(5);

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
        let target = options.target(path);
        let (mut conn, turn) = (target.connect(Role::Writer)?, Turn::new(&target));
        no_wait(&mut conn).map_err(refused)?;
        let resealed = at_rest::reseal(&mut conn, &options.sealer, &|conn| turn.begin(conn), progress);
        Ok(resealed.map_err(store_error)?)
    }

    /// Empties the write-ahead log, which holds the latest writes. Returns false if a reader prevented it.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be used.
    pub fn empty_log(path: &Path) -> Result<bool, OpenError> {
        wal::empty(&target(path), READERS)
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
        conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").map_err(refused)
    }
}

fn target(path: &Path) -> Target {
    Options::default().target(path)
}

fn refused(error: diesel::result::Error) -> OpenError {
    OpenError::Connect(error.to_string())
}
