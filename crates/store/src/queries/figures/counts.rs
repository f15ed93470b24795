use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::Timestamp;
use super::count;
use crate::error::{Error, Result};
use crate::schema::columns;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_app::port::{MinuteCount, StateCount};
use cutover_core::Word;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

statement! {
    ByState { supplier_id: i64 } -> (Text, Text, BigInt)
        = "SELECT state, error_code, CAST(sum(processes) AS BIGINT) FROM (\
            SELECT state, error_code, processes FROM process_counts WHERE supplier_id = " supplier_id
            " UNION ALL SELECT state, error_code, change FROM process_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_PROCESS_CHANGE)
            ") AS counted GROUP BY state, error_code HAVING sum(processes) <> 0 ORDER BY state, error_code"
}

statement! {
    ByMinute { supplier_id: i64, since: Timestamp }
        -> (columns::Instant, Text, BigInt, Nullable<columns::Instant>, Nullable<columns::Instant>)
        = "SELECT minute, state, CAST(sum(processes) AS BIGINT), min(first_at), max(last_at) FROM (\
            SELECT minute, state, processes, first_at, last_at FROM process_minutes WHERE supplier_id = " supplier_id
            " AND minute >= " since
            " UNION ALL SELECT minute, state, change, first_at, last_at FROM process_changes WHERE supplier_id = "
            supplier_id " AND id >= " (Dialect::FIRST_PROCESS_CHANGE) " AND minute >= " since
            ") AS counted GROUP BY minute, state HAVING sum(processes) <> 0 ORDER BY minute, state"
}

statement! {
    FailedSince { supplier_id: i64, since: Timestamp } -> BigInt
        = "SELECT CAST(coalesce(sum(processes), 0) AS BIGINT) FROM (\
            SELECT processes FROM process_minutes WHERE supplier_id = " supplier_id " AND minute >= " since
            " AND state IN ('ERRORED', 'DRY_RUN_ERRORED') \
            UNION ALL SELECT change FROM process_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_PROCESS_CHANGE) " AND minute >= " since
            " AND state IN ('ERRORED', 'DRY_RUN_ERRORED')) AS counted"
}

statement! {
    LastMinute { supplier_id: i64 } -> Nullable<columns::Instant>
        = "SELECT max(minute) FROM (\
            SELECT max(minute) AS minute FROM process_minutes WHERE supplier_id = " supplier_id
            " UNION ALL SELECT max(minute) FROM process_changes WHERE supplier_id = " supplier_id
            " AND id >= " (Dialect::FIRST_PROCESS_CHANGE) ") AS counted"
}

/// Returns the start of the minute of a time.
pub(super) fn minute_of(at: DateTime<Utc>) -> Result<Timestamp> {
    let minute = at.duration_trunc(TimeDelta::minutes(1));
    Ok(minute.map_err(|_| Error::Unfit("a time is out of range"))?.into())
}

pub(super) fn failed_since(conn: &mut Conn, supplier_id: i64, since: DateTime<Utc>) -> Result<u64> {
    Ok(count(FailedSince { supplier_id, since: minute_of(since)? }.get_result(conn)?))
}

pub(super) fn last_minute(conn: &mut Conn, supplier_id: i64) -> Result<Option<DateTime<Utc>>> {
    let minute: Option<Timestamp> = LastMinute { supplier_id }.get_result(conn)?;
    minute.map(|minute| minute.instant()).transpose()
}

/// The word with which processes are counted that were undone, in place of a code: no code is the same.
const UNDONE: &str = "undone";

pub(super) fn by_state(conn: &mut Conn, supplier_id: i64) -> Result<Vec<StateCount>> {
    let rows: Vec<(String, String, i64)> = ByState { supplier_id }.load(conn)?;
    let of_row = |(state, code, processes): (String, String, i64)| {
        let is_undone = code == UNDONE;
        let error = (!code.is_empty() && !is_undone).then(|| Word::read(&code));
        StateCount { state: Word::read(&state), error, is_undone, processes: count(processes) }
    };
    Ok(rows.into_iter().map(of_row).collect())
}

pub(super) fn by_minute(conn: &mut Conn, supplier_id: i64, since: DateTime<Utc>) -> Result<Vec<MinuteCount>> {
    let since = minute_of(since)?;
    type Row = (Timestamp, String, i64, Option<Timestamp>, Option<Timestamp>);
    let rows: Vec<Row> = ByMinute { supplier_id, since }.load(conn)?;
    let of_row = |(minute, state, processes, first_at, last_at): Row| {
        Ok(MinuteCount {
            minute: minute.instant()?,
            state: Word::read(&state),
            processes: count(processes),
            first_at: first_at.unwrap_or(minute).instant()?,
            last_at: last_at.unwrap_or(minute).instant()?,
        })
    };
    rows.into_iter().map(of_row).collect()
}
