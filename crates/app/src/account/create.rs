use super::create_times::CreateTimes;
use super::resubmit::resubmit;
use super::{Check, CreateRefused, check_for_create, check_from_memory, profile};
use crate::auth::Caller;
use crate::documents::{DocumentsWanted, FoundDocuments, Step};
use crate::fault::{self, Point};
use crate::port::{Creation, Staged, Staging, StagingDone, StoreError, StoredIssue, StoredIssues, Supplier};
use crate::{App, codec};
use cutover_core::{Issue, IssueSource, SupplierStatus};
use cutover_model::{TaskParams, Totals};
use cutover_process::{Actor, NewProcess, Submission, Window};
use cutover_rules::contract_to_look_up;
use std::sync::Arc;

/// Maximum number of checks of a payload whose supplier changes meanwhile.
const CHECKS: u32 = 3;

/// The next step of a create (contract 4.1, D5). Each step but the last is a state of its own: its driver performs
/// it, and gets the next one.
///
/// No step waits for another service, so the driver decides what may block: the API awaits each step on its own
/// threads, tests perform one after the other.
#[derive(Debug)]
#[must_use = "the account is stored only after the last step"]
pub enum CreateStep {
    /// [`CheckAccount::run`]: decodes and checks the payload, and reads from the store. Blocks.
    Check(CheckAccount),
    /// [`App::look_up`] the documents, then [`LookUpDocuments::found`].
    LookUp(LookUpDocuments),
    /// [`App::stage`] the account, then [`StageAccount::staged`].
    Stage(StageAccount),
    /// [`ResubmitAccount::run`]: decides on an account that has a process already. Blocks.
    Resubmit(ResubmitAccount),
    /// The account is durably stored.
    Done(Arc<Creation>),
}

/// The part of a create that lasts from its first step to its last.
#[derive(Debug)]
struct Create {
    caller: Caller,
    request_id: Option<String>,
    checks_left: u32,
    times: CreateTimes,
}

/// A payload that is to be checked.
#[derive(Debug)]
pub struct CheckAccount {
    create: Create,
    found: Option<FoundDocuments>,
}

/// A payload whose documents must be known before it is checked.
#[derive(Debug)]
pub struct LookUpDocuments {
    create: Create,
    wanted: DocumentsWanted,
}

/// An accepted account that is to be stored.
#[derive(Debug)]
pub struct StageAccount {
    create: Create,
    creation: Arc<Creation>,
}

/// An accepted account that has a process already.
#[derive(Debug)]
pub struct ResubmitAccount {
    create: Create,
    creation: Arc<Creation>,
}

impl CheckAccount {
    /// Begins a create. The history of the account's process carries the id of the request.
    pub fn new(caller: Caller, request_id: Option<String>) -> Self {
        let times = CreateTimes::default();
        Self { create: Create { caller, request_id, checks_left: CHECKS, times }, found: None }
    }

    /// Dates the create after those of the same account that had these times before.
    pub fn dated(mut self, times: CreateTimes) -> Self {
        self.create.times = times;
        self
    }

    /// Checks the payload against cached settings of its supplier, without waiting for anything. Goes on to
    /// [`CreateStep::Stage`] if that suffices to accept it, and otherwise stays [`CreateStep::Check`].
    pub fn run_cached(self, app: &App, body: &[u8]) -> CreateStep {
        let check = check_from_memory(app, &self.create.caller, body);
        match check.and_then(|check| creation(app, check, &self.create, body).ok()) {
            Some(creation) => self.create.checked(creation),
            None => CreateStep::Check(self),
        }
    }

    /// Checks the payload.
    ///
    /// # Errors
    /// [`CreateRefused`].
    pub fn run(self, app: &App, body: &[u8]) -> Result<CreateStep, CreateRefused> {
        let Self { create, found } = self;
        match check_for_create(app, &create.caller, body, found.as_ref(), &create.times)? {
            Step::Done(check) => {
                let creation = creation(app, check, &create, body)?;
                Ok(create.checked(creation))
            }
            Step::Documents(wanted) => Ok(CreateStep::LookUp(LookUpDocuments { create, wanted })),
        }
    }
}

impl LookUpDocuments {
    /// The documents to look up.
    pub fn wanted(&self) -> &DocumentsWanted {
        &self.wanted
    }

    /// Goes on with the documents found.
    pub fn found(self, found: FoundDocuments) -> CreateStep {
        CreateStep::Check(CheckAccount { create: self.create, found: Some(found) })
    }
}

impl StageAccount {
    /// The account to store.
    pub fn creation(&self) -> &Arc<Creation> {
        &self.creation
    }

    /// Goes on with the answer of the store.
    ///
    /// # Errors
    /// [`CreateRefused::SupplierChanging`] if the supplier has changed too often.
    pub fn staged(self, staging: Staging) -> Result<CreateStep, CreateRefused> {
        let Self { create, creation } = self;
        match staging {
            Staging::Staged => Ok(CreateStep::Done(creation)),
            Staging::Exists => Ok(CreateStep::Resubmit(ResubmitAccount { create, creation })),
            Staging::SupplierChanged => create.supplier_changed(),
        }
    }
}

impl ResubmitAccount {
    /// Decides on the account, and replaces or renews its process if it may.
    ///
    /// # Errors
    /// [`CreateRefused`]; nothing is changed then.
    pub fn run(self, app: &App) -> Result<CreateStep, CreateRefused> {
        let Self { create, creation } = self;
        match resubmit(app, &creation) {
            Ok(()) => Ok(CreateStep::Done(creation)),
            Err(CreateRefused::SupplierChanging) => create.supplier_changed(),
            Err(refused) => Err(refused),
        }
    }
}

impl Create {
    fn checked(mut self, creation: Arc<Creation>) -> CreateStep {
        self.checks_left -= 1;
        CreateStep::Stage(StageAccount { create: self, creation })
    }

    /// Has the payload checked again, by the new settings.
    fn supplier_changed(self) -> Result<CreateStep, CreateRefused> {
        match self.checks_left {
            0 => Err(CreateRefused::SupplierChanging),
            _ => Ok(CreateStep::Check(CheckAccount { create: self, found: None })),
        }
    }
}

impl App {
    /// Hands an account to the store and returns at once. `done` is called with the answer, see
    /// [`Store::stage`](crate::port::Store::stage).
    pub fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        let wake = self.wake.clone();
        let number = creation.process.external_account_number.clone();
        let (supplier_id, at, refused) = (creation.supplier_id, creation.at, self.refused.clone());
        let told = Box::new(move |staging| {
            if staging == Ok(Staging::Staged) {
                refused.accepted(supplier_id, number.as_str(), at);
                fault::reached(Point::Staged, number.as_str());
                wake.notify_one();
            }
            done(staging);
        });
        self.store.stage(creation, told);
    }
}

/// An account as it is stored, from its checked payload.
fn creation(
    app: &App,
    check: Check<'_>,
    create: &Create,
    body: &[u8],
) -> Result<Arc<Creation>, CreateRefused> {
    let Check { request, supplier, report } = check;
    if supplier.settings.status != SupplierStatus::Ongoing {
        return Err(CreateRefused::SupplierNotOngoing);
    }
    let contract = contract_to_look_up(&request).map(str::to_owned);
    let broken = || StoreError::Failed("a payload without errors has no valid form".into());
    let (account, params) = request.into_valid().ok_or_else(broken)?;
    let number = account.external_account_number.as_sent().parse().map_err(|_| broken())?;
    let mark = app.refusing_mark(&supplier, &profile(Some(&supplier)), &number)?;
    let payload = codec::pack(body)?;
    let Create { caller, request_id, times, .. } = create;
    Ok(Arc::new(Creation {
        supplier_id: supplier.id,
        supplier_revision: supplier.revision,
        process: NewProcess {
            external_account_number: number,
            submission: submission(params.as_ref(), &supplier),
            supplier: supplier.code.clone(),
        },
        staged: Staged {
            fingerprint: codec::fingerprint(&payload),
            payload,
            totals: Totals::of(&account, supplier.settings.time_zone),
            terms: app.search_terms()?.at(supplier.id).of_account(&account),
        },
        issues: StoredIssues { errors: Vec::new(), warnings: stored(&report.warnings) },
        actor: Actor::Api { key_prefix: caller.key_prefix.clone(), request_id: request_id.clone() },
        at: times.next(app.clock.now()),
        contract,
        mark,
    }))
}

fn submission(params: Option<&TaskParams<'_>>, supplier: &Supplier) -> Submission {
    let zone = supplier.settings.time_zone;
    let asked = params.and_then(|p| p.is_dry_run).unwrap_or_default();
    let start = params.and_then(|p| p.schedule_window_start.value()?.instant(zone));
    let end = params.and_then(|p| p.schedule_window_end.value()?.instant(zone));
    Submission { is_dry_run: asked || supplier.settings.dry_run, window: Window { start, end } }
}

/// Issues of an account as they are kept with its process.
pub(crate) fn stored(issues: &[Issue]) -> Vec<StoredIssue> {
    stored_of(issues, IssueSource::Account)
}

/// Issues of a request as they are kept with a process.
pub(crate) fn stored_of(issues: &[Issue], source: IssueSource) -> Vec<StoredIssue> {
    let stored = |issue: &Issue| StoredIssue {
        attr: issue.attr.to_string(),
        pattern: issue.attr.pattern(),
        code: issue.code.to_string(),
        rule: Some(issue.rule.to_string()),
        detail: issue.detail.to_string(),
        source: source.into(),
    };
    issues.iter().map(stored).collect()
}
