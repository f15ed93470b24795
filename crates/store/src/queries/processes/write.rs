use super::super::Conn;
use super::super::dialect::{self, Db};
use super::super::schema::{payloads, processes};
use super::super::statement::Bind;
use super::super::types::{Bits, Json, Timestamp};
use super::issues;
use super::payloads::Places;
use super::row::{HistoryRow, ProcessRow, lease};
use crate::error::Result;
use crate::sealed::{Place, Sealer};
use cutover_app::fault::{self, Point};
use cutover_app::port::{Staged, StepWrite, StoredIssues};
use cutover_core::ExternalAccountNumber;
use cutover_process::{HistoryEntry, Process};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

pub(super) fn insert(
    conn: &mut Conn,
    sealer: &Sealer,
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
    let number = process.snapshot().external_account_number.as_str();
    let payload = sealer.seal(Place::Payload { supplier_id, number }, &staged.payload)?;
    diesel::insert_into(payloads::table)
        .values((payloads::process_id.eq(process.id()), payloads::payload.eq(&*payload)))
        .execute(conn)?;
    HistoryRow::insert_all(&[HistoryRow::new(process.id(), entry)], conn)
}

statement! {
    /// A process, for one transaction at a time; found by its key whatever the plan, as in `process`.
    Lock { supplier_id: i64, first: String, last: String } -> BigInt
        = "SELECT id FROM processes WHERE supplier_id = " supplier_id " AND external_account_number BETWEEN "
            first " AND " last " ORDER BY supplier_id, external_account_number" (dialect::LOCK)
}

pub(super) fn lock(conn: &mut Conn, supplier_id: i64, number: &ExternalAccountNumber) -> Result<()> {
    Lock { supplier_id, first: number.to_string(), last: number.to_string() }
        .get_result::<i64>(conn)
        .optional()?;
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
        failing_since: Option<Timestamp>,
        failing_tries: Option<i64>,
        sets_issues: bool,
        issues: Option<Json<'static>>,
        id: i64,
        version_before: i64,
    } = "UPDATE processes SET state = " state ", attempt = " attempt ", tries = " tries
        ", version = " version ", is_dry_run = " is_dry_run ", window_start = " window_start
        ", window_end = " window_end ", due_at = " due_at ", lease_until = " lease_until
        ", modified_at = " modified_at ", latest_event_at = " latest_event_at
        ", error_code = " error_code ", error_detail = " error_detail
        ", service_account_number = " service_account_number
        ", failing_since = " failing_since ", failing_tries = " failing_tries
        ", issues = CASE WHEN " sets_issues " THEN " issues " ELSE issues END"
        " WHERE id = " id " AND version = " version_before
}

impl Step {
    fn new(step: &StepWrite<'_>) -> Result<Self> {
        let is = step.process.snapshot();
        let error = is.latest_error.as_ref();
        Ok(Self {
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
            error_code: error.and_then(|error| error.code.known()).map(|code| code.as_str()),
            error_detail: error.map(|error| error.detail.to_string()),
            service_account_number: is.service_account_number.as_ref().map(ToString::to_string),
            failing_since: is.outage.map(|outage| outage.since.into()),
            failing_tries: is.outage.map(|outage| outage.tries.into()),
            sets_issues: step.issues.is_some(),
            issues: step.issues.map(issues::write).transpose()?.flatten(),
            id: is.id,
            version_before: step.process.version_before(),
        })
    }
}

/// Which of them were written.
pub(super) fn steps(conn: &mut Conn, steps: &[StepWrite<'_>]) -> Result<Vec<bool>> {
    let rows = steps.iter().map(Step::new).collect::<Result<Vec<_>>>()?;
    let written = dialect::steps(conn, rows)?;
    let about = steps.first().map_or("", |step| step.entry.event.as_str());
    fault::reached(Point::StatusWritten, about);
    let entries = steps.iter().zip(&written).filter(|(_, is_written)| **is_written);
    let entries: Vec<_> = entries.map(|(step, _)| HistoryRow::new(step.process.id(), step.entry)).collect();
    HistoryRow::insert_all(&entries, conn)?;
    fault::reached(Point::EventWritten, about);
    Ok(written)
}

/// An archived one has no payload here any more; from now on it has.
pub(super) fn restage(conn: &mut Conn, sealer: &Sealer, id: i64, staged: &Staged) -> Result<()> {
    let places = Places::of(conn, sealer.keys().map(|_| id).into_iter())?;
    let sealed = places.get(id).map(|place| sealer.seal(place, &staged.payload)).transpose()?;
    let payload = payloads::payload.eq(sealed.as_deref().unwrap_or(&staged.payload));
    diesel::insert_into(payloads::table)
        .values((payloads::process_id.eq(id), payload))
        .on_conflict(payloads::process_id)
        .do_update()
        .set(payload)
        .execute(conn)?;
    let archived_at = processes::archived_at.eq(None::<Timestamp>);
    diesel::update(processes::table.find(id))
        .set((processes::fingerprint.eq(Bits(staged.fingerprint)), archived_at))
        .execute(conn)?;
    Ok(())
}
