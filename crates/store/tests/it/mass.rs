//! Many generated accounts are read as they were sent, on both databases.
//!
//! `CUTOVER_MASS_ACCOUNTS` is their number; `cargo xtask torture` sets a larger one.

use crate::databases::{postgres_store, sqlite_store};
use cutover_testkit::store_suite::mass::accounts_are_as_sent;

/// Number of accounts, unless the variable names another.
const USUAL: u64 = 500;
/// Accounts in one database: they take some 100 MB.
const OF_EACH: u64 = 5_000;

/// Calls `f` with the seeds of each database.
fn each(f: impl Fn(std::ops::Range<u64>)) {
    let count = std::env::var("CUTOVER_MASS_ACCOUNTS").ok();
    let count = count.map_or(USUAL, |count| count.parse().unwrap());
    let ends = (1..).map(|n| n * OF_EACH).take_while(|end| *end < count).chain([count]);
    ends.fold(0, |begin, end| {
        f(begin..end);
        end
    });
}

#[test]
fn accounts_are_as_sent_on_sqlite() {
    each(|seeds| {
        let (_folder, store) = sqlite_store();
        accounts_are_as_sent(&store, seeds);
    });
}

#[test]
fn accounts_are_as_sent_on_postgres() {
    each(|seeds| {
        let Some((store, _database)) = postgres_store() else { return };
        accounts_are_as_sent(&store, seeds);
    });
}
