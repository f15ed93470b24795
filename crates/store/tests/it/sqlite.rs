//! SQLite files with several processes, and files that are not databases of ours.

use crate::databases::{of_file, words_are_found_after_the_migration};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::port::{Store, StoreError, read, write};
use cutover_store::{MigrationState, OpenError, Options, SqliteStore};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::Path;
use std::sync::Barrier;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, of_file()).unwrap()
}

fn add(store: &dyn Store, name: String) -> Result<bool, StoreError> {
    write(store, move |tx| Ok(tx.add_organisation(&name, DateTime::<Utc>::UNIX_EPOCH)?.is_some()))
}

fn organisations(store: &dyn Store) -> usize {
    read(store, |tx| tx.organisations()).unwrap().len()
}

/// Runs SQL without the store.
fn run_sql(path: &Path, sql: &str) {
    let mut conn = diesel::SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute(sql).unwrap();
}

#[test]
fn pending_migrations_are_applied_when_it_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let states = |store: &SqliteStore| store.migrations().iter().map(|m| m.state).collect::<Vec<_>>();
    assert_eq!(states(&open(&path)), [MigrationState::JustApplied; 21]);
    let again = open(&path);
    assert_eq!(states(&again), [MigrationState::Applied; 21]);
    let versions: Vec<_> = again.migrations().iter().map(|m| m.version.as_str()).collect();
    assert_eq!(
        versions,
        [
            "0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011", "0012",
            "0013", "0014", "0015", "0016", "0017", "0018", "0019", "0020", "0021"
        ]
    );
    run_sql(&path, "INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')");
    let last = states(&open(&path)).pop();
    assert_eq!(last, Some(MigrationState::Unknown));
}

#[test]
fn words_of_an_older_version_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    drop(open(&path));
    run_sql(
        &path,
        "DROP TABLE process_terms; DROP TABLE search_terms;
         CREATE TABLE search_terms (process_id INTEGER NOT NULL, term BLOB NOT NULL, PRIMARY KEY (process_id, term))
             STRICT, WITHOUT ROWID;
         INSERT INTO search_terms VALUES (7, x'00AB'), (7, x'01'), (40000, x'00AB');
         DELETE FROM __diesel_schema_migrations WHERE version = '0018'",
    );
    words_are_found_after_the_migration(&open(&path));
}

#[test]
fn each_opening_begins_another_history() {
    let folder = tempfile::tempdir().unwrap();
    let history = |store: &SqliteStore| read(store, |tx| tx.database_history()).unwrap();
    let store = open(&folder.path().join("cutover.db"));
    assert_eq!(history(&store), history(&store));
    assert_ne!(history(&store), history(&open(&folder.path().join("cutover.db"))));
}

#[test]
fn many_may_open_a_new_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for i in 0..8 {
            let (start, path) = (&start, &path);
            scope.spawn(move || {
                start.wait();
                assert_eq!(add(&open(path), format!("{i}")), Ok(true));
            });
        }
    });
    assert_eq!(organisations(&open(&path)), 8);
}

#[test]
fn commands_work_next_to_a_server_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let server = open(&path);
    thread::scope(|scope| {
        for n in 0..4 {
            let server = &server;
            scope.spawn(move || (0..100).for_each(|i| assert_eq!(add(server, format!("{n}-{i}")), Ok(true))));
        }
        let path = &path;
        scope.spawn(move || {
            for i in 0..20 {
                let command = open(path);
                assert_eq!(add(&command, format!("command-{i}")), Ok(true));
            }
        });
    });
    assert_eq!(organisations(&server), 420);
}

#[test]
fn committed_rows_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    assert_eq!(add(&open(&path), "A".into()), Ok(true));
    let again = open(&path);
    assert_eq!(organisations(&again), 1);
    assert_eq!(add(&again, "A".into()), Ok(false));
}

#[test]
fn a_path_is_never_taken_for_a_url() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file:x?mode=memory&a=b.db");
    assert_eq!(add(&open(&path), "A".into()), Ok(true));
    assert!(path.is_file());
}

#[test]
fn a_file_that_is_not_a_database_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    let text = "Dear customer, ".repeat(1_000);
    std::fs::write(&path, &text).unwrap();
    let refused = SqliteStore::open(&path, Options::default()).unwrap_err();
    assert!(matches!(refused, OpenError::Setting(_)), "{refused}");
    assert!(refused.to_string().contains("file is not a database"), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);

    let nowhere = SqliteStore::open(&folder.path().join("no/such/folder.db"), Options::default());
    assert!(matches!(nowhere, Err(OpenError::Connect(_))), "{nowhere:?}");
}

#[test]
fn a_read_fails_soon_when_all_readers_are_busy() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { readers: 1, pool_timeout: Duration::from_millis(100), ..Options::default() };
    let store = &SqliteStore::open(&folder.path().join("cutover.db"), options).unwrap();
    let (taken, is_taken) = mpsc::channel();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            read(store, |tx| {
                tx.organisations()?;
                taken.send(()).unwrap();
                is_done.recv().unwrap();
                Ok(())
            })
            .unwrap();
        });
        is_taken.recv().unwrap();
        let refused = read(store, |tx| tx.organisations()).unwrap_err();
        assert!(matches!(refused, StoreError::Busy(_)), "{refused}");
        assert!(matches!(store.ping(), Err(StoreError::Unavailable(_))));
        // Writes do not need a reader.
        assert_eq!(add(store, "A".into()), Ok(true));
        done.send(()).unwrap();
    });
    assert_eq!(store.ping(), Ok(()));
    assert_eq!(organisations(store), 1);
}

#[test]
fn a_read_that_panics_does_not_use_up_a_connection() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { readers: 1, ..of_file() };
    let store = &SqliteStore::open(&folder.path().join("cutover.db"), options).unwrap();
    let panicked = thread::scope(|scope| {
        scope.spawn(|| read(store, |tx| -> Result<(), _> { panic!("{:?}", tx.organisations()) })).join()
    });
    assert!(panicked.is_err());
    assert_eq!(add(store, "A".into()), Ok(true));
    // A connection left in its transaction would not see later writes.
    assert_eq!(organisations(store), 1);
}

/// The error names no value.
#[test]
fn corrupt_rows_are_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    let store = open(&path);
    assert_eq!(add(&store, "A".into()), Ok(true));
    run_sql(
        &path,
        "INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
         send_customer_emails, dry_run, time_zone, rules, created_at) VALUES \
         (1, 'A', 'Ongoing', '/A', 0, 0, 0, 'UTC', '{\"PIN-01\": \"secret\"', 0);
         INSERT INTO suppliers (organisation_id, code, status, document_root, verify_documents, \
         send_customer_emails, dry_run, time_zone, max_concurrent_imports, created_at) VALUES \
         (1, 'B', 'Ongoing', '/B', 0, 0, 0, 'UTC', 5000000000, 0);",
    );
    let supplier = |code: &str| read(&store, |tx| tx.supplier(&code.parse().unwrap())).unwrap_err();
    assert_eq!(supplier("A"), StoreError::Corrupt("a profile cannot be read".into()));
    assert_eq!(supplier("B"), StoreError::Corrupt("max_concurrent_imports is out of range".into()));
    run_sql(&path, "UPDATE organisations SET created_at = 9223372036854775807");
    let times = read(&store, |tx| tx.organisations()).unwrap_err();
    assert_eq!(times, StoreError::Corrupt("a time is out of range".into()));
}

/// What is known of the time before the counts by the minute is the last step of each account.
#[test]
fn activity_of_older_versions_is_that_of_the_last_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cutover.db");
    drop(open(&path));
    let older = "DROP TRIGGER processes_inserted_activity; DROP TRIGGER processes_updated_activity; \
        DROP TRIGGER refused_creates_inserted_activity; DROP TABLE activity_minutes; DROP TABLE activity_changes; \
        DROP TABLE service_holds; DROP TABLE supplier_notes; \
        DELETE FROM __diesel_schema_migrations WHERE version = '0014'; \
        INSERT INTO organisations (id, name, created_at) VALUES (1, 'Acme', 0); \
        INSERT INTO suppliers (id, organisation_id, code, status, document_root, verify_documents, \
            send_customer_emails, dry_run, time_zone, created_at) VALUES (1, 1, 'ACME', 'Ongoing', '/', 0, 0, 0, 'UTC', 0); \
        INSERT INTO process_minutes VALUES (1, 60000000, 'PROCESSED', 7, 60000001, 60000002), \
            (1, 120000000, 'ERRORED', 2, 120000001, 120000002), (1, 120000000, 'DRY_RUN_ERRORED', 0, NULL, NULL)";
    run_sql(&path, older);
    let store = open(&path);
    let activity =
        read(&store, |tx| tx.activity(1, DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + TimeDelta::hours(1)));
    let counted: Vec<_> = activity
        .unwrap()
        .into_iter()
        .map(|count| (count.minute.timestamp(), count.kind.to_string(), count.accounts))
        .collect();
    assert_eq!(counted, [(60, "imported".to_owned(), 7), (120, "failed".to_owned(), 2)]);
}
