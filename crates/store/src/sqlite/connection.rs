use super::dialect::{Conn, Dialect};
use super::queries::sql_dialect::SqlDialect;
use crate::error::{Meaning, OpenError};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error as DieselError;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The use of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The connection that writes.
    Writer,
    /// A connection that refuses to write.
    Reader,
}

/// The file of a database and settings of its connections.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// Maximum wait for a lock of another process.
    pub(super) busy_timeout: Duration,
    /// Interval at which a connection asks for its turn to write.
    pub(super) turn_poll: Duration,
    /// Size in bytes that the write-ahead log may keep.
    pub(super) wal_limit: u64,
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = diesel::sql_types::Text)]
    journal_mode: String,
}

impl Target {
    /// Opens a connection with all its settings.
    pub(super) fn connect(&self, role: Role) -> Result<Conn, OpenError> {
        let mut conn = Conn::establish(&self.url()?).map_err(|e| OpenError::Connect(e.to_string()))?;
        let busy_timeout = format!("PRAGMA busy_timeout = {}", self.busy_timeout.as_millis());
        conn.batch_execute(&busy_timeout).map_err(|error| OpenError::Setting(error.to_string()))?;
        if role == Role::Writer {
            while_locked(&mut conn, self.busy_timeout, write_ahead)?;
        }
        let settings = self.settings(role);
        while_locked(&mut conn, self.busy_timeout, |conn| conn.batch_execute(&settings))?;
        Ok(conn)
    }

    /// Returns the path in a form that SQLite does not take for a URL, which begins with `file:`.
    pub(super) fn url(&self) -> Result<String, OpenError> {
        let path = if self.path.is_absolute() { self.path.clone() } else { Path::new(".").join(&self.path) };
        let text = path.to_str().ok_or_else(|| OpenError::Connect("its path is not UTF-8".into()))?;
        Ok(text.to_owned())
    }

    /// `synchronous = FULL` syncs each commit to the disk. Memory is not mapped: a fault of the disk would
    /// end the process instead of being an error.
    fn settings(&self, role: Role) -> String {
        let common = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
                      PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF;";
        match role {
            // Deleted rows of customers and replaced payloads are overwritten. Twice the cache makes creates
            // and imports no cheaper and costs 18 MB more at the peak.
            Role::Writer => format!(
                "{common} PRAGMA secure_delete = ON; PRAGMA cache_size = -16384; \
                 PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = {};",
                self.wal_limit,
            ),
            // The cache is small: there are many readers, and every commit of the writer empties their
            // caches.
            Role::Reader => format!("{common} PRAGMA cache_size = -2048; PRAGMA query_only = ON;"),
        }
    }
}

/// Sets the journal mode in which readers and the writer do not wait for each other. The file keeps it.
fn write_ahead(conn: &mut Conn) -> QueryResult<()> {
    let JournalMode { journal_mode } = diesel::sql_query("PRAGMA journal_mode = WAL").get_result(conn)?;
    match journal_mode.as_str() {
        "wal" => Ok(()),
        mode => Err(DieselError::QueryBuilderError(format!("journal_mode is {mode:?}, not \"wal\"").into())),
    }
}

/// Runs settings of a connection again while another process holds a lock.
///
/// SQLite does not wait for the lock to change the journal mode, nor for the first read after another process has
/// changed it. So if several processes create a file at once, some are refused. They wait for the others by
/// beginning to write, and try again.
fn while_locked(
    conn: &mut Conn,
    timeout: Duration,
    set: impl Fn(&mut Conn) -> QueryResult<()>,
) -> Result<(), OpenError> {
    let begun = Instant::now();
    loop {
        match set(conn) {
            Err(error) if is_busy(&error) && begun.elapsed() < timeout => {
                // The next attempt shows whether the lock was free.
                let _ = conn.batch_execute("BEGIN IMMEDIATE; ROLLBACK");
            }
            result => return result.map_err(|error| OpenError::Setting(error.to_string())),
        }
    }
}

/// True if another connection holds a lock.
pub(super) fn is_busy(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(_, info) if Dialect::meaning(info.message()) == Meaning::Busy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Options;

    #[derive(QueryableByName)]
    struct CompileOption {
        #[diesel(sql_type = diesel::sql_types::Text)]
        compile_options: String,
    }

    /// `.cargo/config.toml` sets the options (decision 0008).
    #[test]
    fn sqlite_is_built_without_unneeded_work() {
        let mut conn = Conn::establish(":memory:").unwrap();
        let options: Vec<CompileOption> =
            diesel::sql_query("PRAGMA compile_options").load(&mut conn).unwrap();
        let has = |name: &str| options.iter().any(|option| option.compile_options == name);
        assert_eq!(["THREADSAFE=2", "DEFAULT_MEMSTATUS=0", "ENABLE_QPSG"].map(has), [true; 3]);
        assert_eq!(["ENABLE_MEMORY_MANAGEMENT", "ENABLE_API_ARMOR"].map(has), [false; 2]);
    }

    #[test]
    fn a_path_is_never_taken_for_a_url() {
        let url = |path: &str| {
            let target = Options::default().target(path.as_ref());
            target.url().unwrap()
        };
        assert_eq!(url("file:x?mode=memory"), "./file:x?mode=memory");
        assert_eq!(url("sqlite://x"), "./sqlite://x");
        assert_eq!(url("/var/lib/x.db"), "/var/lib/x.db");
    }
}
