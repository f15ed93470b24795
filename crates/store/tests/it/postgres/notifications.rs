//! Notifications of work to other processes.

use super::environment::TestEnvironment;
use cutover_app::port::Store;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_machine::receive;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn a_new_account_notifies_other_processes() {
    let Some(env) = TestEnvironment::new() else { return };
    let options = PostgresOptions { listens: true, ..PostgresOptions::new(env.database.url()) };
    let elsewhere = PostgresStore::open(&options).unwrap();
    let (call, called) = channel();
    elsewhere.on_work(Box::new(move || call.send(()).unwrap()));
    // It calls once by itself, for notifications that it may have missed. From then on it listens.
    let hear = || receive("a call", &called);
    while elsewhere.poll() < Duration::from_secs(2) {
        hear();
    }
    while called.try_recv().is_ok() {}
    env.create("A-1");
    hear();
}
