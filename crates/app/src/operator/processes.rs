use super::scope::Scoped;
use super::{Audited, Operations, OperatorError, References};
use crate::account::{AccountStatus, Standing, of_last_attempt, process_status};
use crate::port::{
    AuditAction, ImportedAccount, PageLimit, ProcessFilter, Rows, StepWrite, StoreError, StoredIssues,
    StoredProcess, Subject, Supplier,
};
use chrono::{DateTime, Utc};
use cutover_core::{Code, Level, Word, Zone};
use cutover_model::{ProcessStatus, WaitsFor};
use cutover_process::{Actor, Event, HistoryEntry, State};

/// Number of processes read per page.
const PAGE: u32 = 1_000;

/// The report on a process (contract D11).
#[derive(Debug, Clone)]
pub struct ProcessReport {
    /// The status as the API shows it.
    pub status: ProcessStatus,
    /// The status as stored: a newer version may have written one that the API does not show.
    pub stored_status: Word<State>,
    /// True if it is cancelled because its import was undone.
    pub is_undone: bool,
    /// What it waits for, if it is pending.
    pub waits_for: Option<WaitsFor>,
    /// A sentence that says where it stands, without a full stop.
    pub sentence: String,
    /// The account's number at its previous supplier.
    pub external_account_number: String,
    /// The number of the current or last attempt.
    pub attempt: u32,
    /// Time at which its payload and history were archived.
    pub archived_at: Option<DateTime<Utc>>,
    /// Its history, oldest first; empty if it is archived.
    pub history: Vec<HistoryEntry>,
    /// Errors of a rejected import, and warnings.
    pub issues: StoredIssues,
    /// The documents, contracts, tariffs and meter points that the issues are about.
    pub references: References,
    /// Time at which another system reported that it has billed the account.
    pub billed_at: Option<DateTime<Utc>>,
    /// The imported account.
    pub account: Option<ImportedAccount>,
    /// The zone of the datetimes shown.
    pub zone: Zone,
}

impl Operations<'_> {
    /// Calls `f` with every process of a supplier that matches, in the order of creation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier, or for a code that is neither documented nor
    /// that of any account.
    pub fn each_process(
        &self,
        supplier: &str,
        filter: ProcessFilter<'_>,
        mut f: impl FnMut(&AccountStatus),
    ) -> Result<(), OperatorError> {
        let supplier = self.read_committed(|tx| {
            let supplier = tx.supplier(supplier)?;
            check_code(tx, &supplier, "error code", Level::Error, filter.error_code)?;
            check_code(tx, &supplier, "warning code", Level::Warning, filter.warning_code)?;
            Ok(supplier)
        })?;
        let mut after = None;
        loop {
            let limit = PageLimit::of(PAGE);
            let (page, next) = self.read(|tx| {
                let page = tx.list_processes(supplier.id, filter, after, limit)?;
                let now = self.app.clock.now();
                Ok((AccountStatus::of_page(tx.rows(), &supplier, &page.processes, now)?, page.next))
            })?;
            page.iter().for_each(&mut f);
            match next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// Reports on a process.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn show_process(&self, supplier: &str, number: &str) -> Result<ProcessReport, OperatorError> {
        self.read(|tx| {
            let (supplier, stored) = tx.find_process(supplier, number)?;
            Ok(report(tx.rows(), &supplier, &stored, self.app.clock.now())?)
        })
    }

    /// Cancels a process that is pending or was only rehearsed, and returns its id and new status.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process, [`OperatorError::Refused`] if its state does
    /// not allow it.
    pub fn cancel_process(
        &self,
        supplier: &str,
        number: &str,
    ) -> Result<(i64, ProcessStatus), OperatorError> {
        self.step_process(supplier, number, Event::Cancelled, AuditAction::ProcessCancelled)
    }

    /// Starts another attempt at a process that ended without an account, and returns its id and new status.
    ///
    /// # Errors
    /// As [`cancel_process`](Self::cancel_process), and [`OperatorError::Refused`] if its payload is archived.
    pub fn retry_process(&self, supplier: &str, number: &str) -> Result<(i64, ProcessStatus), OperatorError> {
        self.step_process(supplier, number, Event::RetriedByOperator, AuditAction::ProcessRetried)
    }

    /// Steps a process by an operator's intent.
    fn step_process(
        &self,
        supplier: &str,
        number: &str,
        event: Event,
        action: AuditAction,
    ) -> Result<(i64, ProcessStatus), OperatorError> {
        let (supplier, number) = (supplier.to_owned(), number.to_owned());
        let stepped = self.act(action, move |tx, clock| {
            let (supplier, stored) = tx.find_process(&supplier, &number)?;
            let refused = |e: cutover_process::IllegalStep| OperatorError::Refused(e.to_string());
            let (process, entry) =
                stored.process.step(event, clock.now(), Actor::Operator).map_err(refused)?;
            // The stored errors belong to the attempt that ended.
            let issues = StoredIssues { errors: Vec::new(), ..tx.issues(process.id())? };
            let step = StepWrite { process: &process, entry: &entry, issues: Some(&issues), sent: None };
            if !tx.step_process(step)? {
                let conflict = StoreError::Conflict("the process took another step; try again".into());
                return Err(OperatorError::from(conflict));
            }
            // Read now that the step has locked the row.
            if let Some(archived_at) = tx.archived_at(process.id())? {
                let day = archived_at.date_naive();
                return Err(OperatorError::Refused(format!(
                    "its payload was archived on {day}: send it again"
                )));
            }
            let audited = Audited::of(Subject::process(&supplier, process.id()));
            Ok(((process.id(), process_status(&process, supplier.settings.time_zone)), audited))
        })?;
        self.app.wake.notify_one();
        self.app.store.notify_workers();
        Ok(stepped)
    }
}

/// Checks that a code is documented, or that of any account of a supplier.
pub(super) fn check_code(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    what: &'static str,
    level: Level,
    code: Option<&str>,
) -> Result<(), OperatorError> {
    match code.filter(|code| code.parse::<Code>().is_err()) {
        Some(code) if !tx.has_cause(supplier.id, level, code)? => Err(OperatorError::not_found(what, code)),
        _ => Ok(()),
    }
}

pub(super) fn report(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    stored: &StoredProcess,
    now: DateTime<Utc>,
) -> Result<ProcessReport, StoreError> {
    let (process, zone) = (&stored.process, supplier.settings.time_zone);
    let standing = Standing::read(tx, supplier, std::iter::once(process), now)?;
    let history = tx.history(process.id())?;
    let last = history.last().and_then(|entry| entry.actor.known());
    let (waits_for, sentence) = standing.of(process, last);
    let issues = of_last_attempt(process, tx.issues(process.id())?);
    let archived_at = tx.archived_at(process.id())?;
    // PostgreSQL keeps the rows of archived payloads for a while.
    let references = match archived_at {
        Some(_) => References::default(),
        None => References::read(tx, process.id(), &issues)?,
    };
    Ok(ProcessReport {
        waits_for,
        sentence,
        status: process_status(process, zone),
        stored_status: process.stored_state(),
        is_undone: process.is_undone(),
        external_account_number: process.snapshot().external_account_number.to_string(),
        attempt: process.snapshot().attempt,
        archived_at,
        history,
        issues,
        references,
        billed_at: tx.heads_of(&[process.id()])?.pop().and_then(|head| head.billed_at),
        account: tx.imported_account(process.id())?,
        zone,
    })
}
