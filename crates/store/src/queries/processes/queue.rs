//! The queue that workers claim from, and what the sweep looks for. Every query here reads an index of
//! the few rows that it is about: none costs more because more processes have ended, or wait.

use super::super::dialect::{self, Db, columns};
use super::super::schema::{processes, suppliers};
use super::super::statement::Bind;
use super::super::types::{Timestamp, instant};
use super::super::{Conn, fit};
use super::row::{ProcessRow, StoredRow};
use super::{restored, stored};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::StoredProcess;
use cutover_core::SupplierStatus;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

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

/// In turn between suppliers, and each of them alike: what one lacks of its share goes to those after
/// it. The suppliers that were served go behind the others.
pub(super) fn due(conn: &mut Conn, at: DateTime<Utc>, limit: u32) -> Result<Vec<StoredProcess>> {
    let (at, limit) = (Timestamp::from(at), i64::from(limit));
    let open: Vec<OpenSupplier> = OpenSuppliers { limit, at, most: limit }.load(conn)?;
    let open = dialect::hold_bounded(conn, open)?;
    let mut suppliers = fit::<_, i64>(open.len())?;
    let mut left = limit;
    let mut taken = Vec::new();
    for supplier in &open {
        let share = (left + suppliers - 1) / suppliers;
        let rows: Vec<ProcessRow<'static>> = due_of!(supplier.id, at, share.min(supplier.room)).load(conn)?;
        let rows = restored(rows.into_iter().map(|row| StoredRow::new(row, &supplier.code)));
        left -= fit::<_, i64>(rows.len())?;
        suppliers -= 1;
        taken.extend(rows.into_iter().enumerate());
    }
    set_behind(conn, &open)?;
    // Stable: within a round, the suppliers keep their turns.
    taken.sort_by_key(|(round, _)| *round);
    Ok(taken.into_iter().map(|(_, process)| process).collect())
}

/// Sets suppliers behind all others. One that another node serves at the same time is set so by that one.
fn set_behind(conn: &mut Conn, served: &[OpenSupplier]) -> Result<()> {
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
        stored!()
            .filter(IsRunning)
            .filter(processes::lease_until.lt($before))
            .order(processes::lease_until)
            .limit($limit)
    };
}

pub(super) fn expired_leases(
    conn: &mut Conn,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<StoredProcess>> {
    Ok(restored(leases!(Timestamp::from(before), i64::from(limit)).load(conn)?.into_iter()))
}

macro_rules! windows {
    ($before:expr, $limit:expr) => {
        stored!()
            .filter(suppliers::status.eq(SupplierStatus::Ongoing.as_str()))
            .filter(HasWindow)
            .filter(processes::window_end.lt($before))
            .limit($limit)
    };
}

pub(super) fn missed_windows(
    conn: &mut Conn,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<StoredProcess>> {
    Ok(restored(windows!(Timestamp::from(before), i64::from(limit)).load(conn)?.into_iter()))
}
