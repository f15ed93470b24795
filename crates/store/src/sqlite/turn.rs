//! Turns of the connections that write to one file, most of them in different processes.

use super::connection::{Target, is_busy};
use super::dialect::Conn;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval at which a connection whose turn it is asks for the lock. SQLite's own wait asks every 100 ms in the
/// end, and misses the gaps between the transactions of a busy process.
const LOCK_POLL: Duration = Duration::from_millis(1);

/// The order in which connections begin transactions that write.
///
/// SQLite's lock is not fair: a connection that ends a transaction and begins the next one takes it again before one
/// that waits. So a connection takes the turn first, waits for the lock, and gives the turn back when it has the lock: the
/// connection that waits for the lock is the next one to get it.
pub(super) struct Turn {
    /// `None` if it cannot be opened, for example by a user who may not write to the folder: then there is no order.
    file: Option<File>,
    poll: Duration,
    timeout: Duration,
}

/// The turn of one connection. It ends on drop.
struct Taken<'t>(&'t File);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // If this failed, the turn would end with the process.
        let _ = self.0.unlock();
    }
}

impl Turn {
    pub(super) fn new(target: &Target) -> Self {
        let Target { turn_poll: poll, busy_timeout: timeout, .. } = *target;
        Self { file: open(&target.path), poll, timeout }
    }

    /// Begins a transaction that writes. Waits for its turn, then for the lock.
    ///
    /// The connection should have no wait of its own (`no_wait`): it would ask rarely.
    ///
    /// # Errors
    /// That of SQLite, if the lock was not free in time, or the database cannot be used.
    pub(super) fn begin(&self, conn: &mut Conn) -> QueryResult<()> {
        let until = Instant::now() + self.timeout;
        let _taken = self.take(until);
        retry(until, || conn.batch_execute("BEGIN IMMEDIATE"))
    }

    /// Does something between two transactions of others.
    pub(super) fn alone<T>(
        &self,
        conn: &mut Conn,
        run: impl FnOnce(&mut Conn) -> QueryResult<T>,
    ) -> QueryResult<T> {
        let until = Instant::now() + self.timeout;
        let _taken = self.take(until);
        retry(until, || conn.batch_execute("BEGIN IMMEDIATE; ROLLBACK"))?;
        run(conn)
    }

    /// Returns true while a connection waits for the lock.
    #[cfg(test)]
    pub(super) fn is_taken(&self) -> bool {
        self.take(Instant::now()).is_none()
    }

    /// Waits for the turn. Without it after a time: its holder may be stopped.
    fn take(&self, until: Instant) -> Option<Taken<'_>> {
        let file = self.file.as_ref()?;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(Taken(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(self.poll),
                Err(_) => return None,
            }
        }
    }
}

/// Tells SQLite not to wait for locks, because the turn does.
pub(super) fn no_wait(conn: &mut Conn) -> QueryResult<()> {
    conn.batch_execute("PRAGMA busy_timeout = 0")
}

fn retry(until: Instant, mut begin: impl FnMut() -> QueryResult<()>) -> QueryResult<()> {
    loop {
        match begin() {
            Err(error) if is_busy(&error) && Instant::now() < until => sleep(LOCK_POLL),
            result => return result,
        }
    }
}

/// Opens the file that connections lock for their turn. Links to the database lead to the same one. The database itself will
/// not do: SQLite loses its own locks when another handle of the file is closed.
fn open(database: &Path) -> Option<File> {
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let mut path = real.into_os_string();
    path.push("-turn");
    let options = OpenOptions::new().append(true).create(true).open(&path);
    // Another user's may be readable.
    options.or_else(|_| File::open(&path)).ok()
}
