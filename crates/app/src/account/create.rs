use super::{Check, Refused, Wanted, check};
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step};
use crate::port::{MayConflict, Staged, StoreError, StoredIssue, StoredIssues, Supplier, Tx, write_anew};
use crate::{App, codec};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, Issue, ServiceAccountNumber, SupplierStatus};
use cutover_model::TaskParams;
use cutover_process::{Actor, CreateDecision, Event, NewProcess, Process, Submission, Window, on_create};

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

/// All that the transaction needs, owned: it runs on the writer's thread.
struct Create {
    supplier: Supplier,
    number: ExternalAccountNumber,
    submission: Submission,
    staged: Staged,
    issues: StoredIssues,
    actor: Actor,
    at: DateTime<Utc>,
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
        let create = self.prepare(check, actor, body)?;
        write_anew(&*self.store, move |tx| create.commit(tx))?;
        self.wake.call();
        Ok(Step::Done(()))
    }

    fn prepare(&self, check: Check<'_>, actor: Actor, body: &[u8]) -> Result<Create, CreateRefused> {
        let Check { request, supplier, report } = check;
        let broken = || StoreError::Failed("a payload without errors has no valid form".into());
        let (account, params) = request.into_valid().ok_or_else(broken)?;
        let number = account.external_account_number.as_sent().parse().map_err(|_| broken())?;
        Ok(Create {
            number,
            submission: submission(params.as_ref(), &supplier),
            staged: Staged {
                payload: codec::pack(body)?,
                fingerprint: codec::fingerprint(&account, params.as_ref()),
            },
            issues: StoredIssues { errors: Vec::new(), warnings: stored(&report.warnings) },
            actor,
            at: self.clock.now(),
            supplier,
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

impl Create {
    fn commit(&self, tx: &mut dyn Tx) -> Result<(), CreateRefused> {
        // The settings may have changed since the payload was checked.
        let supplier = tx.supplier_by_id(self.supplier.id)?;
        if !supplier.is_some_and(|s| s.settings.status == SupplierStatus::Ongoing) {
            return Err(CreateRefused::SupplierNotOngoing);
        }
        let existing = tx.process(self.supplier.id, &self.number)?;
        let same = existing.as_ref().is_some_and(|e| e.fingerprint == self.staged.fingerprint);
        let process = existing.map(|e| e.process);
        match (on_create(process.as_ref(), same), process) {
            (CreateDecision::Unchanged, _) => Ok(()),
            (CreateDecision::AlreadyImported { account }, _) => Err(CreateRefused::AlreadyImported(account)),
            (CreateDecision::InProgress, _) => Err(CreateRefused::InProgress),
            (CreateDecision::Replace, Some(process)) => {
                self.renew(tx, process, Event::Replaced(self.submission))
            }
            (CreateDecision::Resubmit, Some(process)) => {
                self.renew(tx, process, Event::Resubmitted(self.submission))
            }
            (CreateDecision::New | CreateDecision::Replace | CreateDecision::Resubmit, _) => self.insert(tx),
        }
    }

    fn insert(&self, tx: &mut dyn Tx) -> Result<(), CreateRefused> {
        let new = NewProcess {
            id: tx.next_process_id()?,
            supplier: self.supplier.code.clone(),
            external_account_number: self.number.clone(),
            submission: self.submission,
        };
        let (process, entry) = Process::create(new, self.at, self.actor.clone());
        Ok(tx.insert_process(self.supplier.id, &process, &entry, &self.staged, &self.issues)?)
    }

    fn renew(&self, tx: &mut dyn Tx, process: Process, event: Event) -> Result<(), CreateRefused> {
        let illegal = |e: cutover_process::IllegalStep| StoreError::Failed(e.to_string());
        let (process, entry) = process.step(event, self.at, self.actor.clone()).map_err(illegal)?;
        if !tx.step_process(&process, &entry)? {
            return Err(StoreError::Conflict("the process took another step".into()).into());
        }
        tx.restage(process.id(), &self.staged)?;
        Ok(tx.set_issues(process.id(), &self.issues)?)
    }
}
