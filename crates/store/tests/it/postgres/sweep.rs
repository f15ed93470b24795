//! Sweeps among others that hold rows, rows that cannot be read, and many that wait.

use super::house::House;
use cutover_app::port::read_committed;
use cutover_app::worker::Swept;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::create_account;
use diesel::connection::SimpleConnection;

/// A house with accounts that wait.
fn with(numbers: &[&str]) -> Option<House> {
    let house = House::new()?;
    for number in numbers {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
        );
        let created = create_account(&house.app, &house.caller, None, body.as_bytes());
        created.unwrap();
    }
    Some(house)
}

/// Claims that were lost long ago, each a minute after the one before.
const LOST: &str = "UPDATE processes SET state = 'IN_PROGRESS', attempt = 1, tries = 1, version = 2, \
    lease_until = due_at - interval '1 hour' + interval '1 minute' * id, \
    created_at = created_at - interval '2 hours'";
/// Windows that closed long ago.
const MISSED: &str = "UPDATE processes SET window_end = due_at - interval '1 hour' + interval '1 minute' * id, \
    created_at = created_at - interval '2 hours'";

const RELEASED: fn(usize) -> Swept = |released| Swept { released, missed: 0 };
const ENDED: fn(usize) -> Swept = |missed| Swept { released: 0, missed };

#[test]
fn what_others_hold_is_swept_later() {
    for (set, swept) in [(LOST, RELEASED), (MISSED, ENDED)] {
        let Some(house) = with(&["A-1", "A-2", "A-3"]) else { return };
        house.database.sql(set).unwrap();
        let mut held = house.hold("SELECT 1 FROM processes WHERE external_account_number = 'A-1' FOR UPDATE");
        assert_eq!(house.app.sweep().unwrap(), swept(2));
        held.batch_execute("ROLLBACK").unwrap();
        assert_eq!(house.app.sweep().unwrap(), swept(1));
    }
}

#[test]
fn what_cannot_be_read_does_not_hide_the_others() {
    for (set, swept) in [(LOST, RELEASED), (MISSED, ENDED)] {
        let Some(house) = with(&["A-1", "A-2"]) else { return };
        house.database.sql(set).unwrap();
        let spoil = "UPDATE processes SET external_account_number = '' WHERE external_account_number = 'A-1'";
        house.database.sql(spoil).unwrap();
        assert_eq!(house.app.sweep().unwrap(), swept(1));
    }
}

/// Rows that wait for a window that is to close some day.
const MANY: &str = "INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, \
    tries, version, is_dry_run, NULL, due_at + interval '1 day' + interval '1 second' * n, due_at, NULL, \
    created_at, modified_at, latest_event_at, NULL, NULL, NULL, fingerprint, NULL \
    FROM processes, generate_series(1, 20000) n";

#[test]
fn many_that_wait_are_not_looked_through() {
    let Some(house) = with(&["A-1"]) else { return };
    house.database.sql(MANY).unwrap();
    house.database.sql("ANALYZE").unwrap();
    // Nothing helps a plan that is to do for any time.
    let set = format!("ALTER DATABASE {} SET plan_cache_mode = force_generic_plan", house.database.name());
    house.database.sql(&set).unwrap();
    let store = PostgresStore::open(&PostgresOptions::new(house.database.url())).unwrap();
    let now = "2026-11-21T02:00:00Z".parse().unwrap();
    for limit in [1, 500] {
        assert_eq!(read_committed(&store, |tx| tx.missed_windows(now, limit)), Ok(vec![]));
        assert_eq!(read_committed(&store, |tx| tx.expired_leases(now, limit)), Ok(vec![]));
    }
    drop(store);
    let database = house.close();
    let read = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'processes'";
    let read: u64 = database.sql(read).unwrap().parse().unwrap();
    assert!(read < 20_000, "{read} rows were read");
}
