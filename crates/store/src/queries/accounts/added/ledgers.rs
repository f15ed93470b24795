use super::super::super::schema::{ledgers, line_items, meter_points, tax_items, transactions};
use super::super::super::types::{Day, Digits, date, decimal};
use super::super::super::{Conn, SqlTx, next_position};
use super::super::builder::Builder;
use super::super::ledgers::CURRENT;
use super::super::rows::Rows;
use super::super::transactions::{LineItemRow, TaxItemRow, TransactionRow};
use crate::error::{Error, Result};
use chrono::NaiveDate;
use cutover_app::port::{ChargedPeriod, LedgerHead, Ledgers, NewTransaction, StoreError, StoredTransaction};
use cutover_core::Zone;
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::service::read_transaction;
use cutover_model::{Decimal, IntoOwned, Writer};
use diesel::dsl::min;
use diesel::prelude::*;

/// Ledgers are numbered from 0 and never removed.
const FIRST: i64 = 0;

#[derive(Queryable, Selectable)]
#[diesel(table_name = ledgers)]
struct HeadRow {
    position: i64,
    last_statement_closing_date: Option<Day>,
    last_statement_balance: Option<Digits<'static>>,
    balance: Option<Digits<'static>>,
}

impl TryFrom<HeadRow> for LedgerHead {
    type Error = Error;

    fn try_from(row: HeadRow) -> Result<Self> {
        Ok(Self {
            position: row.position,
            last_statement_closing_date: date(row.last_statement_closing_date),
            last_statement_balance: decimal(row.last_statement_balance)?.map(|d| d.value()),
            balance: decimal(row.balance)?.map(|d| d.value()),
        })
    }
}

impl Ledgers for SqlTx<'_> {
    fn first_ledger(&mut self, account_id: i64) -> Result<Option<LedgerHead>, StoreError> {
        self.run(|conn| {
            let row = ledgers::table
                .find((account_id, FIRST))
                .select(HeadRow::as_select())
                .get_result(conn)
                .optional()?;
            row.map(LedgerHead::try_from).transpose()
        })
    }

    fn earliest_supply_start(&mut self, account_id: i64) -> Result<Option<NaiveDate>, StoreError> {
        self.run(|conn| {
            let start = meter_points::table
                .filter(meter_points::account_id.eq(account_id))
                .select(min(meter_points::supply_start_date));
            Ok(date(start.get_result(conn)?))
        })
    }

    fn current_amounts(
        &mut self,
        account_id: i64,
        ledger: i64,
    ) -> Result<Vec<(TransactionType, Value)>, StoreError> {
        self.run(|conn| {
            let rows: Vec<(String, Digits<'static>)> = transactions::table
                .filter(transactions::account_id.eq(account_id))
                .filter(transactions::ledger.eq(ledger))
                .filter(transactions::statement.eq(CURRENT.0))
                .order(transactions::position)
                .select((transactions::kind, transactions::amount))
                .load(conn)?;
            let read = |(kind, amount): (String, Digits<'_>)| {
                Ok((kind.parse().map_err(Error::corrupt)?, amount.decimal()?.value()))
            };
            rows.into_iter().map(read).collect()
        })
    }

    fn charged_periods(
        &mut self,
        account_id: i64,
        product_code: &str,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Vec<ChargedPeriod>, StoreError> {
        self.run(|conn| {
            let of_item = line_items::account_id
                .eq(transactions::account_id)
                .and(line_items::txn.eq(transactions::position));
            let rows: Vec<(Day, Day, Option<String>, String, Digits<'static>)> = line_items::table
                .inner_join(transactions::table.on(of_item))
                .filter(line_items::account_id.eq(account_id))
                .filter(line_items::end_date.ge(Day::from(first)))
                .filter(line_items::start_date.le(Day::from(last)))
                .filter(transactions::product_code.eq(product_code))
                .filter(transactions::kind.eq(TransactionType::SupplyCharge.as_str()))
                .select((
                    line_items::start_date,
                    line_items::end_date,
                    line_items::rate_band,
                    transactions::transaction_id,
                    transactions::amount,
                ))
                .load(conn)?;
            let mut periods = Vec::new();
            for (start, end, rate_band, transaction_id, amount) in rows {
                // Negative charges take others back.
                if !amount.decimal()?.value().is_sign_negative() {
                    let (start_date, end_date) = (start.into(), end.into());
                    periods.push(ChargedPeriod { start_date, end_date, rate_band, transaction_id });
                }
            }
            Ok(periods)
        })
    }

    fn find_transaction(
        &mut self,
        account_id: i64,
        transaction_id: &str,
    ) -> Result<Option<StoredTransaction>, StoreError> {
        self.run(|conn| {
            // It may be there many times. Only its index has the order of a range, so one entry of that is read; a
            // minimum would be sought among all.
            let oldest: Option<i64> = transactions::table
                .filter(transactions::account_id.eq(account_id))
                .filter(transactions::transaction_id.between(transaction_id, transaction_id))
                .order((transactions::transaction_id, transactions::position))
                .select(transactions::position)
                .first(conn)
                .optional()?;
            oldest.map(|position| transaction(conn, account_id, position)).transpose()
        })
    }

    fn add_transaction(
        &mut self,
        account_id: i64,
        ledger: i64,
        new: &NewTransaction,
    ) -> Result<i64, StoreError> {
        self.run(|conn| {
            // A transaction contains no times, so the zone does not matter.
            let mut builder = Builder::new(account_id, Zone::UTC);
            let position = next_position!(conn, transactions, account_id);
            builder.transaction(position, ledger, CURRENT.0, &new.transaction, new.sent_date);
            builder.rows.insert(conn)?;
            Ok(position)
        })
    }

    fn set_balance(&mut self, account_id: i64, ledger: i64, balance: &Decimal<'_>) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::update(ledgers::table.find((account_id, ledger)))
                .set(ledgers::balance.eq(Digits::from(balance)))
                .execute(conn)?;
            Ok(())
        })
    }
}

/// Returns a transaction with its items.
fn transaction(conn: &mut Conn, account_id: i64, position: i64) -> Result<StoredTransaction> {
    let row = transactions::table.find((account_id, position)).select(TransactionRow::as_select());
    let row: TransactionRow<'static> = row.get_result(conn)?;
    let line_items = line_items::table
        .filter(line_items::account_id.eq(account_id))
        .filter(line_items::txn.eq(position))
        .order(line_items::position)
        .select(LineItemRow::as_select())
        .load(conn)?;
    let tax_items = tax_items::table
        .filter(tax_items::account_id.eq(account_id))
        .filter(tax_items::txn.eq(position))
        .order(tax_items::position)
        .select(TaxItemRow::as_select())
        .load(conn)?;
    let rows = Rows { line_items, tax_items, ..Rows::default() };
    let mut writer = Writer::new();
    writer.object(|writer| row.write(&rows.tree(), writer));
    let json = String::from_utf8(writer.into_bytes()).map_err(Error::corrupt)?;
    let transaction =
        read_transaction(&json).ok_or_else(|| Error::corrupt("a transaction cannot be read"))?;
    let sent_date = date(row.sent_date);
    Ok(StoredTransaction { position, transaction: transaction.into_owned(), sent_date })
}
