use super::connection::{Role, Target};
use super::dialect::Conn;
use super::turn::Turn;
use crate::error::OpenError;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum time for which an attempt to empty the log may hold up the writer.
const ATTEMPT: Duration = Duration::from_millis(250);

/// Maximum time for which an erasure waits for readers.
pub(super) const ERASURE: Duration = Duration::from_secs(1);

/// Maximum time for which it waits while writers wait too, and the time that it leaves them between two attempts.
const SHORT: Duration = Duration::from_millis(50);

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    busy: i32,
}

/// Copies the write-ahead log into the database and empties it while others use the file. Returns false if
/// somebody reads from the log for longer than a limit.
///
/// # Errors
/// [`OpenError`] if the database cannot be used.
pub(super) fn empty(target: &Target, limit: Duration) -> Result<bool, OpenError> {
    let mut conn = target.connect(Role::Writer)?;
    try_to_empty(&Turn::new(target), &mut conn, limit).map_err(|e| OpenError::Setting(e.to_string()))
}

fn try_to_empty(turn: &Turn, conn: &mut Conn, limit: Duration) -> QueryResult<bool> {
    let until = Instant::now() + limit;
    // Others can write while most of the log is copied.
    conn.batch_execute("PRAGMA wal_checkpoint(PASSIVE)")?;
    conn.batch_execute(&format!("PRAGMA busy_timeout = {}", SHORT.as_millis()))?;
    loop {
        let done = turn.alone(conn, |conn| {
            diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result::<Checkpoint>(conn)
        })?;
        if done.busy == 0 || Instant::now() >= until {
            return Ok(done.busy == 0);
        }
        sleep(SHORT);
    }
}

/// Keeps the write-ahead log short.
///
/// SQLite copies the log into the database by itself, but restarts it only while nobody reads from it. With
/// overlapping readers it would grow for ever. Past the limit the writer waits for the readers, which are
/// short, and empties it.
pub(super) struct Wal {
    path: PathBuf,
    limit: u64,
    /// Length at which the next attempt is made. A long reader of another process may defeat an attempt.
    next: u64,
}

impl Wal {
    pub(super) fn new(target: &Target) -> Self {
        let mut path = target.path.clone().into_os_string();
        path.push("-wal");
        Self { path: path.into(), limit: target.wal_limit, next: target.wal_limit }
    }

    /// Empties the log between two transactions if it is too long.
    pub(super) fn maintain(&mut self, conn: &mut Conn) {
        if self.length() <= self.next {
            return;
        }
        let emptied = conn.batch_execute(&format!(
            "PRAGMA busy_timeout = {}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 0",
            ATTEMPT.as_millis(),
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
