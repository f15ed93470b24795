//! Imported accounts. A payload becomes rows of all tables at once, and these become a payload again. Each
//! file has both conversions of its tables.

mod account;
mod added;
mod builder;
mod events;
mod json;
mod ledgers;
mod meters;
mod notes;
mod payments;
mod people;
mod readings;
mod rows;
mod statements;
mod supply;
mod transactions;

use super::dialect::{Db, Dialect};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::{SqlTx, instructions};
use crate::error::{Error, Result};
use account::AccountRow;
use builder::Builder;
use cutover_app::fault::{self, Point};
use cutover_app::port::{Accounts, ImportedAccount, MeterPointQuestion, NewAccount, StoreError};
use cutover_model::service::read_account;
use cutover_model::{IntoOwned, Writer};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use rows::Rows;

impl Accounts for SqlTx<'_> {
    fn insert_accounts(&mut self, new: &[&NewAccount]) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let heads: Vec<AccountRow<'_>> = new.iter().map(|new| AccountRow::new(new)).collect();
            let mut rows = new.iter().map(|new| Builder::rows_of(new)).collect::<Result<Vec<_>>>()?;
            rows.iter_mut().try_for_each(|rows| rows.seal(sealer))?;
            AccountRow::insert_all(&heads, conn)?;
            fault::reached(Point::AccountWritten, "");
            Rows::insert_all(&rows, conn)
        })
    }

    fn lock_account(&mut self, account_id: i64) -> Result<bool, StoreError> {
        self.run(|conn| Ok(Lock { account_id }.get_result::<i64>(conn).optional()?.is_some()))
    }

    fn imported_account(&mut self, process_id: i64) -> Result<Option<ImportedAccount>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let Some((row, supplier)) = account::load(conn, process_id)? else { return Ok(None) };
            let mut rows = Rows::load(conn, process_id)?;
            rows.open(sealer)?;
            let mut writer = Writer::new();
            writer.object(|writer| {
                row.write(&supplier, writer);
                rows.write(writer);
            });
            let json = writer.into_bytes();
            Ok(Some(ImportedAccount {
                number: row.number.parse().map_err(Error::corrupt)?,
                customer_emails: row.customer_emails,
                // Checks every value again: JSON that is not a payload is corrupt.
                account: read_account(&json).map_err(Error::corrupt)?.into_owned(),
                historical_statements: added::statements::load(conn, process_id)?,
                verified_instructions: instructions::load(conn, sealer, process_id)?,
            }))
        })
    }

    fn are_meter_points_taken(
        &mut self,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<bool>, StoreError> {
        self.run(|conn| Dialect::are_taken(conn, questions))
    }
}

statement! {
    /// Locks an account.
    Lock { account_id: i64 } -> BigInt = "SELECT id FROM accounts WHERE id = " account_id (Dialect::LOCK)
}
