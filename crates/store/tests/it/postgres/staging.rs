//! Staging of accounts while the connections are busy.

use super::environment::TestEnvironment;
use cutover_app::port::{Creation, Staging, Store, StoreError, read, read_committed, stage};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::accepted_account;
use cutover_testkit_machine::wait_until;
use cutover_testkit_postgres::{PgBouncer, server};
use std::sync::{Arc, mpsc};
use std::thread;

/// Few enough connections for a test to hold them all.
const CONNECTIONS: u32 = 2;

fn creation(env: &TestEnvironment, number: &str) -> Arc<Creation> {
    let body = format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
    );
    accepted_account(&env.app, &env.caller, body.as_bytes()).creation().clone()
}

/// Calls a function while reads hold every connection of the pool.
fn while_all_are_held(store: &dyn Store, call: impl FnOnce()) {
    thread::scope(|scope| {
        let (begin, begun) = mpsc::channel();
        // The reads end when this is dropped, also if the test fails.
        let mut held = Vec::new();
        for _ in 0..CONNECTIONS {
            let begin = begin.clone();
            let (hold, end) = mpsc::channel::<()>();
            held.push(hold);
            scope.spawn(move || {
                read(store, |tx| {
                    tx.organisations()?;
                    begin.send(()).unwrap();
                    let _ = end.recv();
                    Ok(())
                })
            });
        }
        (0..CONNECTIONS).for_each(|_| begun.recv().unwrap());
        let refused = read_committed(store, |tx| tx.organisations());
        assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
        call();
    });
}

/// Checks creates with these options. `cut` ends the connection that stored an account.
fn creates_are_stored(env: &TestEnvironment, options: PostgresOptions, cut: impl FnOnce()) {
    let store = PostgresStore::open(&PostgresOptions { connections: CONNECTIONS, ..options }).unwrap();
    while_all_are_held(&store, || {
        assert_eq!(stage(&store, creation(env, "A-1")), Ok(Staging::Staged));
        cut();
        assert_eq!(stage(&store, creation(env, "A-2")), Ok(Staging::Staged));
        assert_eq!(stage(&store, creation(env, "A-2")), Ok(Staging::Exists));
    });
}

#[test]
fn accounts_are_stored_while_reads_hold_every_connection() {
    let Some(env) = TestEnvironment::new() else { return };
    creates_are_stored(&env, PostgresOptions::new(env.database.url()), || {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE \
                   datname = current_database() AND (query LIKE '%process_ids%' OR query = 'NOTIFY cutover_work') AND pid <> pg_backend_pid()";
        // It is answered before the connection runs its last statement.
        wait_until("the connection is cut", || env.database.sql(cut).unwrap() == "1");
    });
}

#[test]
fn accounts_are_stored_behind_a_pooler_while_reads_hold_every_connection() {
    let Some(env) = TestEnvironment::new() else { return };
    let Some(pooler) = PgBouncer::start(server().unwrap().url()).unwrap() else { return };
    let options = PostgresOptions {
        direct_url: Some(env.database.url().to_owned()),
        ..PostgresOptions::new(pooler.url_through(env.database.url()).unwrap())
    };
    creates_are_stored(&env, options, || ());
}
