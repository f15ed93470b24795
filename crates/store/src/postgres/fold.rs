//! Changes of the figures of processes: few are made of many.

use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use crate::error::Result;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

statement! {
    /// One folds at a time, and the others go on with something else.
    Begin {} -> Bool = "SELECT pg_try_advisory_xact_lock(7166762404106564098)"
}

statement! {
    /// Removes the oldest changes, and adds them to what was folded before; how many.
    Fold { limit: i64 } -> BigInt
        = "WITH taken AS (DELETE FROM process_changes WHERE id = ANY(ARRAY(\
                SELECT id FROM process_changes ORDER BY id LIMIT " limit ")) \
                RETURNING supplier_id, state, error_code, minute, change), \
            counts AS (INSERT INTO process_counts AS c (supplier_id, state, error_code, processes) \
                SELECT supplier_id, state, error_code, sum(change) FROM taken GROUP BY 1, 2, 3 HAVING sum(change) <> 0 \
                ON CONFLICT (supplier_id, state, error_code) \
                DO UPDATE SET processes = c.processes + EXCLUDED.processes), \
            minutes AS (INSERT INTO process_minutes AS m (supplier_id, minute, state, processes) \
                SELECT supplier_id, minute, state, sum(change) FROM taken WHERE minute IS NOT NULL GROUP BY 1, 2, 3 \
                HAVING sum(change) <> 0 \
                ON CONFLICT (supplier_id, minute, state) \
                DO UPDATE SET processes = m.processes + EXCLUDED.processes) \
            SELECT count(*) FROM taken"
}

/// Whether this transaction may fold.
pub(crate) fn begin_fold(conn: &mut Conn) -> Result<bool> {
    Ok(Begin {}.get_result(conn)?)
}

/// Folds the oldest changes; how many.
pub(crate) fn fold_processes(conn: &mut Conn, limit: u32) -> Result<usize> {
    let folded: i64 = Fold { limit: limit.into() }.get_result(conn)?;
    Ok(usize::try_from(folded).unwrap_or_default())
}
