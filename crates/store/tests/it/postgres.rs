//! The store's contract, held by PostgreSQL.

mod archive;
mod batches;
mod broken;
mod figures;
mod house;
mod monitor;
mod open_transaction;
mod opening;
mod partitions;
mod plans;
mod polling;
mod pooler;
mod rush;
mod staging;
mod suppliers;
mod sweep;
mod telling;
mod tokens;
mod turns;

use cutover_app::port::Store;
use cutover_store::{PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{TestDatabase, server};

fn with_an_empty_store(story: fn(&dyn Store)) {
    let Some(server) = server() else { return };
    let database = TestDatabase::create(server).unwrap();
    let options = PostgresOptions { migrates: true, ..PostgresOptions::new(database.url()) };
    story(&PostgresStore::open(&options).unwrap());
}

mod contract {
    cutover_testkit::store_suite!(super::with_an_empty_store);
}
