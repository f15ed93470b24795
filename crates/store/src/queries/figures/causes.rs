use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::count;
use crate::error::{Error, Result};
use cutover_app::port::{Cause, CauseCount};
use cutover_core::{ExternalAccountNumber, Level};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

statement! {
    /// The number of rows that are read is that of the causes of a supplier, and of the changes not folded.
    Top { supplier_id: i64, level: &'static str, limit: i64 } -> (Text, Text, BigInt)
        = "SELECT code, attr, CAST(sum(accounts) AS BIGINT) FROM (\
            SELECT code, attr, accounts FROM cause_counts WHERE supplier_id = " supplier_id " AND level = " level
            " UNION ALL SELECT code, attr, change FROM cause_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_CAUSE_CHANGE) " AND level = " level
            ") AS counted GROUP BY code, attr HAVING sum(accounts) <> 0 ORDER BY sum(accounts) DESC, code, attr LIMIT " limit
}

statement! {
    /// The keys are the first of a range of an index.
    Accounts { supplier_id: i64, level: &'static str, code: String, attr: String, limit: i64 } -> Text
        = "SELECT external_account_number FROM processes WHERE id" (Dialect::AMONG)
            "SELECT process_id FROM process_causes WHERE supplier_id = " supplier_id " AND level = " level
            " AND code = " code " AND attr = " attr " ORDER BY created_at, process_id LIMIT " limit
            (Dialect::AMONG_END) " ORDER BY created_at, id"
}

statement! {
    OfCode { supplier_id: i64, level: &'static str, code: String } -> BigInt
        = "SELECT process_id FROM process_causes WHERE supplier_id = " supplier_id " AND level = " level
            " AND code = " code " AND rank = 0 ORDER BY created_at, process_id LIMIT 1"
}

pub(super) fn top(conn: &mut Conn, supplier_id: i64, level: Level, limit: u32) -> Result<Vec<CauseCount>> {
    let rows: Vec<(String, String, i64)> =
        Top { supplier_id, level: level.as_str(), limit: limit.into() }.load(conn)?;
    let of_row = |(code, attr, accounts): (String, String, i64)| {
        let cause = Cause { code, attr: Some(attr).filter(|attr| !attr.is_empty()) };
        CauseCount { cause, accounts: count(accounts) }
    };
    Ok(rows.into_iter().map(of_row).collect())
}

pub(super) fn accounts(
    conn: &mut Conn,
    supplier_id: i64,
    level: Level,
    cause: &Cause,
    limit: u32,
) -> Result<Vec<ExternalAccountNumber>> {
    let (code, attr) = (cause.code.clone(), cause.attr.clone().unwrap_or_default());
    let rows: Vec<String> =
        Accounts { supplier_id, level: level.as_str(), code, attr, limit: limit.into() }.load(conn)?;
    rows.iter().map(|number| number.parse().map_err(Error::corrupt)).collect()
}

pub(super) fn is_known(conn: &mut Conn, supplier_id: i64, level: Level, code: &str) -> Result<bool> {
    let statement = OfCode { supplier_id, level: level.as_str(), code: code.to_owned() };
    Ok(statement.get_result::<i64>(conn).optional()?.is_some())
}
