use super::{Check, Refused, check, check_from_memory};
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step};
use crate::fault::{self, Point};
use crate::port::{
    Creation, MayConflict, Staged, Staging, StagingDone, StoreError, StoredIssue, StoredIssues, Supplier,
    stage,
};
use crate::{App, codec};
use cutover_core::{Issue, ServiceAccountNumber, SupplierStatus};
use cutover_model::TaskParams;
use cutover_process::{Actor, NewProcess, Submission, Window};
use std::sync::Arc;

/// Why an account was not scheduled (contract 7.2, 7.3, D4, D5).
#[derive(Debug, thiserror::Error)]
pub enum CreateRefused {
    /// The payload was refused.
    #[error(transparent)]
    Payload(#[from] Refused),
    /// The supplier is Paused or Complete.
    #[error("the import supplier takes no accounts now")]
    SupplierNotOngoing,
    /// The settings of the supplier are being changed.
    #[error("the import supplier is being changed")]
    SupplierChanging,
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
    /// Checks an account payload and schedules its import (contract 4.1), for who may wait: what
    /// [`creation`](Self::creation), [`stage`](Self::stage) and [`resubmit`](Self::resubmit) do. When this
    /// returns, the payload is durably stored. The history carries the request's id.
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
        let creation = match self.creation(caller, request_id, body, found)? {
            Step::Done(creation) => creation,
            Step::Documents(wanted) => return Ok(Step::Documents(wanted)),
        };
        match stage(&*self.store, creation.clone())? {
            Staging::Staged => self.wake.notify_one(),
            Staging::Exists => self.resubmit(creation)?,
            Staging::SupplierChanged => return Err(CreateRefused::SupplierChanging),
        }
        Ok(Step::Done(()))
    }

    /// An account as it is to be stored, if its payload is accepted by what is remembered of its supplier: takes
    /// no wait. `None` says nothing: the store has to be asked, see [`creation`](Self::creation).
    pub fn creation_from_memory(
        &self,
        caller: &Caller,
        request_id: Option<String>,
        body: &[u8],
    ) -> Option<Arc<Creation>> {
        let check = check_from_memory(self, caller, body)?;
        self.creation_of(check, caller, request_id, body).ok()
    }

    /// An account as it is to be stored, once its payload was checked.
    ///
    /// # Errors
    /// [`CreateRefused`].
    pub fn creation(
        &self,
        caller: &Caller,
        request_id: Option<String>,
        body: &[u8],
        found: Option<&FoundDocuments>,
    ) -> Result<Step<Arc<Creation>>, CreateRefused> {
        match check(self, caller, body, found)? {
            Step::Done(check) => self.creation_of(check, caller, request_id, body).map(Step::Done),
            Step::Documents(wanted) => Ok(Step::Documents(wanted)),
        }
    }

    /// Hands an account to the store and comes back at once; `done` hears what became of it, see
    /// [`Store::stage`](crate::port::Store::stage). Of [`Staging::Exists`] it is to be submitted once more
    /// ([`resubmit`](Self::resubmit)), of [`Staging::SupplierChanged`] to be checked anew
    /// ([`creation`](Self::creation)).
    pub fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let wake = self.wake.clone();
        let number = creation.process.external_account_number.clone();
        let told = Box::new(move |staging| {
            if staging == Ok(Staging::Staged) {
                fault::reached(Point::Staged, number.as_str());
                wake.notify_one();
            }
            done(staging);
        });
        self.store.stage(creation, told);
    }

    fn creation_of(
        &self,
        check: Check<'_>,
        caller: &Caller,
        request_id: Option<String>,
        body: &[u8],
    ) -> Result<Arc<Creation>, CreateRefused> {
        let Check { request, supplier, report } = check;
        if supplier.settings.status != SupplierStatus::Ongoing {
            return Err(CreateRefused::SupplierNotOngoing);
        }
        let broken = || StoreError::Failed("a payload without errors has no valid form".into());
        let (account, params) = request.into_valid().ok_or_else(broken)?;
        let number = account.external_account_number.as_sent().parse().map_err(|_| broken())?;
        let payload = codec::pack(body)?;
        Ok(Arc::new(Creation {
            supplier_id: supplier.id,
            supplier_revision: supplier.revision,
            process: NewProcess {
                external_account_number: number,
                submission: submission(params.as_ref(), &supplier),
                supplier: supplier.code.clone(),
            },
            staged: Staged { fingerprint: codec::fingerprint(&payload), payload },
            issues: StoredIssues { errors: Vec::new(), warnings: stored(&report.warnings) },
            actor: Actor::Api { key_prefix: caller.key_prefix.clone(), request_id },
            at: self.clock.now(),
        }))
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
