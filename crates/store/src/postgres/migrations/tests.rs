use super::*;
use cutover_testkit_postgres::{TestDatabase, server};
use diesel::sql_types::BigInt;
use std::thread;

/// A table and an index on it that is built concurrently.
const SOME: EmbeddedMigrations = embed_migrations!("tests/migrations/postgres");

fn connect(database: &TestDatabase) -> Conn {
    Conn::establish(database.url()).unwrap()
}

fn states(conn: &mut Conn) -> Vec<MigrationState> {
    let migrated = migrate(conn, || SOME, None).map_err(|Failed(error)| error).unwrap();
    migrated.into_iter().map(|migration| migration.state).collect()
}

fn indexes(database: &TestDatabase) -> String {
    let indexes = "SELECT indexrelid::REGCLASS, indisvalid FROM pg_index WHERE indrelid = 'things'::REGCLASS ORDER BY 1";
    database.sql(indexes).unwrap()
}

/// The build waits for all statements, so a second process must not wait for the lock in a statement.
#[test]
fn an_index_is_built_concurrently_while_others_wait_to_migrate() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let mut all: Vec<_> = thread::scope(|scope| {
        let start = |_| scope.spawn(|| states(&mut connect(&database)));
        let threads: Vec<_> = (0..3).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    all.sort_unstable_by_key(|states| states[0] != MigrationState::JustApplied);
    assert_eq!(all[0], [MigrationState::JustApplied; 2]);
    assert_eq!(all[1..], [[MigrationState::Applied; 2]; 2].map(Vec::from));
    assert_eq!(indexes(&database), "things_pkey|t\nthings_by_kind|t");
}

#[test]
fn an_unfinished_index_is_built_again() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let mut conn = connect(&database);
    conn.run_next_migration(SOME).unwrap();
    // A unique index on two rows of one kind fails and stays invalid, like one whose build was interrupted.
    database.sql("INSERT INTO things VALUES (1, 'a'), (2, 'a')").unwrap();
    let cut_off = "CREATE UNIQUE INDEX CONCURRENTLY things_by_kind ON things (kind)";
    assert!(conn.batch_execute(cut_off).is_err());
    assert_eq!(indexes(&database), "things_pkey|t\nthings_by_kind|f");
    assert_eq!(states(&mut conn), [MigrationState::Applied, MigrationState::JustApplied]);
    assert_eq!(indexes(&database), "things_pkey|t\nthings_by_kind|t");
}

/// The build waits for open transactions however long they take; nothing else waits.
#[test]
fn an_index_waits_for_transactions_that_began_before_it() {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    connect(&database).run_next_migration(SOME).unwrap();
    let mut writes = connect(&database);
    writes.batch_execute("BEGIN; INSERT INTO things VALUES (1, 'a')").unwrap();
    thread::scope(|scope| {
        let migrated = scope.spawn(|| states(&mut connect(&database)));
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                     AND wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY%'";
        let waits = diesel::dsl::sql::<BigInt>(waits);
        let mut conn = connect(&database);
        while waits.clone().get_result::<i64>(&mut conn).unwrap() == 0 {
            assert!(!migrated.is_finished(), "it did not wait");
        }
        conn.batch_execute("INSERT INTO things VALUES (2, 'b')").unwrap();
        writes.batch_execute("COMMIT").unwrap();
        assert_eq!(migrated.join().unwrap(), [MigrationState::Applied, MigrationState::JustApplied]);
    });
    assert_eq!(indexes(&database), "things_pkey|t\nthings_by_kind|t");
}
