//! New accounts are stored whatever else the database is asked for.

use super::house::House;
use cutover_app::port::{Creation, Staging, Store, StoreError, read, read_committed, stage};
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::accepted_account;
use cutover_testkit_postgres::{PgBouncer, server};
use std::sync::{Arc, mpsc};
use std::thread;

/// So few connections that all can be held.
const CONNECTIONS: u32 = 2;

fn creation(house: &House, number: &str) -> Arc<Creation> {
    let body = format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","unknown_occupier":true}}"#
    );
    accepted_account(&house.app, &house.caller, body.as_bytes()).creation().clone()
}

/// Calls while every connection of the pool is held by a read that does not end.
fn while_all_are_held(store: &dyn Store, call: impl FnOnce()) {
    thread::scope(|scope| {
        let (begin, begun) = mpsc::channel();
        // Those that hold one go on when this is dropped, also by a test that fails.
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

/// With these options; `cut` ends the connection that stored an account.
fn creates_are_stored(house: &House, options: PostgresOptions, cut: impl FnOnce()) {
    let store = PostgresStore::open(&PostgresOptions { connections: CONNECTIONS, ..options }).unwrap();
    while_all_are_held(&store, || {
        assert_eq!(stage(&store, creation(house, "A-1")), Ok(Staging::Staged));
        cut();
        assert_eq!(stage(&store, creation(house, "A-2")), Ok(Staging::Staged));
        assert_eq!(stage(&store, creation(house, "A-2")), Ok(Staging::Exists));
    });
}

#[test]
fn accounts_are_stored_while_reads_hold_every_connection() {
    let Some(house) = House::new() else { return };
    creates_are_stored(&house, PostgresOptions::new(house.database.url()), || {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE \
                   datname = current_database() AND (query LIKE '%process_ids%' OR query = 'NOTIFY cutover_work') AND pid <> pg_backend_pid()";
        assert_eq!(house.database.sql(cut).unwrap(), "1");
    });
}

#[test]
fn accounts_are_stored_behind_a_pooler_while_reads_hold_every_connection() {
    let Some(house) = House::new() else { return };
    let Some(pooler) = PgBouncer::start(server().unwrap().url()).unwrap() else { return };
    let options = PostgresOptions {
        direct_url: Some(house.database.url().to_owned()),
        ..PostgresOptions::new(pooler.url_through(house.database.url()).unwrap())
    };
    creates_are_stored(&house, options, || ());
}
