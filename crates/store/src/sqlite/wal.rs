use super::connection::Target;
use super::dialect::Conn;
use diesel::connection::SimpleConnection;
use std::path::PathBuf;

/// Keeps the write-ahead log short.
///
/// SQLite copies the log into the database by itself, but starts it over only at a moment when nobody
/// reads from it; under readers that follow one another it would grow for ever. Past the limit the
/// writer waits for the readers there are, which are short, and empties it.
pub(super) struct Wal {
    path: PathBuf,
    limit: u64,
    /// At which length the next attempt is made: a long reader of another process may defeat one.
    next: u64,
}

impl Wal {
    pub(super) fn new(target: &Target) -> Self {
        let mut path = target.path.clone().into_os_string();
        path.push("-wal");
        Self { path: path.into(), limit: target.wal_limit, next: target.wal_limit }
    }

    /// Looks at the log between two transactions.
    pub(super) fn tend(&mut self, conn: &mut Conn) {
        let length = self.length();
        if length <= self.next {
            return;
        }
        if let Err(error) = conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, length, "the write-ahead log could not be emptied");
        }
        self.next = self.length().saturating_add(self.limit);
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }
}
