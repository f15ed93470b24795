use super::connection::{Role, Target};
use super::migrations;
use super::queries::{at_rest, store_error};
use super::readers::Readers;
use super::writer::Writer;
use crate::context::Context;
use crate::error::OpenError;
use crate::migrations::MigrationStatus;
use crate::sealed::{Sealer, Seals};
use cutover_app::port::{Creation, StagingDone, Store, StoreError, Traces, Tx, WriteJob};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How a SQLite database is used.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many connections read at the same time, each opened when it is first needed; at least 1. Each
    /// keeps some 2 MB of pages.
    pub readers: u32,
    /// How long a lock of another process is waited for.
    pub busy_timeout: Duration,
    /// How long a reader is waited for when all are taken.
    pub pool_timeout: Duration,
    /// How large the write-ahead log may stay behind readers, in bytes.
    pub wal_limit: u64,
    /// What is sealed at rest is sealed and opened by it.
    pub sealer: Sealer,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            readers: 16,
            busy_timeout: Duration::from_secs(5),
            pool_timeout: Duration::from_secs(2),
            wal_limit: 64 << 20,
            sealer: Sealer::default(),
        }
    }
}

/// The store in a SQLite file.
///
/// Writes go through one connection on a thread of its own and are committed in groups, durably
/// before anybody is told; reads have connections of their own and are never held up by writes. Other
/// processes may use the file at the same time: a write waits for theirs.
pub struct SqliteStore {
    readers: Readers,
    writer: Writer,
    sealer: Sealer,
    target: Target,
    migrations: Vec<MigrationStatus>,
}

impl SqliteStore {
    /// Opens the database at a path, makes it if there is none, and applies pending migrations
    /// (contract D11).
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be used as a durable database of this version.
    pub fn open(path: &Path, options: Options) -> Result<Self, OpenError> {
        let target = options.target(path);
        let Options { readers, pool_timeout, sealer, .. } = options;
        let mut conn = target.connect(Role::Writer)?;
        let migrations = migrations::apply(&mut conn)?;
        let context = Arc::new(Context::from(sealer.clone()));
        let readers = Readers::new(target.clone(), readers, pool_timeout, context.clone());
        let writer = Writer::start(target.clone(), conn, context)?;
        Ok(Self { readers, writer, sealer, target, migrations })
    }

    /// How what is to be sealed at rest lies in the database; of large tables a sample is looked at.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be asked.
    pub fn seals(&self) -> Result<Vec<Seals>, StoreError> {
        self.readers.ask(at_rest::seals)
    }

    /// The names of the encryption keys that values are opened with. The first one seals.
    pub fn encryption_keys(&self) -> Vec<String> {
        self.sealer.keys().map(|keys| keys.opening().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The migrations of the database, oldest first: all that this program has are applied.
    pub fn migrations(&self) -> &[MigrationStatus] {
        &self.migrations
    }
}

impl Options {
    pub(super) fn target(&self, path: &Path) -> Target {
        Target { path: path.to_owned(), busy_timeout: self.busy_timeout, wal_limit: self.wal_limit }
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

    fn glance(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.readers.glance(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.writer.write(job)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        // Here, so that the one that writes does not have to for all.
        match self.sealer.seal_creation(creation) {
            Ok(creation) => self.writer.stage(creation, done),
            Err(error) => done(Err(store_error(error))),
        }
    }

    /// The log is emptied into the file, over what was removed.
    fn scrub(&self) -> Result<Traces, StoreError> {
        let emptied = super::wal::empty(&self.target).map_err(|e| StoreError::Unavailable(e.to_string()))?;
        Ok(if emptied { Traces::None } else { Traces::UntilCheckpoint })
    }

    fn reads_at_once(&self) -> bool {
        self.readers.have_spare()
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

    /// A read that holds its reader until it is told.
    fn hold<'s>(scope: &'s thread::Scope<'s, '_>, store: &'s SqliteStore) -> mpsc::Sender<()> {
        let (taken, is_taken) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        scope.spawn(move || {
            let held = read(store, |_| {
                taken.send(()).unwrap();
                // It also ends when the test fails and forgets about it.
                let _ = is_done.recv();
                Ok(())
            });
            held.unwrap();
        });
        is_taken.recv().unwrap();
        done
    }

    #[test]
    fn reads_are_only_at_once_while_there_are_readers_to_spare() {
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
            assert!(!store.reads_at_once(), "the last is not for who cannot wait");
        });
        assert!(store.reads_at_once());
    }
}
