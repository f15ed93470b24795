use super::super::dialect::Db;
use super::super::schema::{payloads, process_history, processes};
use super::super::statement::Bind;
use super::super::types::{Bits, Timestamp};
use super::super::{Conn, changed};
use super::issues;
use super::row::{HistoryRow, ProcessRow, lease};
use crate::error::Result;
use chrono::{DateTime, Utc};
use cutover_app::port::{Staged, StoredIssues};
use cutover_process::{HistoryEntry, Process};
use diesel::prelude::*;

pub(super) fn insert(
    conn: &mut Conn,
    supplier_id: i64,
    process: &Process,
    entry: &HistoryEntry,
    staged: &Staged,
    issues: &StoredIssues,
) -> Result<()> {
    let row = ProcessRow::new(supplier_id, process, staged.fingerprint);
    diesel::insert_into(processes::table)
        .values((row, processes::issues.eq(issues::write(issues)?)))
        .execute(conn)?;
    diesel::insert_into(payloads::table)
        .values((payloads::process_id.eq(process.id()), payloads::payload.eq(&staged.payload)))
        .execute(conn)?;
    insert_entry(conn, process.id(), entry)
}

fn insert_entry(conn: &mut Conn, process_id: i64, entry: &HistoryEntry) -> Result<()> {
    diesel::insert_into(process_history::table).values(HistoryRow::new(process_id, entry)).execute(conn)?;
    Ok(())
}

statement! {
    /// What a step can change, if the process is still at the version before it.
    Step {
        state: &'static str,
        attempt: i64,
        tries: i64,
        version: i64,
        is_dry_run: bool,
        window_start: Option<Timestamp>,
        window_end: Option<Timestamp>,
        due_at: Timestamp,
        lease_until: Option<Timestamp>,
        modified_at: Timestamp,
        latest_event_at: Timestamp,
        error_code: Option<&'static str>,
        error_detail: Option<String>,
        service_account_number: Option<String>,
        id: i64,
        version_before: i64,
    } = "UPDATE processes SET state = " state ", attempt = " attempt ", tries = " tries
        ", version = " version ", is_dry_run = " is_dry_run ", window_start = " window_start
        ", window_end = " window_end ", due_at = " due_at ", lease_until = " lease_until
        ", modified_at = " modified_at ", latest_event_at = " latest_event_at
        ", error_code = " error_code ", error_detail = " error_detail
        ", service_account_number = " service_account_number
        " WHERE id = " id " AND version = " version_before
}

impl Step {
    fn new(process: &Process) -> Self {
        let is = process.snapshot();
        let error = is.latest_error.as_ref();
        Self {
            state: is.state.as_str(),
            attempt: is.attempt.into(),
            tries: is.tries.into(),
            version: is.version,
            is_dry_run: is.is_dry_run,
            window_start: is.window.start.map(Timestamp::from),
            window_end: is.window.end.map(Timestamp::from),
            due_at: is.due_at.into(),
            lease_until: lease(is),
            modified_at: is.modified_at.into(),
            latest_event_at: is.latest_event_at.into(),
            error_code: error.map(|error| error.code.as_str()),
            error_detail: error.map(|error| error.detail.to_string()),
            service_account_number: is.service_account_number.as_ref().map(ToString::to_string),
            id: is.id,
            version_before: process.version_before(),
        }
    }
}

pub(super) fn step(conn: &mut Conn, process: &Process, entry: &HistoryEntry) -> Result<bool> {
    if !changed(Step::new(process).execute(conn)?) {
        return Ok(false);
    }
    insert_entry(conn, process.id(), entry)?;
    Ok(true)
}

statement! {
    /// A longer, or shorter, claim.
    SetLease { until: Timestamp, id: i64 }
        = "UPDATE processes SET lease_until = " until " WHERE id = " id " AND state = 'IN_PROGRESS'"
}

pub(super) fn set_lease(conn: &mut Conn, id: i64, until: DateTime<Utc>) -> Result<()> {
    SetLease { until: until.into(), id }.execute(conn)?;
    Ok(())
}

pub(super) fn restage(conn: &mut Conn, id: i64, staged: &Staged) -> Result<()> {
    diesel::update(payloads::table.find(id)).set(payloads::payload.eq(&staged.payload)).execute(conn)?;
    diesel::update(processes::table.find(id))
        .set(processes::fingerprint.eq(Bits(staged.fingerprint)))
        .execute(conn)?;
    Ok(())
}

pub(super) fn set_issues(conn: &mut Conn, id: i64, issues: &StoredIssues) -> Result<()> {
    diesel::update(processes::table.find(id))
        .set(processes::issues.eq(issues::write(issues)?))
        .execute(conn)?;
    Ok(())
}
