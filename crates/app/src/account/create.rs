use super::{Check, Refused, Wanted, check};
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step};
use crate::port::{
    Creation, MayConflict, Staged, Staging, StepWrite, StoreError, StoredIssue, StoredIssues, StoredProcess,
    Supplier, Tx, write_anew,
};
use crate::{App, codec};
use cutover_core::{Issue, ServiceAccountNumber, SupplierStatus};
use cutover_model::TaskParams;
use cutover_process::{Actor, CreateDecision, Event, NewProcess, Process, Submission, Window, on_create};
use std::sync::Arc;

/// Why an account was not scheduled (contract 7.2, 7.3, decisions D4, D5).
#[derive(Debug, thiserror::Error)]
pub enum CreateRefused {
    /// The payload was refused.
    #[error(transparent)]
    Payload(#[from] Refused),
    /// The supplier is Paused or Complete.
    #[error("the import supplier takes no accounts now")]
    SupplierNotOngoing,
    /// The account exists.
    #[error("the account has been imported already")]
    AlreadyImported(ServiceAccountNumber),
    /// The account is being imported.
    #[error("the account is being imported")]
    InProgress,
}

impl From<StoreError> for CreateRefused {
    fn from(error: StoreError) -> Self {
        Self::Payload(Refused::Store(error))
    }
}

impl MayConflict for CreateRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Payload(Refused::Store(StoreError::Conflict(_))))
    }
}

impl App {
    /// Checks an account payload and schedules its import (contract 4.1). When this returns, the
    /// payload is durably stored. The history carries the request's id.
    ///
    /// # Errors
    /// [`CreateRefused`]; nothing is stored then.
    pub fn create_account(
        &self,
        caller: &Caller,
        request_id: Option<String>,
        body: &[u8],
        found: Option<&FoundDocuments>,
    ) -> Result<Step<()>, CreateRefused> {
        let actor = Actor::Api { key_prefix: caller.key_prefix.clone(), request_id };
        let check = match check(self, caller, body, Wanted::All, found)? {
            Step::Done(check) => check,
            Step::Documents(wanted) => return Ok(Step::Documents(wanted)),
        };
        let creation = Arc::new(self.creation(check, actor, body)?);
        match self.store.stage(creation.clone())? {
            Staging::Staged => {}
            Staging::SupplierNotOngoing => return Err(CreateRefused::SupplierNotOngoing),
            Staging::Exists => write_anew(&*self.store, move |tx| resubmit(tx, &creation))?,
        }
        self.wake.call_one();
        self.store.tell_of_work();
        Ok(Step::Done(()))
    }

    fn creation(&self, check: Check<'_>, actor: Actor, body: &[u8]) -> Result<Creation, CreateRefused> {
        let Check { request, supplier, report } = check;
        let broken = || StoreError::Failed("a payload without errors has no valid form".into());
        let (account, params) = request.into_valid().ok_or_else(broken)?;
        let number = account.external_account_number.as_sent().parse().map_err(|_| broken())?;
        Ok(Creation {
            supplier_id: supplier.id,
            process: NewProcess {
                external_account_number: number,
                submission: submission(params.as_ref(), &supplier),
                supplier: supplier.code,
            },
            staged: Staged {
                payload: codec::pack(body)?,
                fingerprint: codec::fingerprint(&account, params.as_ref()),
            },
            issues: StoredIssues { errors: Vec::new(), warnings: stored(&report.warnings) },
            actor,
            at: self.clock.now(),
        })
    }
}

fn submission(params: Option<&TaskParams<'_>>, supplier: &Supplier) -> Submission {
    let zone = supplier.settings.time_zone;
    let asked = params.and_then(|p| p.is_dry_run).unwrap_or_default();
    let start = params.and_then(|p| p.schedule_window_start.value()?.instant(zone));
    let end = params.and_then(|p| p.schedule_window_end.value()?.instant(zone));
    Submission { is_dry_run: asked || supplier.settings.dry_run, window: Window { start, end } }
}

/// Issues as they are kept with a process.
pub(crate) fn stored(issues: &[Issue]) -> Vec<StoredIssue> {
    let stored = |issue: &Issue| StoredIssue {
        attr: issue.attr.to_string(),
        code: issue.code.to_string(),
        detail: issue.detail.to_string(),
    };
    issues.iter().map(stored).collect()
}

/// Decides on an account that has a process already.
fn resubmit(tx: &mut dyn Tx, creation: &Creation) -> Result<(), CreateRefused> {
    let number = &creation.process.external_account_number;
    tx.lock_process(creation.supplier_id, number)?;
    let gone = || StoreError::Conflict("the process is gone".into());
    let existing = tx.process(creation.supplier_id, number)?.ok_or_else(gone)?;
    if is_of(creation, &existing) {
        return Ok(());
    }
    // The settings may have changed since the payload was checked.
    let supplier = tx.supplier_by_id(creation.supplier_id)?;
    if !supplier.is_some_and(|s| s.settings.status == SupplierStatus::Ongoing) {
        return Err(CreateRefused::SupplierNotOngoing);
    }
    let StoredProcess { process, fingerprint, .. } = existing;
    let submission = creation.process.submission;
    match on_create(Some(&process), fingerprint == creation.staged.fingerprint) {
        CreateDecision::Unchanged => Ok(()),
        CreateDecision::AlreadyImported { account } => Err(CreateRefused::AlreadyImported(account)),
        CreateDecision::InProgress => Err(CreateRefused::InProgress),
        CreateDecision::Replace => renew(tx, creation, process, Event::Replaced(submission)),
        CreateDecision::Resubmit => renew(tx, creation, process, Event::Resubmitted(submission)),
        CreateDecision::New => Err(gone().into()),
    }
}

/// Whether the process is of this very creation: where the answer to a commit was lost, the store finds what it
/// has stored, and a worker may have claimed or imported it by then. Two that sent the same content in the same
/// microsecond are one submission.
fn is_of(creation: &Creation, existing: &StoredProcess) -> bool {
    let created_at = existing.process.snapshot().created_at;
    created_at.timestamp_micros() == creation.at.timestamp_micros()
        && existing.fingerprint == creation.staged.fingerprint
}

fn renew(tx: &mut dyn Tx, creation: &Creation, process: Process, event: Event) -> Result<(), CreateRefused> {
    let illegal = |e: cutover_process::IllegalStep| StoreError::Failed(e.to_string());
    let (process, entry) = process.step(event, creation.at, creation.actor.clone()).map_err(illegal)?;
    let step = StepWrite { process: &process, entry: &entry, issues: Some(&creation.issues) };
    if tx.step_processes(&[step])? != [true] {
        return Err(StoreError::Conflict("the process took another step".into()).into());
    }
    Ok(tx.restage(process.id(), &creation.staged)?)
}
