//! The lists of version 1: long, so their rows are read and decoded one by one, and only their columns.

use super::super::Conn;
use super::super::dialect::{Db, ORDERS_ARMS, columns};
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{AccountList, ListedAccount, PageLimit, Position};
use diesel::connection::DefaultLoadingMode;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// Created at, key, number there, number here, latest event, whether it is in no list.
type Columns = (columns::Instant, BigInt, Text, Nullable<Text>, columns::Instant, Bool);
type Row = (Timestamp, i64, String, Option<String>, Timestamp, bool);

statement! {
    /// Those with an account.
    Imported { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, FALSE \
            FROM processes WHERE state = 'PROCESSED' AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// Those without an account, but for cancelled ones, of three indexes in their order. Most wait or have waited:
    /// SQLite passes rows of the last arm on once, those of the others twice. Only those of a status of a newer version
    /// may have an account here.
    Pending { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = {ORDERS_ARMS => "SELECT * FROM ("}
            "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, FALSE \
            FROM processes WHERE state NOT IN ('PENDING', 'IN_PROGRESS', 'PROCESSED', 'CANCELLED') \
            AND service_account_number IS NULL AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            {ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS ended"}
            " UNION ALL "
            {ORDERS_ARMS => "SELECT * FROM ("}
            "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, FALSE \
            FROM processes WHERE state = 'IN_PROGRESS' AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            {ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS running"}
            " UNION ALL "
            {ORDERS_ARMS => "SELECT * FROM ("}
            "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, FALSE \
            FROM processes WHERE state = 'PENDING' AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            {ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS pending"}
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// Both, and cancelled ones, which are few and told apart here: an index without them would be written with each step,
    /// and to merge those of the others takes longer than to pass over these.
    All { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = "SELECT created_at, id, external_account_number, service_account_number, latest_event_at, \
            state = 'CANCELLED' FROM processes WHERE supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            " ORDER BY created_at, id LIMIT " limit
}

/// Calls with each item of a page; returns what the next page follows. Where rows are passed over, more are read in their
/// place, up to the bound.
pub(super) fn each(
    conn: &mut Conn,
    supplier_id: i64,
    list: AccountList,
    after: Option<Position>,
    until: DateTime<Utc>,
    limit: PageLimit,
    each: &mut dyn FnMut(ListedAccount<'_>),
) -> Result<Option<Position>> {
    let (mut after, mut after_id) = after.map_or((Timestamp::FIRST, 0), |(time, id)| (time.into(), id));
    let until = Timestamp::from(until);
    let (mut wanted, mut scanned) = (i64::from(limit.items), 0);
    while wanted > 0 {
        let limit_of_rows = wanted;
        macro_rules! rows {
            ($statement:ident) => {
                hand_out(
                    $statement { supplier_id, after, after_id, until, limit: limit_of_rows }
                        .load_iter::<Row, DefaultLoadingMode>(conn)?,
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
        (after, after_id) = last;
        wanted -= read.items;
        scanned += read.rows;
        if scanned >= i64::from(limit.scanned) {
            break;
        }
    }
    Ok(Some((after.instant()?, after_id)))
}

/// Rows that were read, items among them, and where the last row stands.
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
        let (created_at, id, external, number, latest_event_at, is_in_none) = row?;
        read.rows += 1;
        read.last = Some((created_at, id));
        if is_in_none {
            continue;
        }
        let imported_at = number.is_some().then_some(latest_event_at);
        let account = number.as_deref().zip(instant(imported_at)?);
        each(ListedAccount { external_account_number: &external, account });
        read.items += 1;
    }
    Ok(read)
}
