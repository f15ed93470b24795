//! The store's contract, held by SQLite, and what is particular to SQLite.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod erasure;
mod faults;
mod invariants;
mod postgres;
mod sealed;
mod sqlite;

use cutover_app::port::Store;
use cutover_store::{Options, SqliteStore};

fn with_an_empty_store(story: fn(&dyn Store)) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("cutover.db"), Options::default()).unwrap();
    story(&store);
}

cutover_testkit::store_suite!(with_an_empty_store);
