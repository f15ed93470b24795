//! Failure 9: a transaction that stays open elsewhere keeps index entries of rows that were claimed long ago.

use super::environment::{TestEnvironment, until_gone};
use chrono::{DateTime, Duration, Utc};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{FairShares, Store, read_committed, write};
use cutover_app::worker::{Worked, Worker};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_machine::wait_for_count;
use std::sync::Arc;

/// Number of processes of the supplier that were claimed and imported since the transaction began.
const DEAD: usize = 20_000;
/// Maximum number of index entries that claims and queries for the next due time may read.
const FEW: u64 = 2_000;

fn now() -> DateTime<Utc> {
    "2026-11-21T02:00:00Z".parse().unwrap()
}

/// Returns the due processes without claiming them.
fn due(store: &dyn Store, at: DateTime<Utc>) -> Vec<String> {
    let due = write(store, move |tx| tx.due_processes(at, 16, &FairShares::default())).unwrap();
    due.iter().map(|stored| stored.process.snapshot().external_account_number.to_string()).collect()
}

/// Adds many processes that fell due in the last hours and left the queue, and two that wait.
fn after_many(env: &TestEnvironment) {
    env.create("A-1");
    env.create("A-2");
    let many = format!(
        "ALTER TABLE processes SET (autovacuum_enabled = false); \
         INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, tries, version, \
         is_dry_run, NULL, NULL, due_at - interval '1 second' * n, NULL, created_at, modified_at, latest_event_at, NULL, \
         NULL, NULL, fingerprint, NULL FROM processes, generate_series(3, {DEAD}) n \
         WHERE external_account_number = 'A-1'"
    );
    env.database.sql(&many).unwrap();
    env.database
        .sql("UPDATE processes SET state = 'CANCELLED' WHERE external_account_number LIKE 'M-%'")
        .unwrap();
}

/// Failure 9: given a transaction that stays open elsewhere while a supplier's accounts are claimed, then
/// what a claim reads does not grow with them.
#[test]
fn claims_do_not_read_processes_that_were_claimed_before() {
    let Some(env) = TestEnvironment::new() else { return };
    let _open = env.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    after_many(&env);
    // The first claim of a node reads all and notes a hint. The server counts its reads when the connection
    // ends.
    assert_eq!(due(&*env.store, now()), ["A-1", "A-2"]);
    let database = env.close();
    let read = || {
        let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'processes'";
        database.sql(read).unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    assert!(before > DEAD as u64, "{before} entries were read by the first");
    let store = PostgresStore::open(&PostgresOptions::new(database.url())).unwrap();
    for _ in 0..20 {
        assert_eq!(due(&store, now()), ["A-1", "A-2"]);
        assert_eq!(read_committed(&store, |tx| tx.next_due_at(now())), Ok(Some(now())));
    }
    drop(store);
    until_gone(&database);
    let read = read() - before;
    assert!(read < DEAD as u64 + FEW, "{read} entries were read for 20 claims");
}

/// Failure 9: given running imports of a bounded supplier that ended while a transaction stays open
/// elsewhere, then what a claim of that supplier, or a sweep, reads does not grow with them.
#[test]
fn imports_that_ended_are_not_counted_again() {
    let Some(env) = TestEnvironment::new() else { return };
    let bounded = SupplierChange { max_concurrent_imports: Some(Some(5)), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", bounded).unwrap();
    let _open = env.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    env.create("A-1");
    let ended = format!(
        "ALTER TABLE processes SET (autovacuum_enabled = false); \
         INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, 'IN_PROGRESS', 1, 1, 2, is_dry_run, \
         NULL, NULL, due_at, due_at - interval '1 second' * n, created_at, modified_at, latest_event_at, NULL, NULL, NULL, \
         fingerprint, NULL FROM processes, generate_series(3, {DEAD}) n WHERE external_account_number = 'A-1'"
    );
    env.database.sql(&ended).unwrap();
    env
        .database
        .sql(
            "UPDATE processes SET state = 'CANCELLED', lease_until = NULL WHERE external_account_number LIKE 'M-%'",
        )
        .unwrap();
    assert_eq!(due(&*env.store, now()), ["A-1"]);
    let database = env.close();
    let read = || {
        let read = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'processes_leases'";
        database.sql(read).unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    assert!(before > DEAD as u64, "{before} entries were read by the first");
    let store = PostgresStore::open(&PostgresOptions::new(database.url())).unwrap();
    for _ in 0..20 {
        assert_eq!(due(&store, now()), ["A-1"]);
        assert_eq!(read_committed(&store, |tx| tx.next_due_at(now())), Ok(Some(now())));
        assert_eq!(read_committed(&store, |tx| tx.expired_leases(now(), 500)), Ok(vec![]));
    }
    drop(store);
    until_gone(&database);
    let read = read() - before;
    // They are counted once before the supplier is locked and once after.
    assert!(read < 2 * DEAD as u64 + FEW, "{read} entries were read for 20 claims");
}

/// Failure 9: creates and imports look up the row of their supplier. If claims changed it, all of them would
/// have to read its old versions while a transaction stays open elsewhere.
#[test]
fn claims_do_not_change_rows_that_creates_refer_to() {
    let Some(env) = TestEnvironment::new() else { return };
    for n in 0..40 {
        env.create(&format!("A-{n}"));
    }
    let TestEnvironment { app, store, database, .. } = env;
    let worker = Worker::new(app, "w1".into(), Arc::default(), Arc::default());
    while worker.run_once().unwrap() != Worked::Nothing {}
    drop((worker, store));
    until_gone(&database);
    let states = "SELECT DISTINCT state FROM processes";
    assert_eq!(database.sql(states).unwrap(), "PROCESSED");
    let changed =
        "SELECT sum(n_tup_upd) FROM pg_stat_user_tables WHERE relname IN ('suppliers', 'organisations')";
    assert_eq!(database.sql(changed).unwrap(), "0");
}

/// Failure 9: a process that is stored late, due before one that was claimed already, is found within half a
/// minute.
#[test]
fn a_process_that_is_stored_late_is_claimed_half_a_minute_later() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    assert_eq!(due(&*env.store, now()), ["A-1"]);
    env.create("late");
    let earlier =
        "UPDATE processes SET due_at = due_at - interval '1 minute' WHERE external_account_number = 'late'";
    env.database.sql(earlier).unwrap();
    assert_eq!(due(&*env.store, now() + Duration::seconds(29)), ["A-1"]);
    assert_eq!(due(&*env.store, now() + Duration::seconds(30)), ["late", "A-1"]);
    assert_eq!(due(&*env.store, now() + Duration::seconds(30)), ["late", "A-1"]);
}

/// Failure 9: given changes of figures that were folded while a transaction stays open elsewhere, then what a
/// sweep or a check of a migration reads does not grow with them.
#[test]
fn figures_do_not_read_changes_that_were_folded_before() {
    let Some(env) = TestEnvironment::new() else { return };
    env.create("A-1");
    let _open = env.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    let many = format!(
        "ALTER TABLE process_changes SET (autovacuum_enabled = false); \
         ALTER TABLE cause_changes SET (autovacuum_enabled = false); \
         ALTER TABLE total_changes SET (autovacuum_enabled = false); \
         ALTER TABLE row_changes SET (autovacuum_enabled = false); \
         INSERT INTO row_changes (supplier_id, is_sent, times, counts) \
         SELECT 1, FALSE, 1, '1,,2' FROM generate_series(1, {DEAD}); \
         INSERT INTO cause_changes (supplier_id, level, code, attr, change) \
         SELECT 1, 'error', 'invalid', 'customers.#.email', 1 FROM generate_series(1, {DEAD}); \
         INSERT INTO process_changes (supplier_id, state, error_code, change) \
         SELECT 1, 'PROCESSED', '', 1 FROM generate_series(1, {DEAD}); \
         INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents) \
         SELECT 1, 1, '1', 0, 0, 0 FROM generate_series(1, {DEAD})"
    );
    env.database.sql(&many).unwrap();
    let fold = |store: &dyn Store| write(store, |tx| tx.fold(2_000)).unwrap();
    while fold(&*env.store) > 0 {}
    // Bounds advance once the transactions that began to write before have ended, which the next fold checks.
    env.create("A-2");
    while fold(&*env.store) > 0 {}
    let bound = || {
        env.database
            .sql("SELECT min(folded_to) FROM folded_changes WHERE kind <> 'activity'")
            .unwrap()
            .parse::<usize>()
    };
    wait_for_count("the bounds move", DEAD, || {
        fold(&*env.store);
        bound().unwrap()
    });
    let database = env.close();
    let read = || {
        let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname IN ('process_changes', 'total_changes', 'row_changes')";
        database.sql(read).unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    assert!(before >= 3 * DEAD as u64, "{before} entries were read to fold them");
    let store = PostgresStore::open(&PostgresOptions::new(database.url())).unwrap();
    for _ in 0..20 {
        assert_eq!(read_committed(&store, |tx| tx.has_changes()), Ok(false));
        assert_eq!(fold(&store), 0);
        let counts = read_committed(&store, |tx| tx.state_counts(1)).unwrap();
        assert_eq!(counts.iter().map(|count| count.processes).sum::<u64>(), DEAD as u64 + 2);
        assert_eq!(read_committed(&store, |tx| Ok(tx.totals(1)?.accounts)), Ok(DEAD as u64));
    }
    drop(store);
    until_gone(&database);
    let read = read() - before;
    assert!(read < FEW, "{read} entries were read for 20 looks");
}
