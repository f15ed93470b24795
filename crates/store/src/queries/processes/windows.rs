//! The windows of accounts that wait, read from an index of these accounts in the order of their ends. The number of
//! windows and of accounts that are read is bounded.

use super::super::Conn;
use super::super::dialect::Db;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_app::port::{MAX_WINDOWED_ACCOUNTS, MAX_WINDOWS, WaitingWindow, WaitingWindows};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};

statement! {
    /// The window that ends next after a time, as one of its accounts has it.
    Next { supplier_id: i64, after: Timestamp } -> (Nullable<columns::Instant>, columns::Instant)
        = "SELECT window_start, window_end FROM processes WHERE state = 'PENDING' AND supplier_id = " supplier_id
            " AND window_end > " after " ORDER BY window_end LIMIT 1"
}

statement! {
    /// The window that ends last.
    Last { supplier_id: i64 } -> (Nullable<columns::Instant>, columns::Instant)
        = "SELECT window_start, window_end FROM processes WHERE state = 'PENDING' AND supplier_id = " supplier_id
            " AND window_end IS NOT NULL ORDER BY window_end DESC LIMIT 1"
}

statement! {
    /// The number of accounts whose window ends at a time, at most a limit.
    Count { supplier_id: i64, end: Timestamp, limit: i64 } -> BigInt
        = "SELECT count(*) FROM (SELECT 1 FROM processes WHERE state = 'PENDING' AND supplier_id = " supplier_id
            " AND window_end = " end " LIMIT " limit ") AS counted"
}

type Window = (Option<Timestamp>, Timestamp);

pub(super) fn waiting(conn: &mut Conn, supplier_id: i64) -> Result<WaitingWindows> {
    let mut found = WaitingWindows { windows: Vec::new(), is_complete: true };
    let (mut after, mut left) = (DateTime::<Utc>::UNIX_EPOCH, MAX_WINDOWED_ACCOUNTS);
    loop {
        let next = Next { supplier_id, after: after.into() }.get_result::<Window>(conn).optional()?;
        let Some((start, end)) = next else { return Ok(found) };
        if found.windows.len() == MAX_WINDOWS || left == 0 {
            break;
        }
        let limit = i64::from(left) + 1;
        let counted: i64 = Count { supplier_id, end, limit }.get_result(conn)?;
        let accounts = u32::try_from(counted).unwrap_or(u32::MAX).min(left);
        found.is_complete &= counted <= i64::from(left);
        left -= accounts;
        found.windows.push(window(start, end, accounts)?);
        after = end.instant()?;
    }
    found.is_complete = false;
    let last = Last { supplier_id }.get_result::<Window>(conn).optional()?;
    found.windows.extend(last.map(|(start, end)| window(start, end, 0)).transpose()?);
    Ok(found)
}

fn window(start: Option<Timestamp>, end: Timestamp, accounts: u32) -> Result<WaitingWindow> {
    let start = start.map(|start| start.instant()).transpose()?;
    Ok(WaitingWindow { start, end: end.instant()?, accounts: accounts.into() })
}
