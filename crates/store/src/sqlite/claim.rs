//! What claims read of all suppliers at once. SQLite keeps no index entries of rows that have changed, so claims begin
//! at the start of an index.

use super::dialect::{Conn, Db, columns};
use super::queries::fit;
use super::queries::processes::queue::{FirstLease, FirstPending, OpenSupplier};
use super::queries::statement::Bind;
use super::queries::types::{Timestamp, instant};
use crate::claim_hints::ClaimHints;
use crate::error::Result;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

statement! {
    /// Ongoing suppliers with keys above one and up to another that have a process due and may import more.
    Open { limit: i64, above: i64, to: i64, at: Timestamp, most: i64 }
        -> (BigInt, Text, BigInt, Bool, columns::Instant)
        = "SELECT id, code, room, is_bounded, first_due FROM (\
            SELECT s.id, s.code, s.max_concurrent_imports IS NOT NULL AS is_bounded, \
            CASE WHEN s.max_concurrent_imports IS NULL THEN " limit
            " ELSE s.max_concurrent_imports - (SELECT count(*) FROM processes r \
            WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS') END AS room, \
            (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id AND p.state = 'PENDING' \
            ORDER BY p.due_at, p.id LIMIT 1) AS first_due \
            FROM suppliers s WHERE s.status = 'Ongoing' AND s.id > " above " AND s.id <= " to
            " ORDER BY s.id LIMIT -1 OFFSET 0) AS open WHERE first_due <= " at " AND room > 0 LIMIT " most
}

statement! {
    /// All suppliers with their first pending process.
    Pending {} -> (BigInt, Text, Text, Nullable<columns::Instant>)
        = "SELECT s.id, s.code, s.status, (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id \
            AND p.state = 'PENDING' ORDER BY p.due_at, p.id LIMIT 1) FROM suppliers s ORDER BY s.id"
}

/// All suppliers with their first pending process.
pub(crate) fn first_pending(conn: &mut Conn, _: &ClaimHints, _: DateTime<Utc>) -> Result<Vec<FirstPending>> {
    Ok(Pending {}.load(conn)?)
}

statement! {
    /// When the next process of an Ongoing supplier is due that may import more.
    NextDue {} -> Nullable<columns::Instant>
        = "SELECT min(due_at) FROM (SELECT (SELECT p.due_at FROM processes p WHERE p.supplier_id = s.id \
            AND p.state = 'PENDING' ORDER BY p.due_at, p.id LIMIT 1) AS due_at FROM suppliers s WHERE \
            s.status = 'Ongoing' AND (s.max_concurrent_imports IS NULL OR s.max_concurrent_imports > (\
            SELECT count(*) FROM processes r WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS'))) \
            AS next"
}

/// Suppliers in turn that have a process due and may import more, at most `limit`: those behind the last served, then
/// those before it.
pub(crate) fn open_suppliers(
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
    /// Suppliers of which a lease ended before a time, with the end of the first.
    Leases { before: Timestamp } -> (BigInt, Text, columns::Instant)
        = "SELECT id, code, first FROM (SELECT s.id, s.code, (SELECT r.lease_until FROM processes r \
            WHERE r.supplier_id = s.id AND r.state = 'IN_PROGRESS' ORDER BY r.lease_until, r.id LIMIT 1) AS first \
            FROM suppliers s LIMIT -1 OFFSET 0) AS leases WHERE first < " before
}

/// Suppliers of which a lease ended before a time.
pub(crate) fn expired_leases(
    conn: &mut Conn,
    _: &ClaimHints,
    before: DateTime<Utc>,
) -> Result<Vec<FirstLease>> {
    let rows: Vec<(i64, String, Timestamp)> = Leases { before: before.into() }.load(conn)?;
    let first = |(supplier_id, code, lease_until)| FirstLease { supplier_id, code, lease_until };
    Ok(rows.into_iter().map(first).collect())
}

/// When the next pending process falls due of a supplier that may import more.
pub(crate) fn next_due_at(
    conn: &mut Conn,
    _: &ClaimHints,
    _: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    instant(NextDue {}.get_result(conn)?)
}
