use super::connection::{Role, Target};
use super::dialect::Conn;
use crate::error::OpenError;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// How long an attempt to empty the log may hold up the writer.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long who erases waits for those that read: who writes waits meanwhile.
const LONG: Duration = Duration::from_secs(1);

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    busy: i32,
}

/// Copies the write-ahead log into the database and empties it, beside others that use it; false if somebody reads
/// from it for longer than others are waited for.
///
/// # Errors
/// [`OpenError`] if the database cannot be used.
pub(super) fn empty(target: &Target) -> Result<bool, OpenError> {
    let busy_timeout = target.busy_timeout.min(LONG);
    let mut conn = Target { busy_timeout, ..target.clone() }.connect(Role::Writer)?;
    let done = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result::<Checkpoint>(&mut conn);
    done.map(|done| done.busy == 0).map_err(|e| OpenError::Setting(e.to_string()))
}

/// Keeps the write-ahead log short.
///
/// SQLite copies the log into the database by itself, but starts it over only at a moment when nobody
/// reads from it; under readers that follow one another it would grow for ever. Past the limit the
/// writer waits for the readers there are, which are short, and empties it.
pub(super) struct Wal {
    path: PathBuf,
    busy_timeout: Duration,
    limit: u64,
    /// At which length the next attempt is made: a long reader of another process may defeat one.
    next: u64,
}

impl Wal {
    pub(super) fn new(target: &Target) -> Self {
        let mut path = target.path.clone().into_os_string();
        path.push("-wal");
        let Target { busy_timeout, wal_limit, .. } = *target;
        Self { path: path.into(), busy_timeout, limit: wal_limit, next: wal_limit }
    }

    /// Looks at the log between two transactions.
    pub(super) fn tend(&mut self, conn: &mut Conn) {
        if self.length() <= self.next {
            return;
        }
        let emptied = conn.batch_execute(&format!(
            "PRAGMA busy_timeout = {}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = {}",
            PATIENCE.as_millis(),
            self.busy_timeout.as_millis(),
        ));
        let left = self.length();
        if emptied.is_err() || left > self.limit {
            tracing::warn!(bytes = left, "the write-ahead log could not be emptied: somebody reads for long");
        }
        // Attempts that were in vain are not repeated at every commit.
        self.next = if left > self.limit { left.saturating_add(self.limit) } else { self.limit };
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.len())
    }
}
