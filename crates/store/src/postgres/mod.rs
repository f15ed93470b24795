//! The store in PostgreSQL, for any number of processes on one database.

#[macro_use]
pub(crate) mod dialect;
mod bulk;
mod claim;
mod client;
mod clock;
mod connection;
mod doctor;
mod fold;
mod listener;
mod migrations;
mod monitor;
mod partitions;
mod pool;
mod stager;
mod store;
mod url;

#[path = "../queries/mod.rs"]
pub(crate) mod queries;

pub use doctor::{Health, ServerHealth, SessionHealth, StandbyHealth};
pub use store::{PostgresOptions, PostgresStore};
pub use url::{check_url, shown};
