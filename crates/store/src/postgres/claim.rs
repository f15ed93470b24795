//! Queries of claims over all suppliers.

use super::dialect::{Conn, Db};
use super::queries::processes::queue::{FirstPending, OpenSupplier, OverdueSupplier};
use super::queries::statement::Bind;
use super::queries::types::{Timestamp, instant};
use crate::claim_hints::{Bounds, ClaimHints};
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_process::LEASE;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use std::collections::HashMap;

/// A time before every process.
macro_rules! epoch {
    () => {
        "'1970-01-01 00:00:00+00'::TIMESTAMPTZ"
    };
}

/// The time from its hint `h` on at which the first pending process of the supplier `s` is due.
const FIRST_DUE: &str = concat!(
    "(SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
    AND p.due_at >= coalesce(h.due_from, ",
    epoch!(),
    ") ORDER BY p.due_at, p.id LIMIT 1)"
);

/// The end of the first lease of the supplier `s` from its hint `h` on.
const FIRST_LEASE: &str = concat!(
    "(SELECT r.lease_until FROM processes r WHERE r.supplier_id = s.id \
    AND r.state = 'IN_PROGRESS' AND r.lease_until >= coalesce(h.leases_from, ",
    epoch!(),
    ") ORDER BY r.lease_until, r.id LIMIT 1)"
);

/// The leases of the supplier `s` from its hint `h` on. The order makes the planner read their index and no
/// other, even if the table was empty when it planned.
const RUNNING: &str = concat!(
    "(SELECT r.lease_until FROM processes r WHERE r.supplier_id = s.id \
    AND r.state = 'IN_PROGRESS' AND r.lease_until >= coalesce(h.leases_from, ",
    epoch!(),
    ") ORDER BY r.lease_until, r.id OFFSET 0) AS running"
);

/// The time at which the first account of the full wave of the supplier `s` is due again.
const DUE_AGAIN: &str = "(SELECT min(p.due_at) FROM wave_accounts w JOIN processes p ON p.id = w.process_id \
    WHERE w.supplier_id = s.id AND w.is_open = TRUE AND p.state = 'PENDING')";

/// The gate `g` of the supplier `s`, if it has one.
const GATE: &str = " LEFT JOIN supplier_gates g ON g.supplier_id = s.id ";

/// Locks the selected rows, without those that others have locked.
const SKIP_LOCKED: &str = " FOR NO KEY UPDATE SKIP LOCKED";

statement! {
    /// Ongoing suppliers that are not held, have a process due and may import more, with the time at which it is due. The
    /// first one is the one after the last served. OFFSET keeps the planner from reading an index once for
    /// each use of the result.
    Open {
        ids: Vec<i64>,
        due_from: Vec<Option<Timestamp>>,
        leases_from: Vec<Option<Timestamp>>,
        limit: i64,
        last: i64,
        at: Timestamp,
    } -> (BigInt, Text, BigInt, Bool, columns::Instant, Bool, Bool)
        = "SELECT id, code, room, is_bounded, first_due, is_gated, is_wave_full FROM (\
            SELECT s.id, s.code, s.max_concurrent_imports IS NOT NULL AS is_bounded, \
            CASE WHEN s.max_concurrent_imports IS NULL THEN " limit
            " ELSE s.max_concurrent_imports - (SELECT count(*) FROM " (RUNNING) ") END AS room, \
            CASE WHEN g.claimed >= g.wave_size THEN " (DUE_AGAIN) " ELSE " (FIRST_DUE) " END AS first_due, \
            g.supplier_id IS NOT NULL AS is_gated, coalesce(g.claimed >= g.wave_size, FALSE) AS is_wave_full \
            FROM suppliers s LEFT JOIN unnest(" ids ", " due_from ", " leases_from ") \
            AS h (id, due_from, leases_from) ON h.id = s.id" (GATE) "\
            WHERE s.status = 'Ongoing' AND g.held_by IS NULL OFFSET 0) AS open \
            WHERE first_due <= " at " AND room > 0 ORDER BY id <= " last ", id"
}

statement! {
    /// Ongoing suppliers that are not held and may import more, with the time at which their first process is due.
    FirstOfAll { ids: Vec<i64>, due_from: Vec<Option<Timestamp>>, leases_from: Vec<Option<Timestamp>> }
        -> (BigInt, Nullable<columns::Instant>, Bool)
        = "SELECT s.id, CASE WHEN g.claimed >= g.wave_size THEN " (DUE_AGAIN) " ELSE " (FIRST_DUE) " END, \
            coalesce(g.claimed >= g.wave_size, FALSE) \
            FROM suppliers s LEFT JOIN unnest(" ids ", " due_from ", " leases_from ") \
            AS h (id, due_from, leases_from) ON h.id = s.id" (GATE) "WHERE s.status = 'Ongoing' AND g.held_by IS NULL \
            AND (s.max_concurrent_imports IS NULL OR s.max_concurrent_imports > (SELECT count(*) FROM " (RUNNING) "))"
}

statement! {
    Pending { ids: Vec<i64>, due_from: Vec<Option<Timestamp>> } -> (BigInt, Text, Text, Nullable<columns::Instant>)
        = "SELECT s.id, s.code, s.status, " (FIRST_DUE) " FROM suppliers s LEFT JOIN unnest(" ids ", " due_from ") \
            AS h (id, due_from) ON h.id = s.id ORDER BY s.id"
}

pub(super) fn first_pending(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
) -> Result<Vec<FirstPending>> {
    let Columns { ids, due_from, .. } = Columns::of(&hints.bounds(at));
    Ok(Pending { ids, due_from }.load(conn)?)
}

statement! {
    /// Those of the suppliers that nobody else is claiming from. The first one is the one after the last
    /// served.
    LockIdle { ids: Vec<i64>, last: i64, limit: i64 } -> BigInt
        = "SELECT id FROM suppliers WHERE id = ANY(" ids ") ORDER BY id <= " last ", id LIMIT " limit (SKIP_LOCKED)
}

statement! {
    /// Locks gates and returns whether each supplier is held, and how many accounts its wave may still claim.
    LockGates { ids: Vec<i64> } -> (BigInt, Bool, Nullable<BigInt>)
        = "SELECT supplier_id, held_by IS NOT NULL, wave_size - claimed FROM supplier_gates \
            WHERE supplier_id = ANY(" ids ") ORDER BY supplier_id FOR NO KEY UPDATE"
}

statement! {
    /// The number of imports that each supplier may still start, and the end of its first lease.
    Room { ids: Vec<i64>, leases_from: Vec<Option<Timestamp>> } -> (BigInt, BigInt, Nullable<columns::Instant>)
        = "SELECT s.id, s.max_concurrent_imports - r.imports, r.first FROM unnest(" ids ", " leases_from ") \
            AS h (id, leases_from) JOIN suppliers s ON s.id = h.id CROSS JOIN LATERAL (\
            SELECT count(*) AS imports, min(lease_until) AS first FROM " (RUNNING) ") r"
}

statement! {
    /// Suppliers with the end of their first lease, if one of their imports is running.
    Leases { ids: Vec<i64>, leases_from: Vec<Option<Timestamp>> } -> (BigInt, Text, Nullable<columns::Instant>)
        = "SELECT s.id, s.code, " (FIRST_LEASE) " FROM suppliers s LEFT JOIN unnest(" ids ", " leases_from ") \
            AS h (id, leases_from) ON h.id = s.id"
}

/// Also notes the first lease of each supplier in the hints.
pub(super) fn expired_leases(
    conn: &mut Conn,
    hints: &ClaimHints,
    before: DateTime<Utc>,
) -> Result<Vec<OverdueSupplier>> {
    let Columns { ids, leases_from, .. } = Columns::of(&hints.bounds(before));
    let rows: Vec<(i64, String, Option<Timestamp>)> = Leases { ids, leases_from }.load(conn)?;
    let mut expired = Vec::new();
    for (id, code, first) in rows {
        let first = instant(first)?;
        hints.set_first_lease(id, first.map_or(before, |first| first.min(before)), before);
        if let Some(first) = first.filter(|first| *first < before) {
            expired.push(OverdueSupplier { id, code, first: first.into() });
        }
    }
    Ok(expired)
}

/// The bounds of suppliers, an array for each column.
struct Columns {
    ids: Vec<i64>,
    due_from: Vec<Option<Timestamp>>,
    leases_from: Vec<Option<Timestamp>>,
}

impl Columns {
    fn of(bounds: &[Bounds]) -> Self {
        Self {
            ids: bounds.iter().map(|bounds| bounds.supplier_id).collect(),
            due_from: bounds.iter().map(|bounds| bounds.due_from.map(Timestamp::from)).collect(),
            leases_from: bounds.iter().map(|bounds| bounds.leases_from.map(Timestamp::from)).collect(),
        }
    }
}

/// Locks the suppliers that have a limit: nobody else claims from them until this transaction ends.
pub(super) fn open_suppliers(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OpenSupplier>> {
    let bounds = hints.bounds(at);
    let Columns { ids, due_from, leases_from } = Columns::of(&bounds);
    let last = hints.last_served();
    let open = Open { ids, due_from, leases_from, limit, last, at: at.into() };
    let open: Vec<OpenSupplier> = open.load(conn)?;
    // The first process of a full wave is not the first that is pending.
    for supplier in open.iter().filter(|supplier| !supplier.is_wave_full) {
        hints.set_first_due(supplier.id, supplier.first_due.instant()?, at);
    }
    let bounded: Vec<i64> = open.iter().filter(|s| s.is_bounded).map(|s| s.id).collect();
    if bounded.is_empty() {
        return through_gates(conn, open);
    }
    let ids: Vec<i64> = LockIdle { ids: bounded, last, limit }.load(conn)?;
    let room = room(conn, hints, ids, &bounds, at)?;
    let held = open.into_iter().filter_map(|supplier| {
        let left = if supplier.is_bounded { *room.get(&supplier.id)? } else { supplier.room };
        (left > 0).then_some(OpenSupplier { room: left.min(supplier.room), ..supplier })
    });
    let held = held.collect();
    through_gates(conn, held)
}

/// Locks the gates of suppliers until this transaction ends, and leaves out suppliers that may not import now. Others
/// may have held them, or filled their wave, since they were read.
fn through_gates(conn: &mut Conn, open: Vec<OpenSupplier>) -> Result<Vec<OpenSupplier>> {
    let ids: Vec<i64> =
        open.iter().filter(|supplier| supplier.is_gated).map(|supplier| supplier.id).collect();
    if ids.is_empty() {
        return Ok(open);
    }
    let rows: Vec<(i64, bool, Option<i64>)> = LockGates { ids }.load(conn)?;
    let gates: HashMap<i64, (bool, Option<i64>)> =
        rows.into_iter().map(|(id, is_held, room)| (id, (is_held, room))).collect();
    let through = open.into_iter().filter_map(|supplier| match gates.get(&supplier.id) {
        Some((true, _)) => None,
        Some((false, Some(room))) if !supplier.is_wave_full => {
            (*room > 0).then_some(OpenSupplier { room: supplier.room.min(*room), ..supplier })
        }
        _ => Some(supplier),
    });
    Ok(through.collect())
}

/// Returns how many imports these suppliers may still start. Others may have taken some of those that were
/// counted before the suppliers were locked.
fn room(
    conn: &mut Conn,
    hints: &ClaimHints,
    ids: Vec<i64>,
    bounds: &[Bounds],
    at: DateTime<Utc>,
) -> Result<HashMap<i64, i64>> {
    let leases: HashMap<i64, _> = bounds.iter().map(|of| (of.supplier_id, of.leases_from)).collect();
    let leases_from = ids.iter().map(|id| Some(Timestamp::from((*leases.get(id)?)?))).collect();
    let rows: Vec<(i64, i64, Option<Timestamp>)> = Room { ids, leases_from }.load(conn)?;
    let mut room = HashMap::new();
    for (id, left, first) in rows {
        // A new lease ends after those that are running, or a whole lease from now.
        let first = first.map_or(Ok(at + LEASE), Timestamp::instant)?;
        hints.set_first_lease(id, first.min(at + LEASE), at);
        room.insert(id, left);
    }
    Ok(room)
}

/// Also notes the first due process of each supplier in the hints.
pub(super) fn next_due_at(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let Columns { ids, due_from, leases_from } = Columns::of(&hints.bounds(at));
    let rows: Vec<(i64, Option<Timestamp>, bool)> = FirstOfAll { ids, due_from, leases_from }.load(conn)?;
    let mut next = None;
    for (supplier_id, due_at, is_wave_full) in rows {
        let due_at = instant(due_at)?;
        if !is_wave_full {
            // A process that is added later is due now at the earliest.
            hints.set_first_due(supplier_id, due_at.map_or(at, |due_at| due_at.min(at)), at);
        }
        next = next.into_iter().chain(due_at).min();
    }
    Ok(next)
}
