use super::connection::{Role, Target};
use super::migrations;
use super::queries::{at_rest, store_error};
use super::readers::Readers;
use super::wal::ERASURE;
use super::writer::Writer;
use crate::context::Context;
use crate::error::OpenError;
use crate::migrations::MigrationStatus;
use crate::sealed::{Sealer, Seals, encryption_of};
use cutover_app::port::{
    Creation, DatabaseFault, Encryption, Inspection, StagingDone, Store, StoreError, Traces, Tx, WriteJob,
};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Size in bytes of a file that is read whole in an inspection: in a few seconds at most.
pub(super) const INSPECTED: u64 = 256 << 20;

/// Settings of a SQLite database.
#[derive(Debug, Clone)]
pub struct Options {
    /// Maximum number of read-only connections, at least 1. Each is opened when it is first needed and caches
    /// up to 2 MB.
    pub readers: u32,
    /// Maximum wait for a lock of another process.
    pub busy_timeout: Duration,
    /// Interval at which a write asks for its turn among those of other processes.
    pub turn_poll: Duration,
    /// Maximum wait for a free reader.
    pub pool_timeout: Duration,
    /// Size in bytes that the write-ahead log may keep while there are readers.
    pub wal_limit: u64,
    /// Encrypts and decrypts sealed values.
    pub sealer: Sealer,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            readers: 16,
            busy_timeout: Duration::from_secs(5),
            turn_poll: Duration::from_millis(1),
            pool_timeout: Duration::from_secs(2),
            wal_limit: 64 << 20,
            sealer: Sealer::default(),
        }
    }
}

/// The store in a SQLite file.
///
/// Writes go through one connection on its own thread. They are committed in groups, durably before any
/// caller gets its result. Reads have their own connections and never wait for writes. Other processes may
/// use the file at the same time: writes take turns with theirs.
pub struct SqliteStore {
    readers: Readers,
    writer: Writer,
    sealer: Sealer,
    target: Target,
    migrations: Vec<MigrationStatus>,
}

impl SqliteStore {
    /// Opens the database at a path, creates it if it does not exist, and applies pending migrations
    /// (contract D11).
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be used as a durable database of this version.
    pub fn open(path: &Path, options: Options) -> Result<Self, OpenError> {
        let target = options.target(path);
        let Options { readers, pool_timeout, sealer, .. } = options;
        let mut conn = target.connect(Role::Writer)?;
        let migrations = migrations::apply(&mut conn)?;
        let opened =
            diesel::select(sql::<Text>("lower(hex(randomblob(16)))")).get_result::<String>(&mut conn);
        let opened = opened.map_err(|e| OpenError::Connect(e.to_string()))?;
        let context = Arc::new(Context { opened, ..Context::from(sealer.clone()) });
        let readers = Readers::new(target.clone(), readers, pool_timeout, context.clone());
        let writer = Writer::start(target.clone(), conn, context)?;
        Ok(Self { readers, writer, sealer, target, migrations })
    }

    /// Counts how the values to be sealed are stored. Reads a sample of large tables.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        self.readers.ask(at_rest::seals)
    }

    /// Returns the bytes that are free on the disk of the file at a path, which need not be a database; `None` if this
    /// program cannot know.
    ///
    /// # Errors
    /// [`StoreError`] if its file system did not answer.
    pub fn free_space_of(path: &Path) -> Result<Option<u64>, StoreError> {
        super::disk::free_space(path)
    }

    /// Returns the names of the encryption keys that open values. The first one seals.
    pub fn encryption_keys(&self) -> Vec<String> {
        self.sealer.keys().map(|keys| keys.opening().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Returns the migrations of the database, oldest first. All migrations of this program are applied.
    pub fn migrations(&self) -> &[MigrationStatus] {
        &self.migrations
    }
}

impl Options {
    /// Settings for a command beside a server that writes all the time. The command may wait longer than a request, and asks
    /// for its turn more rarely than the server, which so comes before several commands.
    pub fn beside_a_server(sealer: Sealer) -> Self {
        let (busy_timeout, turn_poll) = (Duration::from_secs(60), Duration::from_millis(10));
        Self { busy_timeout, turn_poll, sealer, ..Self::default() }
    }

    pub(super) fn target(&self, path: &Path) -> Target {
        let Self { busy_timeout, turn_poll, wal_limit, .. } = *self;
        Target { path: path.to_owned(), busy_timeout, turn_poll, wal_limit }
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("migrations", &self.migrations).finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.readers.read(job)
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.readers.read_without_snapshot(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.writer.write(job)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        // Sealed by the caller's thread, to save the time of the writer.
        match self.sealer.seal_creation(creation) {
            Ok(creation) => self.writer.stage(creation, done),
            Err(error) => done(Err(store_error(error))),
        }
    }

    /// Moves the log into the file, which overwrites the removed rows.
    fn scrub(&self) -> Result<Traces, StoreError> {
        let emptied =
            super::wal::empty(&self.target, ERASURE).map_err(|e| StoreError::Unavailable(e.to_string()))?;
        Ok(if emptied { Traces::None } else { Traces::UntilCheckpoint })
    }

    fn reads_at_once(&self) -> bool {
        self.readers.have_spare()
    }

    /// Reads the whole file, unless that takes long.
    fn inspect(&self) -> Result<Inspection, StoreError> {
        let unavailable = |error: &dyn std::fmt::Display| StoreError::Unavailable(error.to_string());
        let path = &self.target.path;
        let size = std::fs::metadata(path).map_err(|error| unavailable(&error))?.len();
        if size > INSPECTED {
            return Ok(Inspection { unread: Some(size), ..Inspection::default() });
        }
        let found = Self::quick_check(path).map_err(|error| unavailable(&error))?;
        let faults = found.into_iter().take(1).map(DatabaseFault::Damaged).collect();
        Ok(Inspection { faults, unread: None })
    }

    fn encryption(&self) -> Result<Encryption, StoreError> {
        Ok(encryption_of(&self.seals()?, self.sealer.keys().is_some()))
    }

    fn check_room(&self) -> Result<(), StoreError> {
        super::disk::check_room(&self.target.path)
    }

    fn free_space(&self) -> Result<Option<u64>, StoreError> {
        super::disk::free_space(&self.target.path)
    }

    fn missing_keys(&self) -> Vec<String> {
        self.sealer.missing()
    }

    fn ping(&self) -> Result<(), StoreError> {
        let ping = &mut |tx: &mut dyn Tx| tx.api_key(0).map(|_| ());
        self.read(ping).map_err(|e| StoreError::Unavailable(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::port::read;
    use std::sync::mpsc;
    use std::thread;

    /// Reads, and holds the reader until the returned sender is used or dropped.
    fn hold<'s>(scope: &'s thread::Scope<'s, '_>, store: &'s SqliteStore) -> mpsc::Sender<()> {
        let (taken, is_taken) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        scope.spawn(move || {
            let held = read(store, |_| {
                taken.send(()).unwrap();
                // An error means that the test has failed and dropped the sender.
                let _ = is_done.recv();
                Ok(())
            });
            held.unwrap();
        });
        is_taken.recv().unwrap();
        done
    }

    #[test]
    fn reads_are_at_once_only_while_another_reader_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { readers: 3, ..Options::default() };
        let store = &SqliteStore::open(&folder.path().join("cutover.db"), options).unwrap();
        assert!(!store.reads_at_once(), "none is open");
        assert_eq!(store.ping(), Ok(()));
        assert!(store.reads_at_once());
        thread::scope(|scope| {
            let first = hold(scope, store);
            assert!(!store.reads_at_once(), "another has to be opened");
            let _rest = [hold(scope, store), hold(scope, store)];
            assert!(!store.reads_at_once());
            drop(first);
        });
        thread::scope(|scope| {
            assert!(store.reads_at_once());
            let _one = hold(scope, store);
            assert!(store.reads_at_once());
            let _two = hold(scope, store);
            assert!(!store.reads_at_once(), "the last one is for callers that can wait");
        });
        assert!(store.reads_at_once());
    }
}
