//! Accounts whose import can be undone, and the numbers of those whose import was.

use super::super::dialect::{Conn, Db, Dialect};
use super::super::erasure::erase_accounts;
use super::super::schema::{accounts, processes, retired_numbers, supplier_waves};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use super::super::{SqlTx, changed};
use super::load::After;
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{ErasedRows, ImportedHead, NewAccount, Position, StoreError, Undo, WaveSpan};
use cutover_core::ServiceAccountNumber;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use std::collections::HashSet;

statement! {
    /// Locks an account that has this number.
    LockNumbered { account_id: i64, number: String } -> BigInt
        = "SELECT id FROM accounts WHERE id = " account_id " AND number = " number (Dialect::LOCK)
}

type Row = (i64, i64, String, Timestamp, Option<Timestamp>, Option<Timestamp>);

/// Returns accounts in the order of their keys.
fn heads(conn: &mut Conn, ids: &[i64]) -> Result<Vec<ImportedHead>> {
    let columns = (
        accounts::id,
        accounts::supplier_id,
        accounts::external_account_number,
        accounts::imported_at,
        accounts::added_at,
        accounts::billed_at,
    );
    let of = accounts::table.filter(accounts::id.eq_any(ids)).order(accounts::id).select(columns);
    let rows: Vec<Row> = of.load(conn)?;
    let archived = processes::table.filter(processes::id.eq_any(ids));
    let archived = archived.filter(processes::archived_at.is_not_null()).select(processes::id);
    let archived: HashSet<i64> = archived.load(conn)?.into_iter().collect();
    let head = |(id, supplier_id, number, imported_at, added_at, billed_at): Row| {
        Ok(ImportedHead {
            id,
            supplier_id,
            external_account_number: number.parse().map_err(Error::corrupt)?,
            imported_at: imported_at.instant()?,
            added_at: instant(added_at)?,
            billed_at: instant(billed_at)?,
            is_archived: archived.contains(&id),
        })
    };
    rows.into_iter().map(head).collect()
}

/// Refuses accounts, which are written, under the number of an account whose import was undone. Asked after they are
/// written, so that the answer includes an undo that the write has waited for.
pub(super) fn refuse_retired(conn: &mut Conn, new: &[&NewAccount]) -> Result<()> {
    let numbers: Vec<&str> = new.iter().map(|new| new.number.as_str()).collect();
    let retired = retired_numbers::table.filter(retired_numbers::number.eq_any(numbers));
    match retired.count().get_result::<i64>(conn)? {
        0 => Ok(()),
        _ => Err(Error::Taken("an account that was undone had this number")),
    }
}

impl Undo for SqlTx<'_> {
    fn imported_heads(
        &mut self,
        supplier_id: i64,
        (imported_at, id): Position,
        limit: u32,
    ) -> Result<Vec<ImportedHead>, StoreError> {
        self.run(|conn| {
            let after = After { supplier_id, imported_at: imported_at.into(), id, limit: limit.into() };
            let keys: Vec<(Timestamp, i64)> = after.load(conn)?;
            let ids: Vec<i64> = keys.into_iter().map(|(_, id)| id).collect();
            let mut heads = heads(conn, &ids)?;
            heads.sort_unstable_by_key(ImportedHead::position);
            Ok(heads)
        })
    }

    fn heads_of(&mut self, process_ids: &[i64]) -> Result<Vec<ImportedHead>, StoreError> {
        self.run(|conn| heads(conn, process_ids))
    }

    fn begin_wave(&mut self, supplier_id: i64, wave: u32, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.run(|conn| {
            let row = (
                supplier_waves::supplier_id.eq(supplier_id),
                supplier_waves::wave.eq(i64::from(wave)),
                supplier_waves::began_at.eq(Timestamp::from(at)),
            );
            diesel::insert_into(supplier_waves::table).values(row).execute(conn)?;
            Ok(())
        })
    }

    fn wave_span(&mut self, supplier_id: i64, wave: u32) -> Result<Option<WaveSpan>, StoreError> {
        self.run(|conn| {
            let waves = || supplier_waves::table.filter(supplier_waves::supplier_id.eq(supplier_id));
            let numbered = waves().filter(supplier_waves::wave.eq(i64::from(wave)));
            let last = numbered.order(supplier_waves::id.desc()).limit(1);
            let last: Option<(i64, Timestamp)> =
                last.select((supplier_waves::id, supplier_waves::began_at)).get_result(conn).optional()?;
            let Some((id, began_at)) = last else { return Ok(None) };
            let next = waves().filter(supplier_waves::id.gt(id)).order(supplier_waves::id).limit(1);
            let until: Option<Timestamp> =
                next.select(supplier_waves::began_at).get_result(conn).optional()?;
            Ok(Some(WaveSpan { began_at: began_at.instant()?, until: instant(until)? }))
        })
    }

    fn lock_numbered(&mut self, account_id: i64, number: &ServiceAccountNumber) -> Result<bool, StoreError> {
        self.run(|conn| {
            let lock = LockNumbered { account_id, number: number.to_string() };
            Ok(lock.get_result::<i64>(conn).optional()?.is_some())
        })
    }

    fn mark_added(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.run(|conn| {
            let unchanged = accounts::table.find(account_id).filter(accounts::added_at.is_null());
            diesel::update(unchanged).set(accounts::added_at.eq(Timestamp::from(at))).execute(conn)?;
            Ok(())
        })
    }

    fn mark_billed(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let unbilled = accounts::table.find(account_id).filter(accounts::billed_at.is_null());
            let billed = diesel::update(unbilled).set(accounts::billed_at.eq(Timestamp::from(at)));
            Ok(changed(billed.execute(conn)?))
        })
    }

    fn remove_accounts(&mut self, account_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError> {
        self.run(|conn| {
            let of = accounts::table.filter(accounts::id.eq_any(account_ids)).select(accounts::number);
            let numbers: Vec<String> = of.load(conn)?;
            let retired: Vec<_> = numbers.iter().map(|number| retired_numbers::number.eq(number)).collect();
            diesel::insert_into(retired_numbers::table).values(&retired).execute(conn)?;
            erase_accounts(conn, account_ids)
        })
    }
}
