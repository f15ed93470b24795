//! The store's contract suite on PostgreSQL, and tests of its own.

mod archive;
mod batches;
mod broken;
mod concurrent_claims;
mod concurrent_requests;
mod environment;
mod equal_values;
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

use crate::databases::postgres_store;
use cutover_app::port::Store;

fn with_an_empty_store(test: fn(&dyn Store)) {
    let Some((store, _database)) = postgres_store() else { return };
    test(&store);
}

mod contract {
    cutover_testkit::store_suite!(super::with_an_empty_store);
}
