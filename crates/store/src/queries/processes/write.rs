use super::super::Conn;
use super::super::businesses;
use super::super::dialect::{Db, Dialect};
use super::super::feed::{self, PublishStep};
use super::super::schema::{payloads, processes};
use super::super::similar;
use super::super::sql_dialect::SqlDialect;
use super::super::statement::Bind;
use super::super::terms;
use super::super::types::{Bits, Json, Timestamp};
use super::payloads::PayloadLocations;
use super::row::{HistoryRow, Outcome, ProcessRow, Status};
use super::sent::{Sent, set_rows};
use super::{causes, issues, previous};
use crate::error::Result;
use crate::sealed::{Location, Sealer};
use cutover_app::fault::{self, Point};
use cutover_app::port::{Cause, Staged, StepWrite, StoredIssues};
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
        .values((
            row,
            processes::issues.eq(issues::write(issues)?),
            processes::warning_causes.eq(causes::write(&Cause::of_issues(&issues.warnings))?),
            Sent::of(&staged.totals)?,
        ))
        .execute(conn)?;
    if !staged.totals.rows.is_empty() {
        set_rows(conn, process.id(), &staged.totals.rows)?;
    }
    let number = process.snapshot().external_account_number.as_str();
    let payload = sealer.seal(Location::Payload { supplier_id, number }, &staged.payload)?;
    diesel::insert_into(payloads::table)
        .values((payloads::process_id.eq(process.id()), payloads::payload.eq(&*payload)))
        .execute(conn)?;
    terms::insert(conn, process.id(), &staged.terms)?;
    similar::insert(conn, process.id(), supplier_id, &process.snapshot().external_account_number)?;
    HistoryRow::insert_all(&[HistoryRow::new(process.id(), entry)], conn)?;
    if let Some(event) = feed::of_step(process, entry)? {
        event.execute(conn)?;
    }
    Ok(())
}

statement! {
    /// Locks a process. It is found by its key whatever the plan, as in `process`.
    Lock { supplier_id: i64, first: String, last: String } -> BigInt
        = "SELECT id FROM processes WHERE supplier_id = " supplier_id " AND external_account_number BETWEEN "
            first " AND " last " ORDER BY supplier_id, external_account_number" (Dialect::LOCK)
}

pub(super) fn lock(conn: &mut Conn, supplier_id: i64, number: &ExternalAccountNumber) -> Result<()> {
    Lock { supplier_id, first: number.to_string(), last: number.to_string() }
        .get_result::<i64>(conn)
        .optional()?;
    Ok(())
}

statement! {
    /// Writes a step if the process is still at the version before it. Its event is published with it. A step
    /// replaces the causes of an error, so that none outlives the failure.
    Step<'a> {
        status: Status<'a>,
        outcome: Outcome<'a>,
        sets_issues: bool,
        issues: Option<Json<'static>>,
        error_causes: Option<Json<'static>>,
        sets_warnings: bool,
        warning_causes: Option<Json<'static>>,
        content: Option<Bits>,
        id: i64,
        version_before: i64,
        event: Option<PublishStep>,
    } = "UPDATE processes SET " status ", " outcome ", issues = CASE WHEN " sets_issues " THEN " issues
        " ELSE issues END, error_causes = " error_causes ", warning_causes = CASE WHEN " sets_warnings
        " THEN " warning_causes " ELSE warning_causes END, content = COALESCE(" content ", content) WHERE id = " id " AND version = " version_before
}

impl<'a> Step<'a> {
    fn new(step: &StepWrite<'a>) -> Result<Self> {
        let snapshot = step.process.snapshot();
        Ok(Self {
            status: snapshot.into(),
            outcome: snapshot.into(),
            sets_issues: step.issues.is_some(),
            issues: step.issues.map(issues::write).transpose()?.flatten(),
            error_causes: causes::write(&Cause::of_error(step.process.latest_error(), step.issues))?,
            sets_warnings: step.issues.is_some(),
            warning_causes: step
                .issues
                .map(|issues| causes::write(&Cause::of_issues(&issues.warnings)))
                .transpose()?
                .flatten(),
            content: step.sent.and_then(|sent| sent.content).map(|hash| Bits(hash.0)),
            id: snapshot.id,
            version_before: step.process.version_before(),
            event: feed::of_step(step.process, step.entry)?,
        })
    }
}

impl Step<'_> {
    /// Writes the step and publishes its event. Returns false if the process is not at the version before it.
    pub(crate) fn write(mut self, conn: &mut Conn) -> Result<bool> {
        let event = self.event.take();
        let is_written = self.execute(conn)? > 0;
        if let Some(event) = event.filter(|_| is_written) {
            event.execute(conn)?;
        }
        Ok(is_written)
    }
}

/// Writes steps, their entries of history and their events. Returns for each step whether it was written.
pub(super) fn steps(conn: &mut Conn, steps: &[StepWrite<'_>]) -> Result<Vec<bool>> {
    previous::keep(conn, steps)?;
    let rows = steps.iter().map(Step::new).collect::<Result<Vec<_>>>()?;
    let written = Dialect::steps(conn, rows)?;
    let about = steps.first().map_or("", |step| step.entry.event.as_str());
    fault::reached(Point::StatusWritten, about);
    let entries = steps.iter().zip(&written).filter(|(_, is_written)| **is_written);
    let entries: Vec<_> = entries.map(|(step, _)| HistoryRow::new(step.process.id(), step.entry)).collect();
    HistoryRow::insert_all(&entries, conn)?;
    previous::remove_imported(conn, steps, &written)?;
    businesses::set_in_use(conn, steps, &written)?;
    fault::reached(Point::EventWritten, about);
    Ok(written)
}

/// Replaces the issues of a process without a step.
pub(super) fn set_issues(conn: &mut Conn, id: i64, issues: &StoredIssues) -> Result<()> {
    diesel::update(processes::table.find(id))
        .set((
            processes::issues.eq(issues::write(issues)?),
            processes::warning_causes.eq(causes::write(&Cause::of_issues(&issues.warnings))?),
        ))
        .execute(conn)?;
    Ok(())
}

/// Replaces the payload of a process, whose hash is unknown then. An archived process has none and gets one.
pub(super) fn restage(conn: &mut Conn, sealer: &Sealer, id: i64, staged: &Staged) -> Result<()> {
    let locations = PayloadLocations::of(conn, sealer.keys().map(|_| id).into_iter())?;
    let sealed = locations.get(id).map(|location| sealer.seal(location, &staged.payload)).transpose()?;
    let payload = payloads::payload.eq(sealed.as_deref().unwrap_or(&staged.payload));
    diesel::insert_into(payloads::table)
        .values((payloads::process_id.eq(id), payload))
        .on_conflict(payloads::process_id)
        .do_update()
        .set(payload)
        .execute(conn)?;
    terms::replace(conn, id, &staged.terms)?;
    let archived_at = processes::archived_at.eq(None::<Timestamp>);
    diesel::update(processes::table.find(id))
        .set((
            processes::fingerprint.eq(Bits(staged.fingerprint)),
            archived_at,
            Sent::of(&staged.totals)?,
            processes::content.eq(None::<Bits>),
        ))
        .execute(conn)?;
    set_rows(conn, id, &staged.totals.rows)
}
