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
use cutover_store::{Options, SqliteStore};

fn with_an_empty_store(test: fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("cutover.db"), Options::default()).unwrap();
    test(&store);
}

cutover_testkit::store_suite!(with_an_empty_store);
