//! Sweeps with rows that others hold, unreadable rows, and many waiting rows.

use super::environment::TestEnvironment;
use cutover_app::port::read_committed;
use cutover_app::worker::Swept;
use cutover_store::{PostgresOptions, PostgresStore};

/// Returns an environment with pending accounts.
fn with(numbers: &[&str]) -> Option<TestEnvironment> {
    let env = TestEnvironment::new()?;
    for number in numbers {
        env.create(number);
    }
    Some(env)
}

/// Makes claims whose leases ended long ago, each a minute after the one before.
const LOST: &str = "UPDATE processes SET state = 'IN_PROGRESS', attempt = 1, tries = 1, version = 2, \
    lease_until = due_at - interval '1 hour' + interval '1 minute' * id, \
    created_at = created_at - interval '2 hours'";
/// Makes windows that closed long ago.
const MISSED: &str = "UPDATE processes SET window_end = due_at - interval '1 hour' + interval '1 minute' * id, \
    created_at = created_at - interval '2 hours'";

const RELEASED: fn(usize) -> Swept = |released| Swept { released, missed: 0 };
const ENDED: fn(usize) -> Swept = |missed| Swept { released: 0, missed };

#[test]
fn processes_that_others_hold_are_swept_later() {
    for (set, swept) in [(LOST, RELEASED), (MISSED, ENDED)] {
        let Some(env) = with(&["A-1", "A-2", "A-3"]) else { return };
        env.database.sql(set).unwrap();
        let mut held = env.hold("SELECT 1 FROM processes WHERE external_account_number = 'A-1' FOR UPDATE");
        assert_eq!(env.app.sweep().unwrap(), swept(2));
        held.run("ROLLBACK").unwrap();
        assert_eq!(env.app.sweep().unwrap(), swept(1));
    }
}

#[test]
fn unreadable_processes_do_not_hide_the_others() {
    for (set, swept) in [(LOST, RELEASED), (MISSED, ENDED)] {
        let Some(env) = with(&["A-1", "A-2"]) else { return };
        env.database.sql(set).unwrap();
        let spoil = "UPDATE processes SET external_account_number = '' WHERE external_account_number = 'A-1'";
        env.database.sql(spoil).unwrap();
        assert_eq!(env.app.sweep().unwrap(), swept(1));
    }
}

/// Adds pending rows whose windows close later.
const MANY: &str = "INSERT INTO processes SELECT nextval('process_ids'), supplier_id, 'M-' || n, state, attempt, \
    tries, version, is_dry_run, NULL, due_at + interval '1 day' + interval '1 second' * n, due_at, NULL, \
    created_at, modified_at, latest_event_at, NULL, NULL, NULL, fingerprint, NULL \
    FROM processes, generate_series(1, 20000) n";

#[test]
fn the_sweep_does_not_read_all_pending_processes() {
    let Some(env) = with(&["A-1"]) else { return };
    env.database.sql(MANY).unwrap();
    env.database.sql("ANALYZE").unwrap();
    // A generic plan does not depend on the given time.
    let set = format!("ALTER DATABASE {} SET plan_cache_mode = force_generic_plan", env.database.name());
    env.database.sql(&set).unwrap();
    let store = PostgresStore::open(&PostgresOptions::new(env.database.url())).unwrap();
    let now = "2026-11-21T02:00:00Z".parse().unwrap();
    for limit in [1, 500] {
        assert_eq!(read_committed(&store, |tx| tx.missed_windows(now, limit)), Ok(vec![]));
        assert_eq!(read_committed(&store, |tx| tx.expired_leases(now, limit)), Ok(vec![]));
    }
    drop(store);
    let database = env.close();
    let read = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'processes'";
    let read: u64 = database.sql(read).unwrap().parse().unwrap();
    assert!(read < 20_000, "{read} rows were read");
}
