//! The queue that workers claim from, and the processes that the sweep ends. Each query reads an index of
//! only the rows it is about, so its cost does not grow with the number of processes that have ended or wait.

use super::super::dialect::{Db, Dialect};
use super::super::schema::{processes, wave_accounts};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::super::{Conn, fit};
use super::readable::{IndexPosition, Page, readable};
use super::row::ProcessRow;
use crate::claim_hints::ClaimHints;
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{FairShares, StoredProcess};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

condition!(
    /// The process waits to be claimed.
    IsPending = "processes.state = 'PENDING'"
);
condition!(
    /// The process waits, and its window ends.
    HasWindow = "processes.state = 'PENDING' AND processes.window_end IS NOT NULL"
);
condition!(
    /// The process is claimed.
    IsRunning = "processes.state = 'IN_PROGRESS'"
);

/// A supplier that has a process due and may import more.
#[derive(Debug, Queryable)]
pub(crate) struct OpenSupplier {
    pub(crate) id: i64,
    pub(crate) code: String,
    /// Number of imports that it may still start.
    pub(crate) room: i64,
    /// True if its number of concurrent imports is limited.
    pub(crate) is_bounded: bool,
    /// The time at which its first process is due.
    pub(crate) first_due: Timestamp,
    /// True if it has a gate.
    pub(crate) is_gated: bool,
    /// True if its wave is full: only accounts of the wave may be claimed again.
    pub(crate) is_wave_full: bool,
}

/// A supplier of any status, with the time at which its first pending process is due.
#[derive(Debug, Queryable)]
pub(crate) struct FirstPending {
    pub(crate) supplier_id: i64,
    pub(crate) code: String,
    pub(crate) status: String,
    pub(crate) due_at: Option<Timestamp>,
}

/// A supplier with processes whose lease or window has ended.
#[derive(Debug, Queryable)]
pub(crate) struct OverdueSupplier {
    pub(crate) id: i64,
    pub(crate) code: String,
    /// A time before which none of them ended.
    pub(crate) first: Timestamp,
}

/// Selects the page of an index. The first comparison bounds what is read of the index, the second one leaves
/// out rows at the position itself.
macro_rules! page_of {
    ($rows:expr, $column:ident, $page:expr) => {
        $rows
            .filter(processes::$column.ge($page.after.0))
            .filter(processes::$column.gt($page.after.0).or(processes::id.gt($page.after.1)))
            .order((processes::$column, processes::id))
            .limit($page.limit)
            .select(ProcessRow::as_select())
    };
}

/// Returns at most `limit` processes of a supplier that are due, in the order of their due times, and whether
/// there was any row, readable or not.
fn due_of(
    conn: &mut Conn,
    supplier: &OpenSupplier,
    at: Timestamp,
    limit: i64,
) -> Result<(Vec<StoredProcess>, bool)> {
    let mut has_any = false;
    let first = Page { after: IndexPosition::before(supplier.first_due), limit };
    let load = |conn: &mut Conn, page: Page| {
        let due = processes::table
            .filter(IsPending)
            .filter(processes::supplier_id.eq(supplier.id))
            .filter(processes::due_at.le(at));
        let rows: Vec<ProcessRow<'static>> = if supplier.is_wave_full {
            let open = wave_accounts::table
                .filter(wave_accounts::supplier_id.eq(supplier.id))
                .filter(wave_accounts::is_open.eq(true))
                .select(wave_accounts::process_id);
            let due = due.filter(processes::id.eq_any(open));
            for_claim!(page_of!(due, due_at, page)).load(conn)?
        } else {
            for_claim!(page_of!(due, due_at, page)).load(conn)?
        };
        has_any |= !rows.is_empty();
        Ok(rows)
    };
    let due = readable(conn, &supplier.code, first, load, |row| Some(row.status.due_at))?;
    Ok((due, has_any))
}

/// Returns due processes, one of each supplier in turn. If others hold due processes of a supplier, the
/// suppliers after it get the rest of its share.
pub(super) fn due(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
    limit: u32,
    shares: &FairShares,
) -> Result<Vec<StoredProcess>> {
    let limit = i64::from(limit);
    let open = Dialect::open_suppliers(conn, hints, at, limit)?;
    let at = Timestamp::from(at);
    let mut division = shares.divide(open.iter().map(|supplier| (supplier.id, supplier.room)), limit);
    let (mut last_served, mut taken) = (None, Vec::new());
    while let Some((place, share)) = division.next_supplier() {
        let (due, has_any) = due_of(conn, &open[place], at, share)?;
        // A supplier with unreadable rows only counts as served too: otherwise the suppliers after it would
        // starve.
        if has_any {
            last_served = last_served.max(Some(place));
        }
        division.took(due.len());
        taken.extend(due.into_iter().enumerate());
    }
    if let Some(place) = last_served {
        hints.set_last_served(open[place].id);
    }
    // The sort is stable, so each round keeps the order of the suppliers.
    taken.sort_by_key(|(round, _)| *round);
    Ok(taken.into_iter().map(|(_, process)| process).collect())
}

/// The purpose of a query of the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// To read processes.
    Read,
    /// To change processes: those that others are changing are left out without waiting.
    Change,
}

/// Returns processes of suppliers, one supplier after another, that match a condition and whose time in a
/// column has passed.
macro_rules! overdue {
    (
        $conn:ident, $suppliers:expr, $condition:ident, $group:ident.$column:ident,
        $before:ident, $limit:ident, $sweep:ident
    ) => {{
        let (before, mut left) = (Timestamp::from($before), i64::from($limit));
        let mut overdue = Vec::new();
        for OverdueSupplier { id, code, first } in $suppliers {
            let first = Page { after: IndexPosition::before(first), limit: left };
            let load = |conn: &mut Conn, page: Page| {
                let rows = processes::table
                    .filter($condition)
                    .filter(processes::supplier_id.eq(id))
                    .filter(processes::$column.lt(before));
                Ok(match $sweep {
                    Sweep::Read => page_of!(rows, $column, page).load(conn)?,
                    Sweep::Change => for_claim!(page_of!(rows, $column, page)).load(conn)?,
                })
            };
            let of_supplier = readable($conn, &code, first, load, |row| row.$group.$column)?;
            left -= fit::<_, i64>(of_supplier.len())?;
            overdue.extend(of_supplier);
            if left == 0 {
                break;
            }
        }
        Ok(overdue)
    }};
}

pub(super) fn expired_leases(
    conn: &mut Conn,
    hints: &ClaimHints,
    before: DateTime<Utc>,
    limit: u32,
    sweep: Sweep,
) -> Result<Vec<StoredProcess>> {
    let suppliers = Dialect::expired_leases(conn, hints, before)?;
    overdue!(conn, suppliers, IsRunning, outcome.lease_until, before, limit, sweep)
}

statement! {
    /// Suppliers that are not held, with a window that has closed. The first window of each is looked up on its own: for all of
    /// them together a planner would read the table.
    Missed { before: Timestamp } -> (BigInt, Text)
        = "SELECT s.id, s.code FROM suppliers s WHERE s.status = 'Ongoing' AND NOT EXISTS (\
            SELECT 1 FROM supplier_gates g WHERE g.supplier_id = s.id AND g.held_by IS NOT NULL) AND (\
            SELECT p.window_end FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
            AND p.window_end IS NOT NULL ORDER BY p.window_end LIMIT 1) < " before
}

pub(super) fn missed_windows(
    conn: &mut Conn,
    before: DateTime<Utc>,
    limit: u32,
    sweep: Sweep,
) -> Result<Vec<StoredProcess>> {
    let suppliers: Vec<(i64, String)> = Missed { before: before.into() }.load(conn)?;
    let first = Timestamp::FIRST;
    let suppliers = suppliers.into_iter().map(|(id, code)| OverdueSupplier { id, code, first });
    overdue!(conn, suppliers, HasWindow, status.window_end, before, limit, sweep)
}
