//! Folding of figures: many changes become few.

use super::dialect::{Conn, Db, Dialect};
use super::queries::sql_dialect::SqlDialect;
use super::queries::statement::Bind;
use crate::error::Result;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

/// The columns of sums of what was sent.
const SENT: &str = "sent_high, sent_units, sent_fraction, sent_readings, sent_transactions, sent_documents";

statement! {
    /// Only one transaction folds at a time; the others do not wait.
    Begin {} -> Bool = "SELECT pg_try_advisory_xact_lock(7166762404106564098)"
}

statement! {
    /// Removes the oldest changes and adds them to the kept figures. Returns how many.
    Fold { limit: i64 } -> BigInt
        = "WITH taken AS (DELETE FROM process_changes WHERE id = ANY(ARRAY(\
                SELECT id FROM process_changes WHERE id >= " (Dialect::FIRST_PROCESS_CHANGE)
                " ORDER BY id LIMIT " limit ")) \
                RETURNING supplier_id, state, error_code, minute, change, first_at, last_at, \
                    " (SENT) "), \
            counts AS (INSERT INTO process_counts AS c (supplier_id, state, error_code, processes, " (SENT) ") \
                SELECT supplier_id, state, error_code, sum(change), sum(sent_high), sum(sent_units), sum(sent_fraction), \
                    sum(sent_readings), sum(sent_transactions), sum(sent_documents) FROM taken GROUP BY 1, 2, 3 \
                HAVING (sum(change), sum(sent_high), sum(sent_units), sum(sent_fraction), sum(sent_readings), \
                    sum(sent_transactions), sum(sent_documents)) <> (0, 0, 0, 0, 0, 0, 0) \
                ON CONFLICT (supplier_id, state, error_code) \
                DO UPDATE SET processes = c.processes + EXCLUDED.processes, sent_high = c.sent_high + EXCLUDED.sent_high, \
                    sent_units = c.sent_units + EXCLUDED.sent_units, sent_fraction = c.sent_fraction + EXCLUDED.sent_fraction, \
                    sent_readings = c.sent_readings + EXCLUDED.sent_readings, \
                    sent_transactions = c.sent_transactions + EXCLUDED.sent_transactions, \
                    sent_documents = c.sent_documents + EXCLUDED.sent_documents), \
            minutes AS (INSERT INTO process_minutes AS m (supplier_id, minute, state, processes, first_at, last_at) \
                SELECT supplier_id, minute, state, sum(change), min(first_at), max(last_at) FROM taken \
                WHERE minute IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(change) <> 0 \
                ON CONFLICT (supplier_id, minute, state) \
                DO UPDATE SET processes = m.processes + EXCLUDED.processes, \
                    first_at = least(m.first_at, EXCLUDED.first_at), \
                    last_at = greatest(m.last_at, EXCLUDED.last_at)) \
            SELECT count(*) FROM taken"
}

statement! {
    /// Removes the oldest changes of causes and adds them to the kept counts. Returns how many.
    FoldCauses { limit: i64 } -> BigInt
        = "WITH taken AS (DELETE FROM cause_changes WHERE id = ANY(ARRAY(\
                SELECT id FROM cause_changes WHERE id >= " (Dialect::FIRST_CAUSE_CHANGE)
                " ORDER BY id LIMIT " limit ")) RETURNING supplier_id, level, code, attr, change), \
            counts AS (INSERT INTO cause_counts AS c (supplier_id, level, code, attr, accounts) \
                SELECT supplier_id, level, code, attr, sum(change) FROM taken GROUP BY 1, 2, 3, 4 \
                HAVING sum(change) <> 0 \
                ON CONFLICT (supplier_id, level, code, attr) DO UPDATE SET accounts = c.accounts + EXCLUDED.accounts) \
            SELECT count(*) FROM taken"
}

statement! {
    /// Removes the oldest changes of activity and adds them to the kept counts. Returns how many.
    FoldActivity { limit: i64 } -> BigInt
        = "WITH taken AS (DELETE FROM activity_changes WHERE id = ANY(ARRAY(\
                SELECT id FROM activity_changes WHERE id >= " (Dialect::FIRST_ACTIVITY_CHANGE)
                " ORDER BY id LIMIT " limit ")) RETURNING supplier_id, minute, kind, change), \
            counts AS (INSERT INTO activity_minutes AS m (supplier_id, minute, kind, accounts) \
                SELECT supplier_id, minute, kind, sum(change) FROM taken GROUP BY 1, 2, 3 \
                ON CONFLICT (supplier_id, minute, kind) DO UPDATE SET accounts = m.accounts + EXCLUDED.accounts) \
            SELECT count(*) FROM taken"
}

statement! {
    /// The last key of each table of changes. Sequences know it without reading dead rows.
    LastKeys {} -> (BigInt, BigInt, BigInt, BigInt, BigInt, Bool)
        = "SELECT (SELECT last_value FROM process_changes_id_seq), (SELECT last_value FROM cause_changes_id_seq), \
                (SELECT last_value FROM total_changes_id_seq), (SELECT last_value FROM activity_changes_id_seq), \
                (SELECT last_value FROM row_changes_id_seq), \
                pg_current_xact_id_if_assigned() IS NULL"
}

statement! {
    /// Moves each lower bound to the noted next one, once no change before that is left or can still be
    /// committed, and notes a new next one with the number that this transaction gets here: those of all
    /// transactions that have drawn a key so far are lower. The next number in a snapshot would not do: it
    /// follows the last transaction that has ended, not the last that has begun. A noted number in the future
    /// is from the server that a dump was taken from.
    Advance { process_changes: i64, cause_changes: i64, total_changes: i64, activity_changes: i64, row_changes: i64 }
        = "WITH now AS (SELECT pg_snapshot_xmin(s)::text::bigint AS oldest, pg_snapshot_xmax(s)::text::bigint AS next \
                FROM pg_current_snapshot() AS s) \
            UPDATE folded_changes AS f \
            SET folded_to = f.next_bound, next_bound = drawn.key, \
                next_transaction = pg_current_xact_id()::text::bigint \
            FROM now, (VALUES ('processes', " process_changes "), ('causes', " cause_changes "), ('totals', " total_changes "), \
                ('activity', " activity_changes "), ('rows', " row_changes ")) AS drawn (kind, key) \
            WHERE f.kind = drawn.kind AND (f.next_transaction <= now.oldest OR f.next_transaction > now.next) \
            AND CASE f.kind \
                WHEN 'processes' THEN NOT EXISTS \
                    (SELECT 1 FROM process_changes WHERE id >= f.folded_to AND id < f.next_bound) \
                WHEN 'causes' THEN NOT EXISTS \
                    (SELECT 1 FROM cause_changes WHERE id >= f.folded_to AND id < f.next_bound) \
                WHEN 'activity' THEN NOT EXISTS \
                    (SELECT 1 FROM activity_changes WHERE id >= f.folded_to AND id < f.next_bound) \
                WHEN 'rows' THEN NOT EXISTS \
                    (SELECT 1 FROM row_changes WHERE id >= f.folded_to AND id < f.next_bound) \
                ELSE NOT EXISTS (SELECT 1 FROM total_changes WHERE id >= f.folded_to AND id < f.next_bound) END"
}

/// The last key drawn for each table of changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnKeys {
    process_changes: i64,
    cause_changes: i64,
    total_changes: i64,
    activity_changes: i64,
    row_changes: i64,
    /// False if the transaction got its number before the keys were read: it proves nothing about them then.
    may_advance: bool,
}

/// Begins to fold. Returns `None` if another transaction folds.
///
/// The keys are read before [`end`] looks at the open transactions. A transaction that has drawn one of these
/// keys has its number by then, because it has written before: triggers count after the rows of processes,
/// and totals change under the lock of an account.
pub(super) fn begin(conn: &mut Conn) -> Result<Option<DrawnKeys>> {
    if !(Begin {}.get_result(conn)?) {
        return Ok(None);
    }
    let (process_changes, cause_changes, total_changes, activity_changes, row_changes, may_advance) =
        LastKeys {}.get_result(conn)?;
    Ok(Some(DrawnKeys {
        process_changes,
        cause_changes,
        total_changes,
        activity_changes,
        row_changes,
        may_advance,
    }))
}

pub(super) fn end(conn: &mut Conn, drawn: DrawnKeys) -> Result<()> {
    let DrawnKeys {
        process_changes,
        cause_changes,
        total_changes,
        activity_changes,
        row_changes,
        may_advance,
    } = drawn;
    if may_advance {
        Advance { process_changes, cause_changes, total_changes, activity_changes, row_changes }
            .execute(conn)?;
    }
    Ok(())
}

pub(super) fn fold_processes(conn: &mut Conn, limit: u32) -> Result<usize> {
    let folded: i64 = Fold { limit: limit.into() }.get_result(conn)?;
    Ok(usize::try_from(folded).unwrap_or_default())
}

pub(super) fn fold_causes(conn: &mut Conn, limit: u32) -> Result<usize> {
    let folded: i64 = FoldCauses { limit: limit.into() }.get_result(conn)?;
    Ok(usize::try_from(folded).unwrap_or_default())
}

pub(super) fn fold_activity(conn: &mut Conn, limit: u32) -> Result<usize> {
    let folded: i64 = FoldActivity { limit: limit.into() }.get_result(conn)?;
    Ok(usize::try_from(folded).unwrap_or_default())
}
