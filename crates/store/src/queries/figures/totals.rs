use super::super::dialect::{Db, Dialect};
use super::super::schema::{total_changes, totals};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::{Conn, fit};
use super::{RECOUNT, count, rows};
use crate::error::{Error, Result};
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::service::exact_sum;
use cutover_model::{Decimal, Totals};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use std::collections::BTreeMap;

/// The columns of [`TotalsRow`].
const COLUMNS: &str = "accounts, ledger_balance, readings, transactions, documents";
type Columns = (BigInt, Text, BigInt, BigInt, BigInt);

statement! {
    Read { supplier_id: i64 } -> Columns
        = "SELECT " (COLUMNS) " FROM totals WHERE supplier_id = " supplier_id
            " UNION ALL SELECT " (COLUMNS) " FROM total_changes WHERE supplier_id = " supplier_id " AND id >= " (Dialect::FIRST_TOTAL_CHANGE)
}

statement! {
    /// Removes and returns the oldest changes.
    Take { limit: i64 } -> (BigInt, Columns)
        = "DELETE FROM total_changes WHERE id" (Dialect::AMONG) "SELECT id FROM total_changes WHERE id >= "
            (Dialect::FIRST_TOTAL_CHANGE) " ORDER BY id LIMIT " limit (Dialect::AMONG_END)
            " RETURNING supplier_id, " (COLUMNS)
}

#[derive(Debug, Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = totals)]
struct TotalsRow {
    accounts: i64,
    ledger_balance: String,
    readings: i64,
    transactions: i64,
    documents: i64,
}

/// Sum of changes, without rows. A removal is negative; the stored totals with all changes are not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sum {
    accounts: i64,
    ledger_balance: Value,
    readings: i64,
    transactions: i64,
    documents: i64,
}

impl Sum {
    fn of(totals: &Totals) -> Result<Self> {
        Ok(Self {
            accounts: fit(totals.accounts)?,
            ledger_balance: totals.ledger_balance,
            readings: fit(totals.readings)?,
            transactions: fit(totals.transactions)?,
            documents: fit(totals.documents)?,
        })
    }

    fn read(row: &TotalsRow) -> Result<Self> {
        // A balance from a recount may be in the form that was sent, with more zeros than a sum has digits.
        let balance = Decimal::from_sent(&row.ledger_balance, true).map(|sent| sent.value());
        Ok(Self {
            accounts: row.accounts,
            ledger_balance: balance.ok_or_else(|| Error::corrupt("a sum of balances cannot be read"))?,
            readings: row.readings,
            transactions: row.transactions,
            documents: row.documents,
        })
    }

    /// Returns the sum of changes, or `None` if it cannot be represented exactly.
    fn all<'r>(rows: impl IntoIterator<Item = &'r TotalsRow>) -> Result<Option<Self>> {
        let mut all = Self::default();
        for row in rows {
            match all.checked_add(Self::read(row)?) {
                Some(sum) => all = sum,
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    fn checked_add(self, other: Self) -> Option<Self> {
        let balances = (self.ledger_balance.normalize(), other.ledger_balance.normalize());
        Some(Self {
            accounts: self.accounts.checked_add(other.accounts)?,
            ledger_balance: exact_sum(balances.0, balances.1)?.normalize(),
            readings: self.readings.checked_add(other.readings)?,
            transactions: self.transactions.checked_add(other.transactions)?,
            documents: self.documents.checked_add(other.documents)?,
        })
    }

    fn negated(self) -> Self {
        Self {
            accounts: -self.accounts,
            ledger_balance: -self.ledger_balance,
            readings: -self.readings,
            transactions: -self.transactions,
            documents: -self.documents,
        }
    }

    fn totals(self) -> Totals {
        Totals {
            accounts: count(self.accounts),
            ledger_balance: self.ledger_balance,
            readings: count(self.readings),
            transactions: count(self.transactions),
            documents: count(self.documents),
            ..Totals::default()
        }
    }

    fn row(self) -> TotalsRow {
        let Self { accounts, ledger_balance, readings, transactions, documents } = self;
        TotalsRow { accounts, ledger_balance: ledger_balance.to_string(), readings, transactions, documents }
    }
}

pub(super) fn add(conn: &mut Conn, supplier_id: i64, added: &Totals) -> Result<()> {
    add_sum(conn, supplier_id, Sum::of(added)?)?;
    rows::change_imported(conn, supplier_id, 1, &added.rows)
}

pub(super) fn remove(conn: &mut Conn, supplier_id: i64, removed: &Totals) -> Result<()> {
    add_sum(conn, supplier_id, Sum::of(removed)?.negated())?;
    rows::change_imported(conn, supplier_id, -1, &removed.rows)
}

/// Adds nothing for an addition of rows alone.
fn add_sum(conn: &mut Conn, supplier_id: i64, sum: Sum) -> Result<()> {
    if sum == Sum::default() { Ok(()) } else { insert(conn, supplier_id, sum.row()) }
}

fn insert(conn: &mut Conn, supplier_id: i64, change: TotalsRow) -> Result<()> {
    diesel::insert_into(total_changes::table)
        .values((
            total_changes::supplier_id.eq(supplier_id),
            total_changes::accounts.eq(change.accounts),
            total_changes::ledger_balance.eq(change.ledger_balance),
            total_changes::readings.eq(change.readings),
            total_changes::transactions.eq(change.transactions),
            total_changes::documents.eq(change.documents),
        ))
        .execute(conn)?;
    Ok(())
}

pub(super) fn read(conn: &mut Conn, supplier_id: i64) -> Result<Totals> {
    let rows: Vec<TotalsRow> = Read { supplier_id }.load(conn)?;
    let sum = Sum::all(&rows)?.ok_or(Error::Unfit("a sum of balances is out of range"))?;
    Ok(Totals { rows: rows::read(conn, supplier_id, false)?, ..sum.totals() })
}

/// Folds the oldest changes and returns how many. Changes of a supplier whose sum cannot be represented or
/// read are moved after the others, so that they do not hold up other suppliers.
pub(super) fn fold(conn: &mut Conn, limit: u32) -> Result<usize> {
    let taken: Vec<(i64, TotalsRow)> = Take { limit: limit.into() }.load(conn)?;
    let mut changes = BTreeMap::<i64, Vec<TotalsRow>>::new();
    for (supplier_id, change) in taken {
        changes.entry(supplier_id).or_default().push(change);
    }
    let mut folded = 0;
    for (supplier_id, changes) in changes {
        match fold_into(conn, supplier_id, &changes) {
            Ok(()) => folded += changes.len(),
            Err(Error::Corrupt(fault)) => {
                tracing::error!(supplier = supplier_id, fault, "figures are not folded: see {RECOUNT}");
                changes.into_iter().try_for_each(|change| insert(conn, supplier_id, change))?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(folded)
}

/// Adds changes to the folded totals. Returns [`Error::Corrupt`] without writing if these cannot be read or
/// the sum cannot be represented. Nobody else folds meanwhile.
fn fold_into(conn: &mut Conn, supplier_id: i64, changes: &[TotalsRow]) -> Result<()> {
    let row = totals::table.find(supplier_id).select(TotalsRow::as_select());
    let before: Option<TotalsRow> = row.get_result(conn).optional()?;
    let after = Sum::all(before.iter().chain(changes))?;
    let after = after.ok_or_else(|| Error::corrupt("a sum of balances is out of range"))?.row();
    diesel::insert_into(totals::table)
        .values((totals::supplier_id.eq(supplier_id), &after))
        .on_conflict(totals::supplier_id)
        .do_update()
        .set(&after)
        .execute(conn)?;
    Ok(())
}
