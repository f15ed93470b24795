//! Databases of the tests, which are migrated once and then copied.

use cutover_app::port::{SearchTerm, Store, read};
use cutover_store::{Options, PostgresOptions, PostgresStore, SqliteStore};
use cutover_testkit_machine::STALLED;
use cutover_testkit_postgres::{RUNNING_ROLE, Template, TemplateCopy, TestDatabase, server};
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Returns a folder with a SQLite database in `cutover.db`, which has the service's tables, all empty.
pub(crate) fn migrated_file() -> TempDir {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    let template = TEMPLATE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = file_in(&folder);
        drop(SqliteStore::open(&path, of_file()).unwrap());
        assert!(!path.with_extension("db-wal").exists(), "all is in the file");
        std::fs::read(path).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(file_in(&folder), template).unwrap();
    folder
}

/// Returns the path of the database in a folder.
pub(crate) fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("cutover.db")
}

/// Returns an empty store and its folder, which is removed after the store.
pub(crate) fn sqlite_store() -> (TempDir, SqliteStore) {
    let folder = migrated_file();
    let store = SqliteStore::open(&file_in(&folder), of_file()).unwrap();
    (folder, store)
}

/// Returns a database with the service's tables, all empty; `None` if there is no server. Its owner has migrated it.
pub(crate) fn migrated() -> Option<TemplateCopy> {
    static TEMPLATE: Template = Template::new();
    let migrate = |database: &TestDatabase| {
        PostgresStore::migrate(&PostgresOptions::new(database.url()), Some(RUNNING_ROLE)).unwrap();
    };
    Some(TEMPLATE.copy(server()?, migrate).unwrap().0)
}

/// Returns an empty store and its database; `None` if there is no server.
pub(crate) fn postgres_store() -> Option<(PostgresStore, TemplateCopy)> {
    let database = migrated()?;
    Some((open(&database), database))
}

/// Readers are opened by threads of their pool, which come late on a busy machine.
pub(crate) fn of_file() -> Options {
    Options { pool_timeout: STALLED, ..Options::default() }
}

/// Returns the settings of tests that have none of their own. Stores run as a role that owns nothing.
pub(crate) fn options(database: &TestDatabase) -> PostgresOptions {
    PostgresOptions {
        // On a busy machine, twice as many threads as connections may wait for longer than the default.
        pool_timeout: STALLED,
        statement_timeout: STALLED,
        ..PostgresOptions::new(database.running_url().unwrap())
    }
}

fn open(database: &TestDatabase) -> PostgresStore {
    PostgresStore::open(&options(database)).unwrap()
}

/// Finds the words that an older version stored for the processes 7 and 40000.
pub(crate) fn words_are_found_after_the_migration(store: &dyn Store) {
    let term = |bytes: &[u8]| SearchTerm(bytes.to_vec());
    let with = |bytes| read(store, |tx| tx.processes_with(&term(bytes), 0, 9)).unwrap();
    assert_eq!((with(&[0, 0xab]), with(&[1])), (vec![7, 40000], vec![7]));
    let among = |bytes| read(store, |tx| tx.processes_among_with(&[7, 40000], &term(bytes))).unwrap();
    assert_eq!((among(&[0, 0xab]), among(&[1])), (vec![7, 40000], vec![7]));
}
