//! Failure 9: a transaction that is left open elsewhere keeps what was claimed long ago in the indexes.

use super::house::{House, until_gone};
use chrono::{DateTime, Duration, Utc};
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Store, read_committed, write};
use cutover_app::worker::{Worked, Worker};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::create_account;
use std::sync::Arc;
use std::time::Instant;

/// How many have been claimed and imported of the supplier since the transaction was begun.
const DEAD: usize = 20_000;
/// What a claim, a look at what is due next, or both may read of the indexes in all.
const FEW: u64 = 2_000;

fn now() -> DateTime<Utc> {
    "2026-11-21T02:00:00Z".parse().unwrap()
}

fn create(house: &House, number: &str) {
    let body = format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
    );
    let created = create_account(&house.app, &house.caller, None, body.as_bytes());
    created.unwrap();
}

/// What is due then, of which nothing is claimed.
fn due(store: &dyn Store, at: DateTime<Utc>) -> Vec<String> {
    let due = write(store, move |tx| tx.due_processes(at, 16)).unwrap();
    due.iter().map(|stored| stored.process.snapshot().external_account_number.to_string()).collect()
}

/// Many that fell due one after another in the last hours and went from the queue, and two that wait.
fn after_many(house: &House) {
    create(house, "A-1");
    create(house, "A-2");
    let many = format!(
        "ALTER TABLE processes SET (autovacuum_enabled = false); \
         INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, tries, version, \
         is_dry_run, NULL, NULL, due_at - interval '1 second' * n, NULL, created_at, modified_at, latest_event_at, NULL, \
         NULL, NULL, fingerprint, NULL FROM processes, generate_series(3, {DEAD}) n \
         WHERE external_account_number = 'A-1'"
    );
    house.database.sql(&many).unwrap();
    house
        .database
        .sql("UPDATE processes SET state = 'CANCELLED' WHERE external_account_number LIKE 'M-%'")
        .unwrap();
}

/// Failure 9: given a transaction that stays open elsewhere while a supplier's accounts are claimed, then what a claim
/// reads does not grow with them.
#[test]
fn claims_do_not_look_through_what_was_claimed_before() {
    let Some(house) = House::new() else { return };
    let _open = house.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    after_many(&house);
    // The first of a process looks through all, and remembers. What it read is told when its connection ends.
    assert_eq!(due(&*house.store, now()), ["A-1", "A-2"]);
    let database = house.close();
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

/// Failure 9: given running imports of a bounded supplier that ended while a transaction stays open elsewhere, then what
/// a claim of that supplier, or a sweep, reads does not grow with them.
#[test]
fn imports_that_ended_are_not_counted_again() {
    let Some(house) = House::new() else { return };
    let bounded = SupplierChange { max_concurrent_imports: Some(Some(5)), ..SupplierChange::default() };
    house.app.set_supplier("ACME", bounded).unwrap();
    let _open = house.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    create(&house, "A-1");
    let ended = format!(
        "ALTER TABLE processes SET (autovacuum_enabled = false); \
         INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, 'IN_PROGRESS', 1, 1, 2, is_dry_run, \
         NULL, NULL, due_at, due_at - interval '1 second' * n, created_at, modified_at, latest_event_at, NULL, NULL, NULL, \
         fingerprint, NULL FROM processes, generate_series(3, {DEAD}) n WHERE external_account_number = 'A-1'"
    );
    house.database.sql(&ended).unwrap();
    house
        .database
        .sql(
            "UPDATE processes SET state = 'CANCELLED', lease_until = NULL WHERE external_account_number LIKE 'M-%'",
        )
        .unwrap();
    assert_eq!(due(&*house.store, now()), ["A-1"]);
    let database = house.close();
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
    // Once before the supplier is locked, once after.
    assert!(read < 2 * DEAD as u64 + FEW, "{read} entries were read for 20 claims");
}

/// Failure 9: creates and imports look up the row of their supplier. A claim that changed it would leave a version for
/// all of them to read past, for as long as a transaction stays open elsewhere.
#[test]
fn claims_leave_the_rows_alone_that_creates_refer_to() {
    let Some(house) = House::new() else { return };
    for n in 0..40 {
        create(&house, &format!("A-{n}"));
    }
    let House { app, store, database, .. } = house;
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

/// Failure 9: what is stored late, due before what was claimed already, is found within half a minute.
#[test]
fn what_is_stored_late_is_claimed_half_a_minute_later() {
    let Some(house) = House::new() else { return };
    create(&house, "A-1");
    assert_eq!(due(&*house.store, now()), ["A-1"]);
    create(&house, "late");
    let earlier =
        "UPDATE processes SET due_at = due_at - interval '1 minute' WHERE external_account_number = 'late'";
    house.database.sql(earlier).unwrap();
    assert_eq!(due(&*house.store, now() + Duration::seconds(29)), ["A-1"]);
    assert_eq!(due(&*house.store, now() + Duration::seconds(30)), ["late", "A-1"]);
    assert_eq!(due(&*house.store, now() + Duration::seconds(30)), ["late", "A-1"]);
}

/// Failure 9: given changes of figures that were folded while a transaction stays open elsewhere, then what a sweep or a
/// look at a migration reads does not grow with them.
#[test]
fn figures_do_not_look_through_what_was_folded_before() {
    let Some(house) = House::new() else { return };
    create(&house, "A-1");
    let _open = house.hold("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM processes");
    let many = format!(
        "ALTER TABLE process_changes SET (autovacuum_enabled = false); \
         ALTER TABLE total_changes SET (autovacuum_enabled = false); \
         INSERT INTO process_changes (supplier_id, state, error_code, change) \
         SELECT 1, 'PROCESSED', '', 1 FROM generate_series(1, {DEAD}); \
         INSERT INTO total_changes (supplier_id, accounts, ledger_balance, readings, transactions, documents) \
         SELECT 1, 1, '1', 0, 0, 0 FROM generate_series(1, {DEAD})"
    );
    house.database.sql(&many).unwrap();
    let fold = |store: &dyn Store| write(store, |tx| tx.fold(2_000)).unwrap();
    while fold(&*house.store) > 0 {}
    // Bounds follow when those that began to write before have ended, which the next to fold sees.
    create(&house, "A-2");
    while fold(&*house.store) > 0 {}
    let bound = || house.database.sql("SELECT min(folded_to) FROM folded_changes").unwrap().parse::<usize>();
    let begun = Instant::now();
    while bound().unwrap() < DEAD {
        assert!(begun.elapsed() < std::time::Duration::from_secs(30), "the bounds do not move");
        fold(&*house.store);
    }
    let database = house.close();
    let read = || {
        let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname IN ('process_changes', 'total_changes')";
        database.sql(read).unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    assert!(before >= 2 * DEAD as u64, "{before} entries were read to fold them");
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
