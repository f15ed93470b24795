//! Imported accounts. A payload becomes rows of all tables at once, and these become a payload again. Each
//! file has both conversions of its tables.

mod account;
mod added;
mod builder;
mod events;
mod json;
mod ledgers;
mod load;
mod meters;
mod notes;
mod payments;
mod people;
mod readings;
mod rows;
mod statements;
mod supply;
mod transactions;
mod undo;

use super::SqlTx;
use super::dialect::{Db, Dialect};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use crate::error::Result;
use account::AccountRow;
use builder::Builder;
use cutover_app::fault::{self, Point};
use cutover_app::port::{
    Accounts, HeldMeterPoint, ImportedAccount, ImportedPage, MeterPointQuestion, NewAccount, Position,
    StoreError,
};
use cutover_core::ExternalAccountNumber;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use rows::Rows;

impl Accounts for SqlTx<'_> {
    fn insert_accounts(&mut self, new: &[&NewAccount]) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let heads = new.iter().map(|new| AccountRow::new(new)).collect::<Result<Vec<_>>>()?;
            let mut rows = new.iter().map(|new| Builder::rows_of(new)).collect::<Result<Vec<_>>>()?;
            rows.iter_mut().try_for_each(|rows| rows.seal(sealer))?;
            AccountRow::insert_all(&heads, conn)?;
            undo::refuse_retired(conn, new)?;
            fault::reached(Point::AccountWritten, "");
            Rows::insert_all(&rows, conn)
        })
    }

    fn lock_account(&mut self, account_id: i64) -> Result<bool, StoreError> {
        self.run(|conn| Ok(Lock { account_id }.get_result::<i64>(conn).optional()?.is_some()))
    }

    fn imported_accounts(
        &mut self,
        process_ids: &[i64],
    ) -> Result<(Vec<(Position, ImportedAccount)>, usize), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| load::first(conn, sealer, process_ids))
    }

    fn imported_page(
        &mut self,
        supplier_id: i64,
        after: Option<Position>,
        limit: u32,
    ) -> Result<ImportedPage, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| load::page(conn, sealer, supplier_id, after, limit))
    }

    fn imported_ids(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<i64>>, StoreError> {
        self.run(|conn| load::ids(conn, supplier_id, numbers))
    }

    fn meter_point_holders(
        &mut self,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>, StoreError> {
        self.run(|conn| Dialect::meter_point_holders(conn, questions))
    }

    fn lock_meter_points(&mut self, questions: &[MeterPointQuestion<'_>]) -> Result<(), StoreError> {
        self.run(|conn| Dialect::lock_meter_points(conn, questions))
    }
}

statement! {
    /// Locks an account.
    Lock { account_id: i64 } -> BigInt = "SELECT id FROM accounts WHERE id = " account_id (Dialect::LOCK)
}
