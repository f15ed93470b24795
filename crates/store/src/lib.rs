//! The store: schema, rows, queries, migrations, transactions. Only this crate knows SQL.
//!
//! It implements [`cutover_app::port::Store`] and decides nothing: use cases say what is written and
//! what becomes of a transaction.
//!
//! # Layout
//!
//! - `queries`: the schema, a module per aggregate, and `SqlTx`, the transaction that use cases get.
//!   Everything here is written once, in diesel's query language or in SQL that both databases read,
//!   against `dialect::{Conn, Db, columns, insert_rows!, meaning}`. Rows are private;
//!   what they hold becomes a value of the domain by a conversion that can fail.
//! - `sqlite`: what is particular to SQLite: connections and their settings, the one writer with its
//!   group commit, the readers, migrations, and the dialect that `queries` is written against.
//! - `migrations/sqlite`: the schema.
//!
//! # How PostgreSQL joins
//!
//! diesel types a query by its backend, and a backend cannot be a type parameter without listing
//! every bound of every query. So `queries` is compiled once for each database, as a child of that
//! database's module:
//!
//! ```text
//! src/queries/…            one source
//! src/sqlite/mod.rs        #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! src/postgres/mod.rs      #[macro_use] mod dialect;  #[path = "../queries/mod.rs"] mod queries;
//! ```
//!
//! `queries` names its surroundings as `super::dialect` only. A second database brings a dialect
//! (connection type, column types, how rows are inserted in bulk, what errors mean), its migrations
//! with the same tables and columns, and an implementation of `Store` (there: a pool, a transaction a
//! job). That has been tried: against `diesel::PgConnection`, with a statement of many rows for
//! `insert_rows!`, all of `queries` compiles unchanged. clippy's `duplicate_mod` is to be expected
//! then. What needs a line of its own there is in `processes/queue.rs`: the key of a new process comes
//! from a sequence, and claimed rows are locked with `FOR UPDATE SKIP LOCKED`.
//! `cutover_testkit::store_suite` holds both to the same stories.

mod error;
mod sqlite;

pub use error::OpenError;
pub use sqlite::{MigrationState, MigrationStatus, Options, SqliteStore};
