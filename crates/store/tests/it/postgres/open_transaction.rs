//! Failure 9: a transaction that is left open elsewhere keeps what was claimed long ago in the indexes.

use super::house::{House, until_gone};
use chrono::{DateTime, Duration, Utc};
use cutover_app::Step;
use cutover_app::port::{Store, glance, write};
use cutover_store::{PostgresOptions, PostgresStore};

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
    let created = house.app.create_account(&house.caller, None, body.as_bytes(), None);
    assert_eq!(created.unwrap(), Step::Done(()));
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
    // The first looks through all, and remembers. What it read is told when its connection ends.
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
        assert_eq!(glance(&store, |tx| tx.next_due_at()), Ok(Some(now())));
    }
    drop(store);
    until_gone(&database);
    let read = read() - before;
    assert!(read < FEW, "{read} entries were read for 20 claims");
}

/// Failure 9: what is stored late, due before what was claimed already, is found by the next sweep that looks for it.
#[test]
fn what_is_stored_late_is_claimed_after_a_sweep() {
    let Some(house) = House::new() else { return };
    house.app.sweep().unwrap();
    create(&house, "A-1");
    assert_eq!(due(&*house.store, now()), ["A-1"]);
    create(&house, "late");
    let earlier =
        "UPDATE processes SET due_at = due_at - interval '1 minute' WHERE external_account_number = 'late'";
    house.database.sql(earlier).unwrap();
    assert_eq!(due(&*house.store, now()), ["A-1"]);
    house.clock.advance(Duration::seconds(31));
    house.app.sweep().unwrap();
    assert_eq!(due(&*house.store, now()), ["late", "A-1"]);
    assert_eq!(due(&*house.store, now()), ["late", "A-1"]);
}
