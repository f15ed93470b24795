//! The queue that workers claim from, and what the sweep looks for. Every query here reads an index of
//! the few rows that it is about: none costs more because more processes have ended, or wait.

use super::super::dialect::{self, Db};
use super::super::schema::processes;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::super::{Conn, fit};
use super::readable::{Page, Place, readable};
use super::restored;
use super::row::{ProcessRow, StoredRow};
use crate::claim_hints::ClaimHints;
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::StoredProcess;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

condition!(
    /// Waits to be claimed.
    IsPending = "processes.state = 'PENDING'"
);
condition!(
    /// Waits, and not for ever.
    HasWindow = "processes.state = 'PENDING' AND processes.window_end IS NOT NULL"
);
condition!(
    /// Is claimed.
    IsRunning = "processes.state = 'IN_PROGRESS'"
);

/// A supplier that has a process due and may import more.
#[derive(Debug, Queryable)]
pub(crate) struct OpenSupplier {
    pub(crate) id: i64,
    pub(crate) code: String,
    /// How many more.
    pub(crate) room: i64,
    /// Whether it has a bound.
    pub(crate) is_bounded: bool,
    /// When its first process is due.
    pub(crate) first_due: Timestamp,
}

/// When the first pending process of a supplier is due, whatever its status.
#[derive(Debug, Queryable)]
pub(crate) struct FirstPending {
    pub(crate) supplier_id: i64,
    pub(crate) code: String,
    pub(crate) status: String,
    pub(crate) due_at: Option<Timestamp>,
}

/// When the first pending process of a supplier is due, if any waits.
#[derive(Debug, Queryable)]
pub(crate) struct FirstDue {
    pub(crate) supplier_id: i64,
    pub(crate) due_at: Option<Timestamp>,
}

/// Rows of an index behind a place in it, at most so many. That they are not before it bounds what is read of the
/// index; the rest is a matter of those at the place itself.
macro_rules! rows_behind {
    ($rows:expr, $column:ident, $page:expr) => {
        $rows
            .filter(processes::$column.ge($page.behind.0))
            .filter(processes::$column.gt($page.behind.0).or(processes::id.gt($page.behind.1)))
            .order((processes::$column, processes::id))
            .limit($page.limit)
            .select(ProcessRow::as_select())
    };
}

/// Processes of a supplier that are due, first due first, at most `limit`; and whether there was any row, readable or
/// not.
fn due_of(
    conn: &mut Conn,
    supplier: &OpenSupplier,
    at: Timestamp,
    limit: i64,
) -> Result<(Vec<StoredProcess>, bool)> {
    let mut has_any = false;
    let first = Page { behind: Place::before(supplier.first_due), limit };
    let due = readable(
        conn,
        first,
        |conn, page| {
            let due = processes::table
                .filter(IsPending)
                .filter(processes::supplier_id.eq(supplier.id))
                .filter(processes::due_at.le(at));
            let rows: Vec<ProcessRow<'static>> = for_claim!(rows_behind!(due, due_at, page)).load(conn)?;
            has_any |= !rows.is_empty();
            Ok(rows)
        },
        |row| Some(row.due_at),
        |_, rows| Ok(restored(rows.into_iter().map(|row| StoredRow::new(row, &supplier.code)))),
    )?;
    Ok((due, has_any))
}

/// In turn between suppliers, and each of the first alike: what one lacks of its share, since others hold
/// what is due of it, goes to those after it.
pub(super) fn due(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<StoredProcess>> {
    let limit = i64::from(limit);
    let open = dialect::open_suppliers(conn, hints, at, limit)?;
    let at = Timestamp::from(at);
    let mut suppliers = fit::<_, i64>(open.len())?.min(limit);
    let (mut left, mut taken) = (limit, Vec::new());
    for supplier in &open {
        if left == 0 {
            break;
        }
        let share = (left + suppliers - 1) / suppliers;
        let (due, has_any) = due_of(conn, supplier, at, share.min(supplier.room))?;
        // What cannot be read counts: it must not keep the suppliers behind from their turn.
        if has_any {
            hints.set_last_served(supplier.id);
        }
        left -= fit::<_, i64>(due.len())?;
        suppliers = (suppliers - 1).max(1);
        taken.extend(due.into_iter().enumerate());
    }
    // Stable: within a round, the suppliers keep their turns.
    taken.sort_by_key(|(round, _)| *round);
    Ok(taken.into_iter().map(|(_, process)| process).collect())
}

/// What a query of the sweep is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// To know of it.
    Look,
    /// To change it: what others are changing is passed over, not waited for.
    Change,
}

/// The first lease of a supplier that has ended.
#[derive(Debug)]
pub(crate) struct FirstLease {
    pub(crate) supplier_id: i64,
    pub(crate) code: String,
    pub(crate) lease_until: Timestamp,
}

pub(super) fn expired_leases(
    conn: &mut Conn,
    hints: &ClaimHints,
    before: DateTime<Utc>,
    limit: u32,
    sweep: Sweep,
) -> Result<Vec<StoredProcess>> {
    let suppliers = dialect::expired_leases(conn, hints, before)?;
    let (before, mut left) = (Timestamp::from(before), i64::from(limit));
    let mut expired = Vec::new();
    for FirstLease { supplier_id, code, lease_until } in suppliers {
        let of_supplier = readable(
            conn,
            Page { behind: Place::before(lease_until), limit: left },
            |conn, page| {
                let leases = processes::table
                    .filter(IsRunning)
                    .filter(processes::supplier_id.eq(supplier_id))
                    .filter(processes::lease_until.lt(before));
                Ok(match sweep {
                    Sweep::Look => rows_behind!(leases, lease_until, page).load(conn)?,
                    Sweep::Change => for_claim!(rows_behind!(leases, lease_until, page)).load(conn)?,
                })
            },
            |row| row.lease_until,
            |_, rows| Ok(restored(rows.into_iter().map(|row| StoredRow::new(row, &code)))),
        )?;
        left -= fit::<_, i64>(of_supplier.len())?;
        expired.extend(of_supplier);
        if left == 0 {
            break;
        }
    }
    Ok(expired)
}

statement! {
    /// Suppliers with a window that has closed. The first window of each is sought for itself: of all of
    /// them, a planner would read the table.
    Missed { before: Timestamp } -> (BigInt, Text)
        = "SELECT s.id, s.code FROM suppliers s WHERE s.status = 'Ongoing' AND (\
            SELECT p.window_end FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
            AND p.window_end IS NOT NULL ORDER BY p.window_end LIMIT 1) < " before
}

pub(super) fn missed_windows(
    conn: &mut Conn,
    before: DateTime<Utc>,
    limit: u32,
    sweep: Sweep,
) -> Result<Vec<StoredProcess>> {
    let (before, mut left) = (Timestamp::from(before), i64::from(limit));
    let suppliers: Vec<(i64, String)> = Missed { before }.load(conn)?;
    let mut missed = Vec::new();
    for (id, code) in suppliers {
        let of_supplier = readable(
            conn,
            Page { behind: Place::FIRST, limit: left },
            |conn, page| {
                let windows = processes::table
                    .filter(HasWindow)
                    .filter(processes::supplier_id.eq(id))
                    .filter(processes::window_end.lt(before));
                Ok(match sweep {
                    Sweep::Look => rows_behind!(windows, window_end, page).load(conn)?,
                    Sweep::Change => for_claim!(rows_behind!(windows, window_end, page)).load(conn)?,
                })
            },
            |row| row.window_end,
            |_, rows| Ok(restored(rows.into_iter().map(|row| StoredRow::new(row, &code)))),
        )?;
        left -= fit::<_, i64>(of_supplier.len())?;
        missed.extend(of_supplier);
        if left == 0 {
            break;
        }
    }
    Ok(missed)
}
