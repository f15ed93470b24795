use super::connection::{Role, Target};
use super::dialect::Conn;
use crate::error::OpenError;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// Maximum time for which an attempt to empty the log may hold up the writer.
const ATTEMPT: Duration = Duration::from_millis(250);

/// Maximum time for which an erasure waits for readers: writers wait meanwhile.
const ERASURE: Duration = Duration::from_secs(1);

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    busy: i32,
}

/// Copies the write-ahead log into the database and empties it while others use the file. Returns false if
/// somebody reads from the log for too long.
///
/// # Errors
/// [`OpenError`] if the database cannot be used.
pub(super) fn empty(target: &Target) -> Result<bool, OpenError> {
    let busy_timeout = target.busy_timeout.min(ERASURE);
    let mut conn = Target { busy_timeout, ..target.clone() }.connect(Role::Writer)?;
    let done = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result::<Checkpoint>(&mut conn);
    done.map(|done| done.busy == 0).map_err(|e| OpenError::Setting(e.to_string()))
}

/// Keeps the write-ahead log short.
///
/// SQLite copies the log into the database by itself, but restarts it only while nobody reads from it. With
/// overlapping readers it would grow for ever. Past the limit the writer waits for the readers, which are
/// short, and empties it.
pub(super) struct Wal {
    path: PathBuf,
    busy_timeout: Duration,
    limit: u64,
    /// Length at which the next attempt is made. A long reader of another process may defeat an attempt.
    next: u64,
}

impl Wal {
    pub(super) fn new(target: &Target) -> Self {
        let mut path = target.path.clone().into_os_string();
        path.push("-wal");
        let Target { busy_timeout, wal_limit, .. } = *target;
        Self { path: path.into(), busy_timeout, limit: wal_limit, next: wal_limit }
    }

    /// Empties the log between two transactions if it is too long.
    pub(super) fn maintain(&mut self, conn: &mut Conn) {
        if self.length() <= self.next {
            return;
        }
        let emptied = conn.batch_execute(&format!(
            "PRAGMA busy_timeout = {}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = {}",
            ATTEMPT.as_millis(),
            self.busy_timeout.as_millis(),
        ));
        let left = self.length();
        if emptied.is_err() || left > self.limit {
            tracing::warn!(bytes = left, "the write-ahead log could not be emptied: a reader holds it");
        }
        // A failed attempt is not repeated at every commit.
        self.next = if left > self.limit { left.saturating_add(self.limit) } else { self.limit };
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }
}
