//! The queue that workers claim from, and what the sweep looks for. Every query here reads an index of
//! the few rows that it is about: none costs more because more processes have ended, or wait.

use super::super::dialect::{self, Db, columns};
use super::super::schema::{processes, suppliers};
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use super::super::{Conn, fit};
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
    /// Suppliers in turn that have a process due and may import more: how many more, and whether they are
    /// bounded at all.
    OpenSuppliers { limit: i64, at: Timestamp, most: i64 } -> (BigInt, Text, BigInt, Bool)
        = "SELECT id, code, room, max_concurrent_imports IS NOT NULL FROM (\
            SELECT s.id, s.code, s.claim_turn, s.max_concurrent_imports, coalesce(s.max_concurrent_imports - (\
            SELECT count(*) FROM processes r WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS'), "
            limit ") AS room FROM suppliers s WHERE s.status = 'Ongoing' AND EXISTS (\
            SELECT 1 FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' AND p.due_at <= "
            at ")) AS due WHERE room > 0 ORDER BY claim_turn, id LIMIT " most
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
}

/// What is due of one supplier, first due first.
macro_rules! due_of {
    ($supplier:expr, $at:expr, $limit:expr) => {
        for_claim!(
            processes::table
                .filter(IsPending)
                .filter(processes::supplier_id.eq($supplier))
                .filter(processes::due_at.le($at))
                .order((processes::due_at, processes::id))
                .limit($limit)
                .select(ProcessRow::as_select())
        )
    };
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
        let rows: Vec<ProcessRow<'static>> = due_of!(supplier.id, at, share.min(supplier.room)).load(conn)?;
        // What cannot be read counts: it must not keep the suppliers behind from their turn.
        served.extend((!rows.is_empty()).then_some(supplier));
        let rows = restored(rows.into_iter().map(|row| StoredRow::new(row, &supplier.code)));
        left -= fit::<_, i64>(rows.len())?;
        suppliers = (suppliers - 1).max(1);
        taken.extend(rows.into_iter().enumerate());
    }
    set_behind(conn, &served)?;
    // Stable: within a round, the suppliers keep their turns.
    taken.sort_by_key(|(round, _)| *round);
    Ok(taken.into_iter().map(|(_, process)| process).collect())
}

/// Sets suppliers behind all others. One that another node serves at the same time is set so by that one.
fn set_behind(conn: &mut Conn, served: &[&OpenSupplier]) -> Result<()> {
    if served.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = served.iter().map(|supplier| supplier.id.to_string()).collect();
    conn.batch_execute(&format!(
        "UPDATE suppliers SET claim_turn = (SELECT max(s.claim_turn) + 1 FROM suppliers s) WHERE id IN (\
         SELECT id FROM suppliers WHERE id IN ({}){})",
        ids.join(", "),
        dialect::SKIP_LOCKED,
    ))?;
    Ok(())
}

statement! {
    /// When each supplier that may import more has its next process due; the earliest of these.
    NextDue {} -> Nullable<columns::Instant>
        = "SELECT min(due_at) FROM (SELECT (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id \
            AND p.state = 'PENDING' ORDER BY p.due_at, p.id LIMIT 1) AS due_at FROM suppliers s WHERE \
            s.status = 'Ongoing' AND (s.max_concurrent_imports IS NULL OR s.max_concurrent_imports > (\
            SELECT count(*) FROM processes r WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS'))) \
            AS next"
}

pub(super) fn next_due_at(conn: &mut Conn) -> Result<Option<DateTime<Utc>>> {
    instant(NextDue {}.get_result(conn)?)
}

macro_rules! leases {
    ($before:expr, $limit:expr) => {
        processes::table
            .filter(IsRunning)
            .filter(processes::lease_until.lt($before))
            .order(processes::lease_until)
            .limit($limit)
            .select(ProcessRow::as_select())
    };
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
    let (before, limit) = (Timestamp::from(before), i64::from(limit));
    let rows: Vec<ProcessRow<'static>> = match sweep {
        Sweep::Look => leases!(before, limit).load(conn)?,
        Sweep::Change => for_claim!(leases!(before, limit)).load(conn)?,
    };
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

macro_rules! windows_of {
    ($supplier:expr, $before:expr, $limit:expr) => {
        processes::table
            .filter(HasWindow)
            .filter(processes::supplier_id.eq($supplier))
            .filter(processes::window_end.lt($before))
            .order(processes::window_end)
            .limit($limit)
            .select(ProcessRow::as_select())
    };
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
        let rows: Vec<ProcessRow<'static>> = match sweep {
            Sweep::Look => windows_of!(id, before, left).load(conn)?,
            Sweep::Change => for_claim!(windows_of!(id, before, left)).load(conn)?,
        };
        left -= fit::<_, i64>(rows.len())?;
        missed.extend(restored(rows.into_iter().map(|row| StoredRow::new(row, &code))));
        if left == 0 {
            break;
        }
    }
    Ok(missed)
}
