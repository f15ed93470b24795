//! The store: schema, rows, queries, migrations, transactions. Only this crate knows SQL.
//!
//! It implements [`cutover_app::port::Store`] and decides nothing: use cases choose what is written and
//! whether a transaction is committed.
//!
//! # Layout
//!
//! - `schema`: the tables and the types of their columns.
//! - `queries`: a module per aggregate, and `SqlTx`, the transaction that use cases get. All of
//!   it is written once, in diesel's query language or in SQL that both databases read. Rows are private and
//!   become values of the domain by a conversion that can fail.
//! - `queries::sql_dialect`: the trait of the parts of queries that differ between the databases. Types and
//!   macros that a trait cannot hold are in `dialect` of each database.
//! - `sqlite`: connections to SQLite and their settings, the one writer with its group commit, the readers.
//! - `postgres`: the connection pool of PostgreSQL, group commit of new accounts, bulk statements, the
//!   connection that listens and measures the database's clock.
//! - `batch_queue`: the queue before a writer, which is woken once for many items.
//! - `claim_hints`: the lower bounds from which claims of this process read.
//! - `sealed`: encryption at rest. `queries` chooses the values that are sealed.
//! - `migrations/sqlite`, `migrations/postgres`: the schema. A test holds both to the same tables.
//!
//! # One source, two databases
//!
//! diesel types a query by its backend, and a backend cannot be a type parameter without listing
//! every bound of every query. So `queries` is compiled once for each database, as a child of that
//! database's module, and refers to it only as `super::dialect`.
//!
//! ```text
//! src/queries/…            one source
//! src/sqlite/mod.rs        #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! src/postgres/mod.rs      #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! ```
//!
//! `cutover_testkit::store_suite` runs the same tests on both.

#![expect(clippy::duplicate_mod, reason = "`queries` is compiled for each database")]

#[macro_use]
mod sql;
mod batch_queue;
mod claim_hints;
mod context;
mod error;
mod migrations;
mod postgres;
mod schema;
mod sealed;
mod sqlite;

#[cfg(test)]
mod schema_tests;

pub use cutover_postgres_client::{check_url, shown};
pub use error::OpenError;
pub use migrations::{MigrationState, MigrationStatus};
pub use postgres::{
    Health, OLDEST_SERVER, PostgresOptions, PostgresStore, RoleHealth, ServerHealth, SessionHealth,
    StandbyHealth,
};
pub use sealed::{
    EncryptionKeys, KeyError, KeyState, ResealError, Resealed, Seal, SealedTable, Sealer, Seals,
};
pub use sqlite::{Options, SqliteStore};
