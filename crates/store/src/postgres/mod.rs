//! The store in PostgreSQL, for any number of processes on one database.

#[macro_use]
pub(crate) mod dialect;
mod bulk;
mod claim;
mod clock;
mod connection;
mod doctor;
mod fold;
mod listener;
mod migrations;
mod monitor;
mod options;
mod partitions;
mod pool;
mod rights;
mod stager;
mod store;

#[path = "../queries/mod.rs"]
pub(crate) mod queries;

pub use doctor::{Health, OLDEST_SERVER, ServerHealth, SessionHealth, StandbyHealth};
pub use options::PostgresOptions;
pub use rights::RoleHealth;
pub use store::PostgresStore;
