//! Partitions of payloads and history. Each holds a range of process keys.

use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use crate::error::Result;
use cutover_app::port::FeedPosition;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};

/// Number of process keys in a partition, as in the migration.
const SIZE: i64 = 1 << 22;
/// Maximum number of other processes in a partition that is rewritten without its archived ones.
const KEPT: i64 = 1_000;
/// Number of keys in which one transaction looks for rows to delete.
const RANGE: i64 = 20_000;

statement! {
    HasPartitions {} -> Bool
        = "SELECT (SELECT to_regclass('process_history_' || last_value / 4194304 + 2) IS NOT NULL FROM process_ids) \
            AND (SELECT to_regclass('feed_events_' || last_value / 4194304 + 2) IS NOT NULL FROM feed_event_ids)"
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
    /// Deletes rows of archived processes in a range. Locks these processes first: one that is sent again at
    /// the same time is not archived any more and keeps its rows.
    RemoveRows { from: i64, until: i64 }
        = "WITH archived AS MATERIALIZED (SELECT id FROM processes WHERE id >= " from " AND id < " until
            " AND archived_at IS NOT NULL AND EXISTS (SELECT 1 FROM process_history WHERE process_id = id) \
                ORDER BY id FOR NO KEY UPDATE OF processes), \
            removed AS (DELETE FROM payloads WHERE process_id = ANY(ARRAY(SELECT id FROM archived))) \
            DELETE FROM process_history WHERE process_id = ANY(ARRAY(SELECT id FROM archived))"
}

statement! {
    DropExpiredEvents {} -> BigInt = "SELECT drop_expired_events()"
}

statement! {
    /// Deletes expired events whose key is not below one.
    DeleteEvents { organisation_id: i64, written_in: i64, last: i64, from: i64 }
        = "DELETE FROM feed_events WHERE organisation_id = " organisation_id
            " AND (written_in, id) <= (" written_in ", " last ") AND id >= " from
}

statement! {
    /// The number of the last transaction that wrote an event, if this server has not come to it: the data is from a
    /// dump of another server.
    LastElsewhere {} -> Nullable<BigInt>
        = "SELECT max(e.written_in) FROM feed_origin CROSS JOIN organisations o CROSS JOIN LATERAL \
            (SELECT written_in FROM feed_events WHERE organisation_id = o.id ORDER BY written_in DESC, id DESC LIMIT 1) e \
            WHERE e.written_in >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
}

statement! {
    /// Adds the number to those of later transactions, unless another process has done so.
    CountOn { last: i64 }
        = "UPDATE feed_origin SET transactions_before = " last " + 1 WHERE " last
            " >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
}

/// Makes the events that are written from now on follow those that a dump brought.
pub(super) fn continue_feed(conn: &mut Conn) -> Result<()> {
    let last: Option<i64> = LastElsewhere {}.get_result(conn)?;
    if let Some(last) = last {
        CountOn { last }.execute(conn)?;
    }
    Ok(())
}

/// Drops partitions whose events have expired, and deletes expired events of the latest partitions: in a small
/// installation these take years to fill.
pub(super) fn remove_events(conn: &mut Conn, expired: &[(i64, FeedPosition)]) -> Result<()> {
    let from: i64 = DropExpiredEvents {}.get_result(conn)?;
    for (organisation_id, last) in expired {
        let FeedPosition { written_in, id } = *last;
        DeleteEvents { organisation_id: *organisation_id, written_in, last: id, from }.execute(conn)?;
    }
    Ok(())
}

pub(super) fn has_partitions(conn: &mut Conn) -> Result<bool> {
    Ok(HasPartitions {}.get_result(conn)?)
}

pub(super) fn add_partitions(conn: &mut Conn) -> Result<()> {
    AddPartitions {}.get_result::<bool>(conn)?;
    Ok(())
}

/// Removes rows in a whole partition or in a range of it.
pub(super) fn remove_archived(conn: &mut Conn, from: i64) -> Result<Option<i64>> {
    let last: Option<i64> = LastProcess {}.get_result(conn)?;
    if last.is_none_or(|last| last < from) {
        return Ok(None);
    }
    let partition = from / SIZE;
    let next = (partition + 1) * SIZE;
    if from % SIZE == 0 {
        // It reads the rows of up to four million processes.
        conn.set_answer_timeout(None)?;
        conn.batch_execute("SET LOCAL statement_timeout = 0")?;
        if (EmptyPartition { partition, kept: KEPT }).get_result(conn)? {
            return Ok(Some(next));
        }
    }
    let until = next.min(from + RANGE);
    RemoveRows { from, until }.execute(conn)?;
    Ok(Some(until))
}
