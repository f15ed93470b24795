//! Partitions of payloads and history, each for a range of keys of processes.

use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use crate::error::Result;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};

/// So many keys of processes belong to a partition; the migration has the same.
const SIZE: i64 = 1 << 22;
/// A partition in which at most so many processes are not archived is written anew without the others.
const KEPT: i64 = 1_000;
/// Where rows are removed one by one, so many keys are looked at in one transaction.
const RANGE: i64 = 20_000;

statement! {
    HasPartitions {} -> Bool
        = "SELECT to_regclass('process_history_' || last_value / 4194304 + 2) IS NOT NULL FROM process_ids"
}

statement! {
    AddPartitions {} -> Bool = "SELECT add_partitions()"
}

statement! {
    LastProcess {} -> Nullable<BigInt> = "SELECT max(id) FROM processes"
}

statement! {
    EmptyPartition { partition: i64, kept: i64 } -> Bool = "SELECT empty_partition(" partition ", " kept ")"
}

statement! {
    /// Rows of archived processes of a range. Their processes are locked: one that is sent again meanwhile keeps its own.
    RemoveRows { from: i64, until: i64 }
        = "WITH archived AS MATERIALIZED (SELECT id FROM processes WHERE id >= " from " AND id < " until
            " AND archived_at IS NOT NULL AND EXISTS (SELECT 1 FROM process_history WHERE process_id = id) \
                ORDER BY id FOR NO KEY UPDATE OF processes), \
            removed AS (DELETE FROM payloads WHERE process_id = ANY(ARRAY(SELECT id FROM archived))) \
            DELETE FROM process_history WHERE process_id = ANY(ARRAY(SELECT id FROM archived))"
}

/// Whether there are partitions for the next processes: at least for as many as one partition holds.
pub(crate) fn has_partitions(conn: &mut Conn) -> Result<bool> {
    Ok(HasPartitions {}.get_result(conn)?)
}

/// Adds those that are missing. Nobody who reads or writes the others waits for it.
pub(crate) fn add_partitions(conn: &mut Conn) -> Result<()> {
    AddPartitions {}.get_result::<bool>(conn)?;
    Ok(())
}

/// Rows of archived processes stay for [`remove_archived`].
pub(crate) fn archived(_: &mut Conn, _: &[i64]) -> Result<()> {
    Ok(())
}

/// Removes rows of archived processes whose keys begin at `from`: of a whole partition, or of a part of it. From where
/// to go on.
pub(crate) fn remove_archived(conn: &mut Conn, from: i64) -> Result<Option<i64>> {
    let last: Option<i64> = LastProcess {}.get_result(conn)?;
    if last.is_none_or(|last| last < from) {
        return Ok(None);
    }
    let partition = from / SIZE;
    let next = (partition + 1) * SIZE;
    if from % SIZE == 0 && (EmptyPartition { partition, kept: KEPT }).get_result(conn)? {
        return Ok(Some(next));
    }
    let until = next.min(from + RANGE);
    RemoveRows { from, until }.execute(conn)?;
    Ok(Some(until))
}
