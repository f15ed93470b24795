//! Archiving of processes: their payloads and histories leave the database, their rows stay.

use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::schema::{process_history, processes, suppliers};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::{Bits, Timestamp, instant};
use super::row::{HistoryRow, StoredRow};
use super::{previous, restored, stored};
use crate::error::{Error, Result};
use crate::schema::columns;
use crate::sealed::Sealer;
use chrono::{DateTime, Utc};
use cutover_app::port::{Archivable, ArchivedVersion, Position, ProcessToArchive, StoredProcess};
use cutover_process::HistoryEntry;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool};
use std::collections::HashMap;

statement! {
    /// The next processes of a supplier. The last column is true if a process is to be archived. No index
    /// selects these: every import would have to write it, and archiving is rare.
    Next { supplier_id: i64, after: Timestamp, after_id: i64, before: Timestamp, limit: i64 }
        -> (columns::Instant, BigInt, Bool)
        = "SELECT created_at, id, " (HAS_ENDED) " AND archived_at IS NULL \
            AND modified_at < " before " FROM processes WHERE supplier_id = " supplier_id
            " AND (created_at, id) > (" after ", " after_id ") AND created_at < " before
            " ORDER BY created_at, id LIMIT " limit
}

/// A state of a newer version does not count, because its meaning is unknown.
const HAS_ENDED: &str =
    "state IN ('CANCELLED', 'PROCESSED', 'DRY_RUN_SUCCEEDED', 'ERRORED', 'DRY_RUN_ERRORED')";

condition!(
    /// The process has ended.
    HasEnded = HAS_ENDED
);

pub(super) fn next(
    conn: &mut Conn,
    supplier_id: i64,
    before: DateTime<Utc>,
    after: Option<Position>,
    limit: u32,
) -> Result<Archivable> {
    let (after, after_id) = after.map_or((Timestamp::FIRST, 0), |(time, id)| (time.into(), id));
    let next = Next { supplier_id, after, after_id, before: before.into(), limit: limit.into() };
    let rows: Vec<(Timestamp, i64, bool)> = next.load(conn)?;
    let last =
        rows.last().map(|(created_at, id, _)| Ok::<_, Error>((created_at.instant()?, *id))).transpose()?;
    let archivable = rows.into_iter().filter(|(.., is_archivable)| *is_archivable);
    Ok(Archivable { ids: archivable.map(|(_, id, _)| id).collect(), last })
}

/// Returns processes with their payloads and histories. Skips unreadable ones, so that they do not hold up
/// the others.
pub(super) fn kept(
    conn: &mut Conn,
    sealer: &Sealer,
    ids: &[i64],
    before: DateTime<Utc>,
) -> Result<Vec<ProcessToArchive>> {
    let rows = stored!()
        .filter(processes::id.eq_any(ids))
        .filter(HasEnded)
        .filter(processes::archived_at.is_null())
        .filter(processes::modified_at.lt(Timestamp::from(before)))
        .order((processes::created_at, processes::id))
        .load(conn)?;
    let mut histories = histories(conn, ids)?;
    let mut payloads: HashMap<i64, Vec<u8>> = opened(super::payloads::load(conn, sealer, ids)?).collect();
    let whole = |stored: StoredProcess| {
        let id = stored.process.id();
        let parts = payloads.remove(&id).zip(histories.remove(&id).and_then(readable));
        if parts.is_none() {
            tracing::error!(process = id, "the payload or the history of a process cannot be read");
        }
        parts.map(|(payload, history)| ProcessToArchive { stored, history, payload })
    };
    Ok(restored(rows.into_iter()).into_iter().filter_map(whole).collect())
}

fn opened(payloads: Vec<(i64, Result<Vec<u8>>)>) -> impl Iterator<Item = (i64, Vec<u8>)> {
    payloads.into_iter().filter_map(|(id, payload)| match payload {
        Ok(payload) => Some((id, payload)),
        Err(error) => {
            tracing::error!(process = id, ?error, "the payload of a process cannot be opened");
            None
        }
    })
}

/// Returns the histories of processes, oldest entry first.
fn histories(conn: &mut Conn, ids: &[i64]) -> Result<HashMap<i64, Vec<HistoryRow<'static>>>> {
    let rows: Vec<HistoryRow<'static>> = process_history::table
        .filter(process_history::process_id.eq_any(ids))
        .order((process_history::process_id, process_history::version))
        .select(HistoryRow::as_select())
        .load(conn)?;
    let mut histories = HashMap::<_, Vec<_>>::new();
    rows.into_iter().for_each(|row| histories.entry(row.process_id()).or_default().push(row));
    Ok(histories)
}

fn readable(history: Vec<HistoryRow<'static>>) -> Option<Vec<HistoryEntry>> {
    history.into_iter().map(|row| HistoryEntry::try_from(row).ok()).collect()
}

/// Marks processes as archived that are still at a version, and locks them. Their payloads leave the database, so the hashes
/// of their content are kept. Returns their keys.
#[derive(Debug)]
struct Mark {
    at: Timestamp,
    /// Keys, versions and hashes; not empty.
    processes: Vec<(i64, i64, Option<Bits>)>,
}

impl QueryFragment<Db> for Mark {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // The text differs with the length of the list.
        out.unsafe_to_cache_prepared();
        out.push_sql("UPDATE processes SET archived_at = ");
        self.at.bind(&mut out)?;
        out.push_sql(
            ", content = COALESCE(wanted.content, processes.content) \
             FROM (SELECT column1 AS key, column2 AS at_version, column3 AS content FROM (VALUES ",
        );
        for (i, (id, version, content)) in self.processes.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            id.bind(&mut out)?;
            out.push_sql(", ");
            version.bind(&mut out)?;
            out.push_sql(", ");
            content.bind(&mut out)?;
            out.push_sql(")");
        }
        out.push_sql(
            ") AS given) AS wanted WHERE id = wanted.key AND version = wanted.at_version \
             AND archived_at IS NULL RETURNING id",
        );
        Ok(())
    }
}

impl QueryId for Mark {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Mark {
    type SqlType = BigInt;
}

impl<C> RunQueryDsl<C> for Mark {}

pub(super) fn archive(conn: &mut Conn, processes: &[ArchivedVersion], at: DateTime<Utc>) -> Result<usize> {
    if processes.is_empty() {
        return Ok(0);
    }
    let row = |one: &ArchivedVersion| (one.id, one.version, one.content.map(|hash| Bits(hash.0)));
    let mark = Mark { at: at.into(), processes: processes.iter().map(row).collect() };
    let ids: Vec<i64> = mark.load(conn)?;
    previous::remove(conn, &ids)?;
    Dialect::archived(conn, &ids)?;
    Ok(ids.len())
}

pub(super) fn archived_at(conn: &mut Conn, id: i64) -> Result<Option<DateTime<Utc>>> {
    let at = processes::table.find(id).select(processes::archived_at).get_result(conn).optional()?;
    instant(at.flatten())
}

#[cfg(test)]
mod tests {
    use super::HAS_ENDED;
    use cutover_process::State;

    #[test]
    fn every_state_of_the_end_is_archived() {
        let is_named = |state: State| HAS_ENDED.contains(&format!("'{state}'"));
        assert_eq!(State::ALL.map(is_named), State::ALL.map(State::has_ended));
    }
}
