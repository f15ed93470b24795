//! The store: schema, rows, queries, migrations, transactions. Only this crate knows SQL.
//!
//! It implements [`cutover_app::port::Store`] and decides nothing: use cases say what is written and
//! what becomes of a transaction.
//!
//! # Layout
//!
//! - `queries`: the schema, a module per aggregate, and `SqlTx`, the transaction that use cases get.
//!   Everything here is written once, in diesel's query language or in SQL that both databases read,
//!   against `dialect::{Conn, Db, columns, insert_all!, meaning}`. Rows are private;
//!   what they hold becomes a value of the domain by a conversion that can fail.
//! - `sqlite`: what is particular to SQLite: connections and their settings, the one writer with its
//!   group commit, the readers.
//! - `postgres`: what is particular to PostgreSQL: the pool, creates that go together, bulk statements, the
//!   connection that listens and keeps the time.
//! - `arrivals`: the queue before the one that writes, who is woken by many at once.
//! - `claim_hints`: where claims of this process begin to read.
//! - `sealed`: encryption at rest; what is sealed, and where it is opened, is for `queries` to say.
//! - `migrations/sqlite`, `migrations/postgres`: the schema. A test holds both to the same tables.
//!
//! # One source, two databases
//!
//! diesel types a query by its backend, and a backend cannot be a type parameter without listing
//! every bound of every query. So `queries` is compiled once for each database, as a child of that
//! database's module, and names its surroundings as `super::dialect` only: connection and column types,
//! how rows are inserted in bulk, how they are locked, what errors mean.
//!
//! ```text
//! src/queries/…            one source
//! src/sqlite/mod.rs        #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! src/postgres/mod.rs      #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! ```
//!
//! `cutover_testkit::store_suite` holds both to the same stories.

#![expect(clippy::duplicate_mod, reason = "`queries` is compiled for each database")]

#[macro_use]
mod sql;
mod arrivals;
mod claim_hints;
mod context;
mod error;
mod migrations;
mod postgres;
mod sealed;
mod sqlite;

#[cfg(test)]
mod schema_tests;

pub use error::OpenError;
pub use migrations::{MigrationState, MigrationStatus};
pub use postgres::{
    Health, PostgresOptions, PostgresStore, ServerHealth, SessionHealth, StandbyHealth, check_url, shown,
};
pub use sealed::{
    EncryptionKeys, KeyError, KeyState, ResealError, Resealed, Seal, SealedTable, Sealer, Seals,
};
pub use sqlite::{Options, SqliteStore};
