//! SQLite: one file, one writer, many readers.

#[macro_use]
pub(crate) mod dialect;
mod at_rest;
mod backup;
mod claim;
mod connection;
mod disk;
mod integrity;
#[cfg(test)]
pub(crate) use integrity::PARENTS;
mod migrations;
mod readers;
mod store;
mod turn;
mod wal;
mod writer;

#[cfg(test)]
mod plans;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod testing;

#[expect(dead_code, reason = "some of it is for PostgreSQL, whose module makes no such exception")]
#[path = "../queries/mod.rs"]
pub(crate) mod queries;

pub use store::{Options, SqliteStore};
