//! The queue that workers claim from, and what the sweep looks for. Every query here reads an index of
//! the few rows that it is about: none costs more because more processes have ended, or wait.

use super::super::dialect::{self, Db, columns};
use super::super::schema::{processes, suppliers};
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use super::super::{Conn, fit};
use super::readable::{Page, Place, readable};
use super::restored;
use super::row::{ProcessRow, StoredRow};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::StoredProcess;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use std::collections::{BTreeSet, HashMap};

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

statement! {
    /// Suppliers in turn that have a process due and may import more: how many more, whether they are bounded at
    /// all, and from when on to look for what is due. What runs is counted where there is a bound.
    OpenSuppliers { limit: i64, at: Timestamp, most: i64 } -> (BigInt, Text, BigInt, Bool, columns::Instant)
        = "SELECT id, code, room, max_concurrent_imports IS NOT NULL, due_from FROM (\
            SELECT s.id, s.code, s.claim_turn, s.max_concurrent_imports, coalesce(s.due_from, "
            (dialect::FIRST) ") AS due_from, CASE WHEN s.max_concurrent_imports IS NULL THEN " limit
            " ELSE s.max_concurrent_imports - (SELECT count(*) FROM processes r \
            WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS') END AS room \
            FROM suppliers s WHERE s.status = 'Ongoing' AND (\
            SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
            AND p.due_at >= coalesce(s.due_from, " (dialect::FIRST) ") ORDER BY p.due_at, p.id LIMIT 1) <= "
            at ") AS due WHERE room > 0 ORDER BY claim_turn, id LIMIT " most
}

/// A supplier that has a process due and may import more.
#[derive(Debug, Queryable)]
pub(crate) struct OpenSupplier {
    pub(crate) id: i64,
    pub(crate) code: String,
    /// How many more.
    pub(crate) room: i64,
    /// Whether there is a bound.
    pub(crate) is_bounded: bool,
    /// Nothing that waits is due before.
    pub(crate) due_from: Timestamp,
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

/// What is due of a supplier, first due first, at most so many; and whether there was any row, readable or not.
fn due_of(
    conn: &mut Conn,
    supplier: &OpenSupplier,
    at: Timestamp,
    limit: i64,
) -> Result<(Vec<StoredProcess>, bool)> {
    let mut has_any = false;
    let first = Page { behind: Place::before(supplier.due_from), limit };
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
/// what is due of it, goes to those after it. The suppliers that were served go behind the others.
pub(super) fn due(conn: &mut Conn, at: DateTime<Utc>, limit: u32) -> Result<Vec<StoredProcess>> {
    let (at, limit) = (Timestamp::from(at), i64::from(limit));
    let open: Vec<OpenSupplier> = OpenSuppliers { limit, at, most: dialect::looked_at(limit) }.load(conn)?;
    let open = dialect::hold_bounded(conn, open, limit)?;
    let mut suppliers = fit::<_, i64>(open.len())?.min(limit);
    let (mut left, mut taken, mut served) = (limit, Vec::new(), Vec::new());
    for supplier in &open {
        if left == 0 {
            break;
        }
        let share = (left + suppliers - 1) / suppliers;
        let (due, has_any) = due_of(conn, supplier, at, share.min(supplier.room))?;
        // What cannot be read counts: it must not keep the suppliers behind from their turn.
        served.extend(has_any.then_some(supplier));
        left -= fit::<_, i64>(due.len())?;
        suppliers = (suppliers - 1).max(1);
        taken.extend(due.into_iter().enumerate());
    }
    set_behind(conn, &served)?;
    // Stable: within a round, the suppliers keep their turns.
    taken.sort_by_key(|(round, _)| *round);
    Ok(taken.into_iter().map(|(_, process)| process).collect())
}

/// Sets suppliers behind all others, and what is looked through of them behind what was claimed: a little before
/// the first that waits still in the eyes of others, for what is due earlier may be committed later. One that
/// another node serves at the same time is set so by that one.
fn set_behind(conn: &mut Conn, served: &[&OpenSupplier]) -> Result<()> {
    if served.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = served.iter().map(|supplier| supplier.id.to_string()).collect();
    conn.batch_execute(&format!(
        "UPDATE suppliers SET claim_turn = (SELECT max(s.claim_turn) + 1 FROM suppliers s), \
         due_from = coalesce((SELECT p.due_at{late} FROM processes p WHERE p.supplier_id = suppliers.id \
         AND p.state = 'PENDING' AND p.due_at >= coalesce(suppliers.due_from, {first}) \
         ORDER BY p.due_at, p.id LIMIT 1), due_from) WHERE id IN (\
         SELECT id FROM suppliers WHERE id IN ({ids}){skip})",
        late = dialect::EARLIER,
        first = dialect::FIRST,
        ids = ids.join(", "),
        skip = dialect::SKIP_LOCKED,
    ))?;
    Ok(())
}

statement! {
    /// When each supplier that may import more has its next process due; the earliest of these.
    NextDue {} -> Nullable<columns::Instant>
        = "SELECT min(due_at) FROM (SELECT (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id \
            AND p.state = 'PENDING' AND p.due_at >= coalesce(s.due_from, " (dialect::FIRST) ") \
            ORDER BY p.due_at, p.id LIMIT 1) AS due_at FROM suppliers s WHERE \
            s.status = 'Ongoing' AND (s.max_concurrent_imports IS NULL OR s.max_concurrent_imports > (\
            SELECT count(*) FROM processes r WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS'))) \
            AS next"
}

pub(super) fn next_due_at(conn: &mut Conn) -> Result<Option<DateTime<Utc>>> {
    instant(NextDue {}.get_result(conn)?)
}

statement! {
    /// Suppliers of which something waits that is due before what claims look at. Everything in the index is looked
    /// through for it.
    Late {} -> BigInt
        = "SELECT s.id FROM suppliers s WHERE s.due_from IS NOT NULL AND (SELECT p.due_at FROM processes p \
            WHERE p.supplier_id = s.id AND p.state = 'PENDING' ORDER BY p.due_at, p.id LIMIT 1) < s.due_from"
}

pub(super) fn late(conn: &mut Conn) -> Result<Vec<i64>> {
    Ok(Late {}.load(conn)?)
}

/// Claims look at all that waits of these suppliers again.
pub(super) fn look_at_all(conn: &mut Conn, supplier_ids: &[i64]) -> Result<()> {
    let rows = suppliers::table.filter(suppliers::id.eq_any(supplier_ids));
    diesel::update(rows).set(suppliers::due_from.eq(None::<Timestamp>)).execute(conn)?;
    Ok(())
}

/// What a query of the sweep is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// To know of it.
    Look,
    /// To change it: what others are changing is passed over, not waited for.
    Change,
}

pub(super) fn expired_leases(
    conn: &mut Conn,
    before: DateTime<Utc>,
    limit: u32,
    sweep: Sweep,
) -> Result<Vec<StoredProcess>> {
    let before = Timestamp::from(before);
    readable(
        conn,
        Page { behind: Place::FIRST, limit: i64::from(limit) },
        |conn, page| {
            let leases = processes::table.filter(IsRunning).filter(processes::lease_until.lt(before));
            Ok(match sweep {
                Sweep::Look => rows_behind!(leases, lease_until, page).load(conn)?,
                Sweep::Change => for_claim!(rows_behind!(leases, lease_until, page)).load(conn)?,
            })
        },
        |row| row.lease_until,
        with_suppliers,
    )
}

/// Processes of any suppliers.
fn with_suppliers(conn: &mut Conn, rows: Vec<ProcessRow<'static>>) -> Result<Vec<StoredProcess>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: BTreeSet<i64> = rows.iter().map(|row| row.supplier_id).collect();
    let codes = suppliers::table.filter(suppliers::id.eq_any(ids)).select((suppliers::id, suppliers::code));
    let codes: HashMap<i64, String> = codes.load(conn)?.into_iter().collect();
    let rows = rows.into_iter().filter_map(|row| Some((codes.get(&row.supplier_id)?, row)));
    Ok(restored(rows.map(|(code, row)| StoredRow::new(row, code))))
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
