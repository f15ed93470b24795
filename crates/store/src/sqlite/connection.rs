use super::dialect::{Conn, Dialect};
use super::queries::sql_dialect::SqlDialect;
use crate::error::{Meaning, OpenError};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error as DieselError;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The one that writes.
    Writer,
    /// One of those that only read; a write on it is refused.
    Reader,
}

/// Where the file is, and how long a lock of another process is waited for.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    pub(super) busy_timeout: Duration,
    /// How large the write-ahead log may stay, in bytes.
    pub(super) wal_limit: u64,
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = diesel::sql_types::Text)]
    journal_mode: String,
}

impl Target {
    /// A connection with all its settings.
    pub(super) fn connect(&self, role: Role) -> Result<Conn, OpenError> {
        let mut conn = Conn::establish(&self.url()?).map_err(|e| OpenError::Connect(e.to_string()))?;
        let setting = |e: diesel::result::Error| OpenError::Setting(e.to_string());
        conn.batch_execute(&format!("PRAGMA busy_timeout = {}", self.busy_timeout.as_millis()))
            .map_err(setting)?;
        if role == Role::Writer {
            write_ahead(&mut conn, self.busy_timeout)?;
        }
        conn.batch_execute(&self.settings(role)).map_err(setting)?;
        Ok(conn)
    }

    /// A path, whatever it looks like: SQLite takes a name that starts with `file:` for an address.
    pub(super) fn url(&self) -> Result<String, OpenError> {
        let path = if self.path.is_absolute() { self.path.clone() } else { Path::new(".").join(&self.path) };
        let text = path.to_str().ok_or_else(|| OpenError::Connect("its path is not UTF-8".into()))?;
        Ok(text.to_owned())
    }

    /// `synchronous = FULL`: what is committed is on the disk. Memory is not mapped: a fault of the disk
    /// is an error then, not the end of the process.
    fn settings(&self, role: Role) -> String {
        let common = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
                      PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF;";
        match role {
            // What is deleted is overwritten: rows of customers are, and payloads that are replaced or archived.
            // With twice the cache creates and imports cost as much, and 18 MB more at the peak.
            Role::Writer => format!(
                "{common} PRAGMA secure_delete = ON; PRAGMA cache_size = -16384; \
                 PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = {};",
                self.wal_limit,
            ),
            // Small: there are many, and every commit of the writer empties them.
            Role::Reader => format!("{common} PRAGMA cache_size = -2048; PRAGMA query_only = ON;"),
        }
    }
}

/// Readers and the writer do not wait for one another. The mode belongs to the file and stays.
///
/// SQLite does not wait for a lock to change it, so of two processes that make a file at once one is
/// refused. It waits for the other as if to write, and looks again.
fn write_ahead(conn: &mut Conn, patience: Duration) -> Result<(), OpenError> {
    let begun = Instant::now();
    loop {
        let mode = diesel::sql_query("PRAGMA journal_mode = WAL").get_result::<JournalMode>(conn);
        match mode {
            Ok(mode) if mode.journal_mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(OpenError::Setting(format!(
                    "journal_mode is {:?}, not \"wal\"",
                    mode.journal_mode
                )));
            }
            Err(DieselError::DatabaseError(_, info))
                if Dialect::meaning(info.message()) == Meaning::Passing && begun.elapsed() < patience =>
            {
                // Whether it came to its turn shows when it looks again.
                let _ = conn.batch_execute("BEGIN IMMEDIATE; ROLLBACK");
            }
            Err(error) => return Err(OpenError::Setting(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(QueryableByName)]
    struct CompileOption {
        #[diesel(sql_type = diesel::sql_types::Text)]
        compile_options: String,
    }

    /// By `.cargo/config.toml` (decision 0008).
    #[test]
    fn sqlite_is_built_without_locks_that_nobody_needs() {
        let mut conn = Conn::establish(":memory:").unwrap();
        let options: Vec<CompileOption> =
            diesel::sql_query("PRAGMA compile_options").load(&mut conn).unwrap();
        let has = |name: &str| options.iter().any(|option| option.compile_options == name);
        let found =
            ["THREADSAFE=2", "DEFAULT_MEMSTATUS=0", "ENABLE_MEMORY_MANAGEMENT", "ENABLE_API_ARMOR"].map(has);
        assert_eq!(found, [true, true, false, false]);
    }

    #[test]
    fn a_path_is_never_an_address() {
        let url = |path: &str| {
            let target = Target { path: path.into(), busy_timeout: Duration::ZERO, wal_limit: 0 };
            target.url().unwrap()
        };
        assert_eq!(url("file:x?mode=memory"), "./file:x?mode=memory");
        assert_eq!(url("sqlite://x"), "./sqlite://x");
        assert_eq!(url("/var/lib/x.db"), "/var/lib/x.db");
    }
}
