//! The store's contract suite on PostgreSQL, and tests of its own.

mod archive;
mod batches;
mod broken;
mod concurrent_claims;
mod concurrent_requests;
mod environment;
mod feed;
mod figures;
mod monitor;
mod notifications;
mod open_transaction;
mod opening;
mod partitions;
mod plans;
mod polling;
mod pooler;
mod staging;
mod suppliers;
mod sweep;
mod tokens;

use cutover_app::port::Store;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{TestDatabase, server};

fn with_an_empty_store(test: fn(&dyn Store)) {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let options = PostgresOptions { migrates: true, ..PostgresOptions::new(database.url()) };
    test(&PostgresStore::open(&options).unwrap());
}

mod contract {
    cutover_testkit::store_suite!(super::with_an_empty_store);
}
