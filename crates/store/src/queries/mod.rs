//! Queries, written once and compiled for each database; see the crate's documentation.
//!
//! A single row is read by its key with `get_result`, not `first`: SQLite plans with the value of a bound
//! `LIMIT`, so it prepares such a statement again for each run.

/// Removes the rows with these keys from tables, children first.
macro_rules! erase {
    ($conn:ident, $ids:ident: $($table:ident.$key:ident)*) => {{
        let mut erased: Vec<cutover_app::port::ErasedRows> = Vec::new();
        $(
            let rows = diesel::delete($table::table.filter($table::$key.eq_any($ids))).execute($conn)?;
            if rows > 0 {
                erased.push((stringify!($table), rows as u64));
            }
        )*
        erased
    }};
}

mod accounts;
pub(crate) mod at_rest;
mod audit;
mod businesses;
mod certificates;
mod erasure;
pub(crate) mod feed;
mod figures;
mod gates;
mod identity;
mod instructions;
mod jobs;
mod nodes;
pub(crate) mod processes;
pub(crate) mod refusals;
pub(crate) mod rows;
mod runs;
mod search;
pub(crate) mod similar;
pub(crate) mod sql_dialect;
pub(crate) mod statement;
mod suppliers;
pub(crate) mod terms;
mod timeline;
pub(crate) mod types;
mod vendors;
mod webhooks;

use super::dialect::{self, Conn, Dialect};
use crate::claim_hints::ClaimHints;
use crate::context::Context;
use crate::error::{self, Error, Result};
pub(crate) use crate::schema;
use crate::sealed::Sealer;
use cutover_app::port::{JobGuard, StoreError};
use sql_dialect::SqlDialect;

/// A transaction of a use case.
///
/// A failure may have ended the database's transaction. A later statement would then be refused, or be
/// committed on its own, so no statement is run after such a failure.
pub(crate) struct SqlTx<'c> {
    conn: &'c mut Conn,
    sealer: &'c Sealer,
    hints: &'c ClaimHints,
    opened: &'c str,
    /// True once a statement has succeeded.
    is_touched: bool,
    broken: Option<StoreError>,
    _inside: JobGuard,
}

impl<'c> SqlTx<'c> {
    pub(crate) fn new(conn: &'c mut Conn, context: &'c Context) -> Self {
        let Context { sealer, hints, opened } = context;
        Self { conn, sealer, hints, opened, is_touched: false, broken: None, _inside: JobGuard::enter() }
    }

    /// Returns true if no statement has succeeded yet.
    pub(crate) fn is_untouched(&self) -> bool {
        !self.is_touched
    }

    /// Returns the failure that ended the transaction, if one did.
    pub(crate) fn into_broken(self) -> Option<StoreError> {
        self.broken
    }

    /// Runs statements unless the transaction has ended.
    fn run<T>(&mut self, statements: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T, StoreError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let result = statements(self.conn);
        self.is_touched |= result.is_ok();
        result.map_err(|error| {
            let is_refused = Dialect::REFUSAL_ENDS_TRANSACTION && error.is_refusal();
            let error = store_error(error);
            if is_refused || error.is_passing() {
                self.broken = Some(error.clone());
            }
            error
        })
    }
}

/// The position after the last row of an account or a business.
macro_rules! next_position {
    ($conn:expr, $table:ident, $owner:ident) => {
        $table::table
            .filter($table::$owner.eq($owner))
            .select(diesel::dsl::max($table::position))
            .get_result::<Option<i64>>($conn)?
            .map_or(0, |last| last + 1)
    };
}
use next_position;

/// Returns true if a statement changed its row.
fn changed(rows: usize) -> bool {
    rows > 0
}

/// Converts a number to the type of a column.
pub(crate) fn fit<T, U: TryFrom<T>>(number: T) -> Result<U> {
    U::try_from(number).map_err(|_| Error::Unfit("a number is larger than its column"))
}

/// Converts a number of a column to our type.
fn number<T, U: TryFrom<T>>(number: T, name: &str) -> Result<U> {
    U::try_from(number).map_err(|_| Error::corrupt(format_args!("{name} is out of range")))
}

/// Converts a failure of a query with the messages of this database.
pub(crate) fn store_error(error: impl Into<Error>) -> StoreError {
    error::store_error(error.into(), Dialect::meaning)
}
