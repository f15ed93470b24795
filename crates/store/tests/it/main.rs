//! The store's contract suite on SQLite, and tests of both databases.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod databases;
mod erasure;
mod faults;
mod invariants;
mod mass;
mod postgres;
mod sealed;
mod sqlite;

use cutover_app::port::Store;

fn with_an_empty_store(test: fn(&dyn Store)) {
    let (_folder, store) = databases::sqlite_store();
    test(&store);
}

cutover_testkit::store_suite!(with_an_empty_store);
