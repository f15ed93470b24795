//! Queries, written once and compiled for each database; see the crate's documentation.
//!
//! A single row is read by its key with `get_result`, not `first`: SQLite looks at the value of a bound
//! `LIMIT` to plan with it, and so prepares such a statement anew each time it is run.

mod accounts;
pub(crate) mod at_rest;
mod audit;
mod businesses;
mod erasure;
mod figures;
mod identity;
mod instructions;
mod nodes;
pub(crate) mod processes;
pub(crate) mod schema;
pub(crate) mod statement;
mod suppliers;
pub(crate) mod types;
mod vendors;

use super::dialect::{self, Conn};
use crate::claim_hints::ClaimHints;
use crate::context::Context;
use crate::error::{Error, Result, store_error};
use crate::sealed::Sealer;
use cutover_app::port::{JobGuard, StoreError};

/// A transaction of a use case.
///
/// A failure may have ended the transaction underneath: whatever came after it would be refused, or be
/// written on its own. So nothing runs after one that may have.
pub(crate) struct SqlTx<'c> {
    conn: &'c mut Conn,
    sealer: &'c Sealer,
    hints: &'c ClaimHints,
    /// Whether a statement has succeeded.
    is_touched: bool,
    broken: Option<StoreError>,
    _inside: JobGuard,
}

impl<'c> SqlTx<'c> {
    pub(crate) fn new(conn: &'c mut Conn, context: &'c Context) -> Self {
        let Context { sealer, hints } = context;
        Self { conn, sealer, hints, is_touched: false, broken: None, _inside: JobGuard::enter() }
    }

    /// Whether no statement has succeeded yet.
    pub(crate) fn is_untouched(&self) -> bool {
        !self.is_touched
    }

    /// The failure that ended it, if one did.
    pub(crate) fn into_broken(self) -> Option<StoreError> {
        self.broken
    }

    /// Runs statements.
    fn run<T>(&mut self, statements: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T, StoreError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let found = statements(self.conn);
        self.is_touched |= found.is_ok();
        found.map_err(|error| {
            let is_refused = dialect::REFUSAL_ENDS_TRANSACTION && error.is_refusal();
            let error = store_error(error, dialect::meaning);
            if is_refused || error.is_passing() {
                self.broken = Some(error.clone());
            }
            error
        })
    }
}

/// The position behind all rows of an account, or of a business.
macro_rules! behind {
    ($conn:expr, $table:ident, $owner:ident) => {
        $table::table
            .filter($table::$owner.eq($owner))
            .select(diesel::dsl::max($table::position))
            .get_result::<Option<i64>>($conn)?
            .map_or(0, |last| last + 1)
    };
}
use behind;

/// Whether a statement changed its one row.
fn changed(rows: usize) -> bool {
    rows > 0
}

/// A number of ours as the column's.
pub(crate) fn fit<T, U: TryFrom<T>>(number: T) -> Result<U> {
    U::try_from(number).map_err(|_| Error::Unfit("a number is larger than its column"))
}

/// A number of the column as ours.
fn number<T, U: TryFrom<T>>(number: T, what: &str) -> Result<U> {
    U::try_from(number).map_err(|_| Error::corrupt(format_args!("{what} is out of range")))
}
