//! Other processes hear of work.

use super::house::House;
use cutover_app::port::Store;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit::create_account;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn a_new_account_calls_those_who_listen() {
    let Some(house) = House::new() else { return };
    let options = PostgresOptions { listens: true, ..PostgresOptions::new(house.database.url()) };
    let elsewhere = PostgresStore::open(&options).unwrap();
    let (call, called) = channel();
    elsewhere.on_work(Box::new(move || call.send(()).unwrap()));
    // It calls once by itself, for what was told while it did not listen; from then on it listens.
    let hear = || called.recv_timeout(Duration::from_secs(10)).unwrap();
    while elsewhere.poll() < Duration::from_secs(2) {
        hear();
    }
    while called.try_recv().is_ok() {}
    let body = r#"{"import_supplier":"ACME","external_account_number":"A-1","unknown_occupier":true}"#;
    let created = create_account(&house.app, &house.caller, None, body.as_bytes());
    created.unwrap();
    hear();
}
