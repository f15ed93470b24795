use super::suppliers::find;
use super::{OperatorError, Told};
use crate::App;
use crate::account::process_status;
use crate::port::{
    AuditAction, ImportedAccount, Operator, PageLimit, ProcessFilter, StepWrite, StoreError, StoredIssues,
    StoredProcess, Subject, Supplier, Tx, read,
};
use chrono::{DateTime, Utc};
use cutover_core::{Word, Zone};
use cutover_model::ProcessStatus;
use cutover_process::{Actor, Event, HistoryEntry, Process, State};

/// How many processes are read at a time.
const PAGE: u32 = 1_000;

/// All that is known of a process (contract D11).
#[derive(Debug, Clone)]
pub struct ProcessReport {
    /// The status as the API shows it.
    pub status: ProcessStatus,
    /// The status as stored: a newer version may have written one that the API does not show.
    pub stored_status: Word<State>,
    /// The account's number at its previous supplier.
    pub external_account_number: String,
    /// The number of the current or last attempt.
    pub attempt: u32,
    /// When its payload and its history were archived, if they are.
    pub archived_at: Option<DateTime<Utc>>,
    /// Oldest first; without what is archived.
    pub history: Vec<HistoryEntry>,
    /// Errors of a rejected import, and warnings.
    pub issues: StoredIssues,
    /// What was imported.
    pub account: Option<ImportedAccount>,
    /// Where times are shown.
    pub zone: Zone,
}

impl App {
    /// Calls with every process of a supplier by creation, of one status if given.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn each_process(
        &self,
        supplier: &str,
        status: Option<State>,
        mut f: impl FnMut(&Process, Zone),
    ) -> Result<(), OperatorError> {
        let supplier = self.show_supplier(supplier)?;
        let filter = ProcessFilter { state: status, ..ProcessFilter::default() };
        let mut after = None;
        loop {
            let limit = PageLimit::of(PAGE);
            let page = read(&*self.store, |tx| tx.list_processes(supplier.id, filter, after, limit))?;
            page.processes.iter().for_each(|listed| f(&listed.process, supplier.settings.time_zone));
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// All that is known of a process.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn show_process(&self, supplier: &str, number: &str) -> Result<ProcessReport, OperatorError> {
        let found = read(&*self.store, |tx| {
            let Some((supplier, stored)) = locate(tx, supplier, number)? else { return Ok(None) };
            report(tx, &supplier, &stored).map(Some)
        })?;
        found.ok_or_else(|| missing(supplier, number))
    }

    /// Takes a pending process out.
    ///
    /// # Errors
    /// [`OperatorError::Refused`] if its state does not allow it.
    pub fn cancel_process(&self, supplier: &str, number: &str) -> Result<ProcessStatus, OperatorError> {
        Ok(self.step_process(&self.operator, supplier, number, Intent::Cancel)?.1)
    }

    /// Starts another attempt at a process that ended without an account.
    ///
    /// # Errors
    /// [`OperatorError::Refused`] if its state does not allow it, or its payload is archived.
    pub fn retry_process(&self, supplier: &str, number: &str) -> Result<ProcessStatus, OperatorError> {
        Ok(self.step_process(&self.operator, supplier, number, Intent::Retry)?.1)
    }

    /// The id of the process, and how it stands then.
    pub(super) fn step_process(
        &self,
        by: &Operator,
        supplier: &str,
        number: &str,
        intent: Intent,
    ) -> Result<(i64, ProcessStatus), OperatorError> {
        let (supplier, number) = (supplier.to_owned(), number.to_owned());
        let (event, action) = intent.event();
        let stepped = self.act(by, action, move |tx, at| {
            let (supplier, stored) =
                locate(tx, &supplier, &number)?.ok_or_else(|| missing(&supplier, &number))?;
            let refused = |e: cutover_process::IllegalStep| OperatorError::Refused(e.to_string());
            let (process, entry) = stored.process.step(event, at, Actor::Operator).map_err(refused)?;
            // Errors kept with it are those of the attempt that ended.
            let issues = StoredIssues { errors: Vec::new(), ..tx.issues(process.id())? };
            let step = StepWrite { process: &process, entry: &entry, issues: Some(&issues) };
            if tx.step_processes(&[step])? != [true] {
                let met = StoreError::Conflict("the process took another step; try again".into());
                return Err(OperatorError::from(met));
            }
            // Asked now that nobody else can change it.
            if let Some(archived_at) = tx.archived_at(process.id())? {
                let day = archived_at.date_naive();
                return Err(OperatorError::Refused(format!(
                    "its payload was archived on {day}: send it again"
                )));
            }
            let told = Told::of(Subject::process(&supplier, process.id()));
            Ok(((process.id(), process_status(&process, supplier.settings.time_zone)), told))
        })?;
        self.wake.call_one();
        self.store.tell_of_work();
        Ok(stepped)
    }
}

/// What operators do to a process.
#[derive(Debug, Clone, Copy)]
pub(super) enum Intent {
    /// Take it out.
    Cancel,
    /// Try it again.
    Retry,
}

impl Intent {
    fn event(self) -> (Event, AuditAction) {
        match self {
            Self::Cancel => (Event::Cancelled, AuditAction::ProcessCancelled),
            Self::Retry => (Event::RetriedByOperator, AuditAction::ProcessRetried),
        }
    }
}

pub(super) fn missing(supplier: &str, number: &str) -> OperatorError {
    OperatorError::not_found("process", format!("{supplier}/{number}"))
}

/// The process of a supplier's code and an account's number, whatever texts they are.
pub(super) fn locate(
    tx: &mut dyn Tx,
    supplier: &str,
    number: &str,
) -> Result<Option<(Supplier, StoredProcess)>, StoreError> {
    let Some(supplier) = find(tx, supplier)? else { return Ok(None) };
    let Ok(number) = number.parse() else { return Ok(None) };
    Ok(tx.process(supplier.id, &number)?.map(|stored| (supplier, stored)))
}

pub(super) fn report(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    stored: &StoredProcess,
) -> Result<ProcessReport, StoreError> {
    let (process, zone) = (&stored.process, supplier.settings.time_zone);
    Ok(ProcessReport {
        status: process_status(process, zone),
        stored_status: process.stored_state(),
        external_account_number: process.snapshot().external_account_number.to_string(),
        attempt: process.snapshot().attempt,
        archived_at: tx.archived_at(process.id())?,
        history: tx.history(process.id())?,
        issues: tx.issues(process.id())?,
        account: tx.imported_account(process.id(), zone)?,
        zone,
    })
}
