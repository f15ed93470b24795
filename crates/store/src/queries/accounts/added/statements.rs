use super::super::super::schema::historical_statements;
use super::super::super::types::{Bits, Day, Digits, Timestamp, date, decimal};
use super::super::super::{Conn, SqlTx, next_position};
use super::super::builder::{identity, text};
use super::super::rows::Room;
use crate::error::{Error, Result};
use cutover_app::port::{HistoricalStatements, NewHistoricalStatement, StoreError};
use cutover_model::{HistoricalStatement, Nullable};
use diesel::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = historical_statements, treat_none_as_default_value = false)]
struct StatementRow<'a> {
    account_id: i64,
    position: i64,
    statement_id: Cow<'a, str>,
    bill_period_from_date: Day,
    bill_period_to_date: Day,
    issued_date: Option<Day>,
    number: Option<Cow<'a, str>>,
    gross_amount: Option<Digits<'a>>,
    statement_path: Option<Cow<'a, str>>,
    fingerprint: Bits,
    added_at: Timestamp,
}

impl<'a> StatementRow<'a> {
    fn new(account_id: i64, position: i64, new: &'a NewHistoricalStatement) -> Self {
        let statement = &new.statement;
        Self {
            account_id,
            position,
            statement_id: identity(&statement.statement_id),
            bill_period_from_date: statement.bill_period_from_date.into(),
            bill_period_to_date: statement.bill_period_to_date.into(),
            issued_date: statement.issued_date.value().copied().map(Day::from),
            number: statement.number.as_ref().map(text),
            gross_amount: statement.gross_amount.value().map(Digits::from),
            statement_path: statement.statement_path.as_ref().map(text),
            fingerprint: Bits(new.fingerprint),
            added_at: new.added_at.into(),
        }
    }
}

impl TryFrom<StatementRow<'_>> for HistoricalStatement<'static> {
    type Error = Error;

    fn try_from(row: StatementRow<'_>) -> Result<Self> {
        Ok(Self {
            bill_period_from_date: row.bill_period_from_date.0,
            bill_period_to_date: row.bill_period_to_date.0,
            statement_id: row.statement_id.into_owned().into(),
            issued_date: nullable(date(row.issued_date)),
            number: row.number.map(|number| number.into_owned().into()),
            gross_amount: nullable(decimal(row.gross_amount)?),
            statement_path: row.statement_path.map(|path| path.into_owned().into()),
        })
    }
}

/// `null` is not stored: a missing value is absent.
fn nullable<T>(value: Option<T>) -> Nullable<T> {
    value.map_or(Nullable::Absent, Nullable::Value)
}

/// Returns the statements that were added to accounts, oldest first; `None` if there is no room for them.
pub(in super::super) fn load(
    conn: &mut Conn,
    account_ids: &[i64],
    room: &mut Room,
) -> Result<Option<HashMap<i64, Vec<HistoricalStatement<'static>>>>> {
    let rows: Vec<StatementRow<'static>> = historical_statements::table
        .filter(historical_statements::account_id.eq_any(account_ids))
        .order(historical_statements::table.primary_key())
        .limit(room.limit())
        .select(StatementRow::as_select())
        .load(conn)?;
    if !room.take(rows.len()) {
        return Ok(None);
    }
    let mut added: HashMap<i64, Vec<_>> = HashMap::new();
    for row in rows {
        added.entry(row.account_id).or_default().push(row.try_into()?);
    }
    Ok(Some(added))
}

impl HistoricalStatements for SqlTx<'_> {
    fn historical_statement(
        &mut self,
        account_id: i64,
        statement_id: &str,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        self.run(|conn| {
            let fingerprint: Option<Bits> = historical_statements::table
                .filter(historical_statements::account_id.eq(account_id))
                .filter(historical_statements::statement_id.eq(statement_id))
                .select(historical_statements::fingerprint)
                .get_result(conn)
                .optional()?;
            Ok(fingerprint.map(|Bits(bits)| bits))
        })
    }

    fn add_historical_statement(
        &mut self,
        account_id: i64,
        new: &NewHistoricalStatement,
    ) -> Result<(), StoreError> {
        self.run(|conn| {
            let position = next_position!(conn, historical_statements, account_id);
            let row = StatementRow::new(account_id, position, new);
            diesel::insert_into(historical_statements::table).values(row).execute(conn)?;
            Ok(())
        })
    }
}
