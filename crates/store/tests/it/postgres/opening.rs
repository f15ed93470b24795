//! Databases with other defaults, or other users.

use super::environment::TestEnvironment;
use crate::databases::words_are_found_after_the_migration;
use cutover_app::port::{self, Creation, Staged, Staging, StoredIssues, read, read_committed};
use cutover_process::{Actor, NewProcess, Submission};
use cutover_store::{MigrationState, OpenError, PostgresOptions, PostgresStore};
use cutover_testkit_machine::wait_until;
use cutover_testkit_postgres::{Cluster, ClusterOptions, TestDatabase, server, sql};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn migrating(url: &str) -> PostgresOptions {
    PostgresOptions { migrates: true, ..PostgresOptions::new(url) }
}

/// A restored dump writes the row again; a restored copy of the files, or a promoted standby, is a server that began at
/// another time.
#[test]
fn a_restored_dump_and_another_server_have_another_history() {
    let Some(mut cluster) = Cluster::for_test(&ClusterOptions::fast()) else { return };
    let url = cluster.url("postgres");
    let history = |options: &PostgresOptions| {
        read_committed(&PostgresStore::open(options).unwrap(), |tx| tx.database_history()).unwrap()
    };
    let first = history(&migrating(&url));
    let separator = if url.contains('?') { '&' } else { '?' };
    let elsewhere = format!("{url}{separator}options=-c%20TimeZone%3DJapan");
    assert_eq!(history(&PostgresOptions::new(elsewhere)), first);
    cluster.sql("postgres", "UPDATE installation SET id = id").unwrap();
    let second = history(&PostgresOptions::new(&url));
    assert_ne!(second, first);
    cluster.restart().unwrap();
    assert_ne!(history(&PostgresOptions::new(&url)), second);
}

/// It also waits longer than the lock timeout.
#[test]
fn a_second_migration_waits_longer_than_the_statement_timeout() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let statement_timeout = Duration::from_secs(2);
    let held = "BEGIN; SELECT pg_advisory_xact_lock(x'6375746f76657200'::bigint); SELECT pg_sleep(6); COMMIT";
    thread::scope(|scope| {
        let holding = scope.spawn(|| sql(database.url(), held));
        let is_held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = \
                       (SELECT oid FROM pg_database WHERE datname = current_database())";
        wait_until("it is held", || database.sql(is_held).unwrap() == "1");
        PostgresStore::open(&PostgresOptions { statement_timeout, ..migrating(database.url()) }).unwrap();
        holding.join().unwrap().unwrap();
    });
}

/// Undoes the last migration, which makes a table and adds columns.
pub(super) fn undo_last_migration(url: &str) {
    let columns = ["high", "units", "fraction", "readings", "transactions", "documents"]
        .map(|column| format!("DROP COLUMN sent_{column}"))
        .join(", ");
    let undone = format!(
        "DROP TABLE manifests; ALTER TABLE processes {columns}; ALTER TABLE process_counts {columns}; \
         ALTER TABLE process_changes {columns}; DELETE FROM __diesel_schema_migrations WHERE version = '0006'"
    );
    sql(url, &undone).unwrap();
}

/// While a migration waits for a table, later statements on the table wait behind it.
#[test]
fn a_table_in_use_is_migrated_later_and_serves_meanwhile() {
    let Some(env) = TestEnvironment::new() else { return };
    undo_last_migration(env.database.url());
    let write = "LOCK TABLE processes IN ROW EXCLUSIVE MODE";
    let in_use = env.hold(write);
    thread::scope(|scope| {
        let migrated = scope.spawn(|| PostgresStore::open(&migrating(env.database.url())));
        env.until_waiting(1);
        // The migration gives up its wait, so that others can use the table.
        env.database.sql(&format!("BEGIN; {write}; COMMIT")).unwrap();
        assert!(!migrated.is_finished());
        drop(in_use);
        let migrated = migrated.join().unwrap().unwrap();
        let applied = migrated.migrations().iter().filter(|m| m.state == MigrationState::JustApplied);
        assert_eq!(applied.map(|m| m.version.as_str()).collect::<Vec<_>>(), ["0006"]);
    });
}

#[test]
fn words_of_an_older_version_are_kept() {
    let Some(env) = TestEnvironment::new() else { return };
    env.database
        .sql(
            "DROP TABLE process_terms; DROP TABLE search_terms;
             CREATE TABLE search_terms (process_id BIGINT NOT NULL, term BYTEA NOT NULL, PRIMARY KEY (process_id, term));
             INSERT INTO search_terms VALUES (7, '\\x00AB'), (7, '\\x01'), (40000, '\\x00AB');
             DELETE FROM __diesel_schema_migrations WHERE version = '0018'",
        )
        .unwrap();
    words_are_found_after_the_migration(&PostgresStore::open(&migrating(env.database.url())).unwrap());
}

#[test]
fn a_database_with_another_encoding_is_refused() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let name = format!("{}_latin", database.name());
    let make = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    database.sql(&make).unwrap();
    let refused = PostgresStore::open(&migrating(&server.url_of(&name).unwrap())).map(drop);
    database.sql(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
    assert!(matches!(&refused, Err(OpenError::Encoding(encoding)) if encoding == "LATIN1"), "{refused:?}");
}

/// Returns a new account of the supplier `ACME`.
fn creation(env: &TestEnvironment, number: &str) -> Arc<Creation> {
    let supplier = read(&*env.store, |tx| tx.supplier(&"ACME".parse().unwrap())).unwrap().unwrap();
    Arc::new(Creation {
        supplier_id: supplier.id,
        contract: None,
        mark: None,
        supplier_revision: supplier.revision,
        process: NewProcess {
            supplier: supplier.code,
            external_account_number: number.parse().unwrap(),
            submission: Submission::default(),
        },
        actor: Actor::System,
        at: "2026-11-21T02:00:00Z".parse().unwrap(),
        staged: Staged { payload: vec![1], fingerprint: [1; 32], ..Staged::default() },
        issues: StoredIssues::default(),
    })
}

#[test]
fn concurrent_creates_of_an_account_store_one_at_any_default_isolation() {
    let Some(env) = TestEnvironment::new() else { return };
    let name = env.database.name();
    let set = format!("ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'");
    env.database.sql(&set).unwrap();
    let [one, other] =
        [(); 2].map(|()| PostgresStore::open(&PostgresOptions::new(env.database.url())).unwrap());
    let creation = creation(&env, "A-1");
    let held = env.hold("LOCK TABLE payloads IN SHARE MODE");
    let mut staged = thread::scope(|scope| {
        let first = scope.spawn(|| port::stage(&one, creation.clone()));
        env.until_waiting(1);
        let second = scope.spawn(|| port::stage(&other, creation.clone()));
        env.until_waiting(2);
        drop(held);
        [first, second].map(|staged| staged.join().unwrap().unwrap())
    });
    staged.sort_by_key(|staged| *staged != Staging::Staged);
    assert_eq!(staged, [Staging::Staged, Staging::Exists]);
}

/// A create of an account that is being changed must not wait for the change, because all creates would wait
/// behind it. It would fail: the change ends later.
#[test]
fn a_change_of_an_account_does_not_hold_up_creates() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    let held = env.hold("UPDATE processes SET attempt = attempt + 1");
    assert_eq!(port::stage(&*env.store, creation(&env, "A-1")), Ok(Staging::Exists));
    assert_eq!(port::stage(&*env.store, creation(&env, "A-2")), Ok(Staging::Staged));
    drop(held);
}

/// A process that ends while a spare connection is opened over TLS would end by a signal, because the library
/// cleans up while the thread uses it.
#[test]
fn no_spare_connection_is_opened() {
    let Some(env) = TestEnvironment::new() else { return };
    let connections = read(&*env.store, |tx| {
        tx.organisations()?;
        // Other connections are opened meanwhile, so a spare one would be too.
        for _ in 0..5 {
            env.database.sql("SELECT 1").unwrap();
        }
        Ok(port::Store::connections(&*env.store))
    });
    assert_eq!(connections, Ok(Some((1, 0))));
}
