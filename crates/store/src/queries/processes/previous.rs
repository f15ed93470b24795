//! The previous attempts of processes.

use super::super::Conn;
use super::super::dialect::{Db, Dialect};
use super::super::number;
use super::super::schema::previous_attempts;
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::types::{Json, Timestamp};
use super::issues;
use super::payloads::PayloadLocations;
use super::row::latest_error;
use crate::error::Result;
use crate::sealed::Sealer;
use cutover_app::port::{PreviousAttempt, StepWrite};
use cutover_core::Word;
use cutover_process::EventKind;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

/// Copies processes that have a result and are still at a version, with their payloads, and locks them. A payload stays
/// sealed, because the copy is sealed for the same place.
#[derive(Debug)]
struct Keep {
    /// Keys and versions; not empty.
    versions: Vec<(i64, i64)>,
}

impl QueryFragment<Db> for Keep {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // The text differs with the length of the list.
        out.unsafe_to_cache_prepared();
        out.push_sql(
            "INSERT INTO previous_attempts (process_id, attempt, state, ended_at, error_code, error_detail, issues, \
             payload) SELECT p.id, p.attempt, p.state, p.modified_at, p.error_code, p.error_detail, p.issues, \
             y.payload FROM (SELECT id, attempt, state, modified_at, error_code, error_detail, issues FROM processes \
             JOIN (SELECT column1 AS key, column2 AS at_version FROM (VALUES ",
        );
        for (i, (id, version)) in self.versions.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            id.bind(&mut out)?;
            out.push_sql(", ");
            version.bind(&mut out)?;
            out.push_sql(")");
        }
        out.push_sql(
            ") AS given) AS wanted ON id = wanted.key AND version = wanted.at_version \
             WHERE archived_at IS NULL",
        );
        out.push_sql(Dialect::LOCK_PROCESSES);
        out.push_sql(
            ") AS p JOIN payloads y ON y.process_id = p.id \
             WHERE p.state IN ('ERRORED', 'DRY_RUN_ERRORED', 'DRY_RUN_SUCCEEDED') \
             ON CONFLICT (process_id) DO UPDATE SET attempt = excluded.attempt, state = excluded.state, \
             ended_at = excluded.ended_at, error_code = excluded.error_code, error_detail = excluded.error_detail, \
             issues = excluded.issues, payload = excluded.payload",
        );
        Ok(())
    }
}

impl QueryId for Keep {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C> RunQueryDsl<C> for Keep {}

/// Keeps the attempts that steps follow, before the steps replace their errors. Runs no query for other steps.
pub(super) fn keep(conn: &mut Conn, steps: &[StepWrite<'_>]) -> Result<()> {
    let begins_again = |step: &&StepWrite<'_>| {
        step.entry.event == EventKind::Resubmitted || step.entry.event == EventKind::RetriedByOperator
    };
    let again = steps.iter().filter(begins_again);
    let versions: Vec<_> = again.map(|step| (step.process.id(), step.process.version_before())).collect();
    if !versions.is_empty() {
        Keep { versions }.execute(conn)?;
    }
    Ok(())
}

/// Steps before the import of an account that was created and claimed, and nothing else.
const STEPS_OF_MOST: i64 = 2;

/// Removes the previous attempts of accounts that steps imported. Runs no query if none can have one, as is usual.
pub(super) fn remove_imported(conn: &mut Conn, steps: &[StepWrite<'_>], written: &[bool]) -> Result<()> {
    let imported = steps.iter().zip(written).filter(|(step, is_written)| {
        **is_written
            && step.entry.event == EventKind::Imported
            && step.process.version_before() > STEPS_OF_MOST
    });
    let ids: Vec<i64> = imported.map(|(step, _)| step.process.id()).collect();
    remove(conn, &ids)
}

/// Removes the previous attempts of processes.
pub(super) fn remove(conn: &mut Conn, ids: &[i64]) -> Result<()> {
    if !ids.is_empty() {
        let of = previous_attempts::table.filter(previous_attempts::process_id.eq_any(ids));
        diesel::delete(of).execute(conn)?;
    }
    Ok(())
}

type Row = (i64, String, Timestamp, Option<String>, Option<String>, Option<Json<'static>>, Vec<u8>);

pub(super) fn load(conn: &mut Conn, sealer: &Sealer, id: i64) -> Result<Option<PreviousAttempt>> {
    let columns = (
        previous_attempts::attempt,
        previous_attempts::state,
        previous_attempts::ended_at,
        previous_attempts::error_code,
        previous_attempts::error_detail,
        previous_attempts::issues,
        previous_attempts::payload,
    );
    let row: Option<Row> = previous_attempts::table.find(id).select(columns).get_result(conn).optional()?;
    let Some((attempt, state, ended_at, code, detail, stored, payload)) = row else { return Ok(None) };
    let sealed = Sealer::is_sealed(&payload).then_some(id);
    let locations = PayloadLocations::of(conn, sealed.into_iter())?;
    Ok(Some(PreviousAttempt {
        attempt: number(attempt, "attempt")?,
        state: Word::read(&state),
        ended_at: ended_at.instant()?,
        error: latest_error(code.map(Into::into), detail.map(Into::into)),
        issues: issues::read(stored)?,
        payload: match locations.get(id) {
            Some(location) => sealer.open(location, payload)?,
            None => payload,
        },
    }))
}

pub(super) fn number_of(conn: &mut Conn, id: i64) -> Result<Option<u32>> {
    let attempt = previous_attempts::table.find(id).select(previous_attempts::attempt);
    let attempt: Option<i64> = attempt.get_result(conn).optional()?;
    attempt.map(|attempt| number(attempt, "attempt")).transpose()
}
