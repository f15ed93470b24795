//! The lists of version 1: long, so their rows are read and decoded one by one, and only their columns.

use super::super::Conn;
use super::super::dialect::{Db, ORDERS_ARMS, columns};
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{AccountList, ListedAccount, Position};
use diesel::connection::DefaultLoadingMode;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

/// Created at, key, number there, number here, latest event.
type Columns = (columns::Instant, BigInt, Text, Nullable<Text>, columns::Instant);
type Row = (Timestamp, i64, String, Option<String>, Timestamp);

statement! {
    /// Those with an account.
    Imported { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = "SELECT created_at, id, external_account_number, service_account_number, latest_event_at \
            FROM processes WHERE state = 'PROCESSED' AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// Those without an account, but for cancelled ones.
    Pending { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = "SELECT created_at, id, external_account_number, service_account_number, latest_event_at \
            FROM processes WHERE state NOT IN ('PROCESSED', 'CANCELLED') AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            " ORDER BY created_at, id LIMIT " limit
}

statement! {
    /// Both, each read in its order.
    All { supplier_id: i64, after: Timestamp, after_id: i64, until: Timestamp, limit: i64 } -> Columns
        = {ORDERS_ARMS => "SELECT * FROM ("}
            "SELECT created_at, id, external_account_number, service_account_number, latest_event_at \
            FROM processes WHERE state = 'PROCESSED' AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            {ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS imported"}
            " UNION ALL "
            {ORDERS_ARMS => "SELECT * FROM ("}
            "SELECT created_at, id, external_account_number, service_account_number, latest_event_at \
            FROM processes WHERE state NOT IN ('PROCESSED', 'CANCELLED') AND supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at <= " until
            {ORDERS_ARMS => " ORDER BY created_at, id LIMIT " limit ") AS pending"}
            " ORDER BY created_at, id LIMIT " limit
}

/// Calls with each item of a page; where the last one stands.
pub(super) fn each(
    conn: &mut Conn,
    supplier_id: i64,
    list: AccountList,
    after: Option<Position>,
    until: DateTime<Utc>,
    limit: u32,
    each: &mut dyn FnMut(ListedAccount<'_>),
) -> Result<Option<Position>> {
    let (after, after_id) = after.map_or((Timestamp::FIRST, 0), |(time, id)| (time.into(), id));
    let (until, limit) = (Timestamp::from(until), i64::from(limit));
    macro_rules! rows {
        ($statement:ident) => {
            hand_out(
                $statement { supplier_id, after, after_id, until, limit }
                    .load_iter::<Row, DefaultLoadingMode>(conn)?,
                each,
            )
        };
    }
    match list {
        AccountList::Imported => rows!(Imported),
        AccountList::Pending => rows!(Pending),
        AccountList::All => rows!(All),
    }
}

fn hand_out(
    rows: impl Iterator<Item = QueryResult<Row>>,
    each: &mut dyn FnMut(ListedAccount<'_>),
) -> Result<Option<Position>> {
    let mut last = None;
    for row in rows {
        let (created_at, id, external, number, latest_event_at) = row?;
        let imported_at = number.is_some().then_some(latest_event_at);
        let account = number.as_deref().zip(instant(imported_at)?);
        each(ListedAccount { external_account_number: &external, account });
        last = Some((created_at, id));
    }
    last.map(|(created_at, id)| Ok((created_at.instant()?, id))).transpose()
}
