//! The account lists of version 1. They are long, so only the columns that they need are read, row by row.

use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_app::port::{AccountList, ListedAccount, PageLimit, Position};
use diesel::connection::DefaultLoadingMode;
use diesel::prelude::*;
use diesel::query_builder::AstPass;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// Created at, key, external number, service number, latest event, true if the account is in no list.
type Columns = (columns::Instant, BigInt, Text, Nullable<Text>, columns::Instant, Bool);
type Row = (Timestamp, i64, String, Option<String>, Timestamp, bool);

/// Selects accounts, the last column left out.
const SELECT: &str =
    "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, ";

/// The processes of a supplier after a position and up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    supplier_id: i64,
    after: Timestamp,
    after_id: i64,
    until: Timestamp,
}

impl Bind for Range {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("supplier_id = ");
        self.supplier_id.bind(out)?;
        out.push_sql(" AND (created_at, id) > (");
        self.after.bind(out)?;
        out.push_sql(", ");
        self.after_id.bind(out)?;
        out.push_sql(") AND created_at <= ");
        self.until.bind(out)
    }
}

statement! {
    /// Processes with an account.
    Imported { range: Range, limit: i64 } -> Columns
        = (SELECT) "FALSE FROM processes WHERE state = 'PROCESSED' AND " range
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// Processes without an account that are not cancelled, read from three indexes in their order. Most of
    /// them wait or have waited: SQLite passes rows of the last arm on once, those of the others twice. The
    /// first arm checks the number because a process in a state of a newer version may have an account.
    Pending { range: Range, limit: i64 } -> Columns
        = {Dialect::ORDERS_ARMS => "SELECT * FROM ("}
            (SELECT) "FALSE FROM processes WHERE state NOT IN ('PENDING', 'IN_PROGRESS', 'PROCESSED', 'CANCELLED') \
            AND service_account_number IS NULL AND " range
            {Dialect::ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS ended"}
            " UNION ALL "
            {Dialect::ORDERS_ARMS => "SELECT * FROM ("}
            (SELECT) "FALSE FROM processes WHERE state = 'IN_PROGRESS' AND " range
            {Dialect::ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS running"}
            " UNION ALL "
            {Dialect::ORDERS_ARMS => "SELECT * FROM ("}
            (SELECT) "FALSE FROM processes WHERE state = 'PENDING' AND " range
            {Dialect::ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS pending"}
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// All processes. Cancelled ones are few and marked in the last column: every step would write an index
    /// without them, and merging the other indexes takes longer than skipping these rows.
    All { range: Range, limit: i64 } -> Columns
        = (SELECT) "state = 'CANCELLED' FROM processes WHERE " range " ORDER BY created_at, id LIMIT " limit
}

/// Calls a function with each item of a page. Returns the position that the next page follows. Instead of
/// skipped rows, more rows are read, up to the limit.
pub(super) fn each(
    conn: &mut Conn,
    supplier_id: i64,
    list: AccountList,
    after: Option<Position>,
    until: DateTime<Utc>,
    limit: PageLimit,
    each: &mut dyn FnMut(ListedAccount<'_>),
) -> Result<Option<Position>> {
    let (after, after_id) = after.map_or((Timestamp::FIRST, 0), |(time, id)| (time.into(), id));
    let mut range = Range { supplier_id, after, after_id, until: until.into() };
    let (mut wanted, mut scanned) = (i64::from(limit.items), 0);
    while wanted > 0 {
        let limit_of_rows = wanted;
        macro_rules! rows {
            ($statement:ident) => {
                hand_out(
                    $statement { range, limit: limit_of_rows }.load_iter::<Row, DefaultLoadingMode>(conn)?,
                    each,
                )?
            };
        }
        let read = match list {
            AccountList::Imported => rows!(Imported),
            AccountList::Pending => rows!(Pending),
            AccountList::All => rows!(All),
        };
        let Some(last) = read.last.filter(|_| read.rows == limit_of_rows) else { return Ok(None) };
        (range.after, range.after_id) = last;
        wanted -= read.items;
        scanned += read.rows;
        if scanned >= i64::from(limit.scanned) {
            break;
        }
    }
    Ok(Some((range.after.instant()?, range.after_id)))
}

/// The number of rows that were read and of items among them, and the position of the last row.
#[derive(Default)]
struct Read {
    rows: i64,
    items: i64,
    last: Option<(Timestamp, i64)>,
}

fn hand_out(
    rows: impl Iterator<Item = QueryResult<Row>>,
    each: &mut dyn FnMut(ListedAccount<'_>),
) -> Result<Read> {
    let mut read = Read::default();
    for row in rows {
        let (created_at, id, external, number, latest_event_at, is_in_no_list) = row?;
        read.rows += 1;
        read.last = Some((created_at, id));
        if is_in_no_list {
            continue;
        }
        let imported_at = number.is_some().then_some(latest_event_at);
        let account = number.as_deref().zip(instant(imported_at)?);
        each(ListedAccount { external_account_number: &external, account });
        read.items += 1;
    }
    Ok(read)
}
