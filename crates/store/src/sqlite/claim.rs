//! Queries of claims over all suppliers. SQLite keeps no index entries of changed rows, so they read an index
//! from its start and need no hints.

use super::dialect::{Conn, Db};
use super::queries::fit;
use super::queries::processes::queue::{FirstPending, OpenSupplier, OverdueSupplier};
use super::queries::statement::Bind;
use super::queries::types::{Timestamp, instant};
use crate::claim_hints::ClaimHints;
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// The time at which the first pending process of the supplier `s` is due.
const FIRST_DUE: &str = "(SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
    ORDER BY p.due_at, p.id LIMIT 1)";

/// The time at which the first account of the full wave of the supplier `s` is due again.
const DUE_AGAIN: &str = "(SELECT min(p.due_at) FROM wave_accounts w JOIN processes p ON p.id = w.process_id \
    WHERE w.supplier_id = s.id AND w.is_open = TRUE AND p.state = 'PENDING')";

/// The gate `g` of the supplier `s`, if it has one.
const GATE: &str = " LEFT JOIN supplier_gates g ON g.supplier_id = s.id ";

/// The number of running imports of the supplier `s`.
const RUNNING: &str =
    "(SELECT count(*) FROM processes r WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS')";

statement! {
    /// Ongoing suppliers that are not held, with keys above one and up to another, that have a process due and may
    /// import more.
    Open { limit: i64, above: i64, to: i64, at: Timestamp, most: i64 }
        -> (BigInt, Text, BigInt, Bool, columns::Instant, Bool, Bool)
        = "SELECT id, code, min(room, coalesce(wave_room, room)) AS room, is_bounded, first_due, is_gated, \
            is_wave_full FROM (\
            SELECT s.id, s.code, s.max_concurrent_imports IS NOT NULL AS is_bounded, \
            CASE WHEN s.max_concurrent_imports IS NULL THEN " limit
            " ELSE s.max_concurrent_imports - " (RUNNING) " END AS room, CASE WHEN g.claimed >= g.wave_size THEN " (DUE_AGAIN) " ELSE " (FIRST_DUE) " END AS first_due, \
            g.supplier_id IS NOT NULL AS is_gated, coalesce(g.claimed >= g.wave_size, 0) AS is_wave_full, \
            CASE WHEN g.claimed < g.wave_size THEN g.wave_size - g.claimed END AS wave_room \
            FROM suppliers s" (GATE) "WHERE s.status = 'Ongoing' AND g.held_by IS NULL AND s.id > " above " AND s.id <= " to
            " ORDER BY s.id LIMIT -1 OFFSET 0) AS open WHERE first_due <= " at " AND room > 0 LIMIT " most
}

statement! {
    Pending {} -> (BigInt, Text, Text, Nullable<columns::Instant>)
        = "SELECT s.id, s.code, s.status, " (FIRST_DUE) " FROM suppliers s ORDER BY s.id"
}

pub(super) fn first_pending(conn: &mut Conn) -> Result<Vec<FirstPending>> {
    Ok(Pending {}.load(conn)?)
}

statement! {
    NextDue {} -> Nullable<columns::Instant>
        = "SELECT min(due_at) FROM (SELECT CASE WHEN g.claimed >= g.wave_size THEN " (DUE_AGAIN) " ELSE "
            (FIRST_DUE) " END AS due_at FROM suppliers s" (GATE) "WHERE \
            s.status = 'Ongoing' AND g.held_by IS NULL AND (s.max_concurrent_imports IS NULL OR s.max_concurrent_imports > " (RUNNING)
            ")) AS next"
}

/// Returns the suppliers after the last served, then those before it.
pub(super) fn open_suppliers(
    conn: &mut Conn,
    hints: &ClaimHints,
    at: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OpenSupplier>> {
    let (last, at) = (hints.last_served(), Timestamp::from(at));
    let mut open: Vec<OpenSupplier> = Vec::new();
    for (above, to) in [(last, i64::MAX), (0, last)] {
        let most = limit - fit::<_, i64>(open.len())?;
        if most > 0 {
            open.extend(Open { limit, above, to, at, most }.load(conn)?);
        }
    }
    Ok(open)
}

statement! {
    Leases { before: Timestamp } -> (BigInt, Text, columns::Instant)
        = "SELECT id, code, first FROM (SELECT s.id, s.code, (SELECT r.lease_until FROM processes r \
            WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS' ORDER BY r.lease_until, r.id LIMIT 1) AS first \
            FROM suppliers s LIMIT -1 OFFSET 0) AS leases WHERE first < " before
}

pub(super) fn expired_leases(conn: &mut Conn, before: DateTime<Utc>) -> Result<Vec<OverdueSupplier>> {
    Ok(Leases { before: before.into() }.load(conn)?)
}

pub(super) fn next_due_at(conn: &mut Conn) -> Result<Option<DateTime<Utc>>> {
    instant(NextDue {}.get_result(conn)?)
}
