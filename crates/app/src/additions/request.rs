use crate::App;
use crate::account::{profile, stored_of};
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step, missing};
use crate::port::{
    MayConflict, NewFeedEvent, StoreError, StoredIssue, Supplier, Tx, WantedDocument, read_committed,
};
use chrono::{DateTime, Utc};
use cutover_core::{
    Code, ExternalAccountNumber, FeedEventType, Issue, IssueSource, Now, ServiceAccountNumber, SupplierCode,
    Zone,
};
use cutover_model::certificate::{Addition, addition_contents};
use cutover_model::{ContentHash, Decoded, EventData, Field, Limits, SyntaxError, Text, Totals};
use cutover_process::State;
use cutover_rules::{Facts, Profile, Report, UniqueDetail, listed};
use std::collections::BTreeSet;

/// Reason why nothing was added (contract D4, D8, rules 9).
#[derive(Debug, thiserror::Error)]
pub enum AddRefused {
    /// The body is not JSON (rule STR-18).
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The errors of the request, in the order of the answer.
    #[error("the request failed validation")]
    Faults(Vec<Issue>),
    /// There is no imported account: `account_not_found` or `import_process_does_not_exist`.
    #[error("there is no imported account")]
    NotFound(Code),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AddRefused {
    /// Refuses a request with issues that a use case found, sorted for the answer.
    pub(super) fn faults(found: Vec<Issue>) -> Self {
        Self::Faults(listed(found))
    }
}

impl MayConflict for AddRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// A request of version 1 that [`check`] can process.
pub(super) trait Request<'j>: Sized {
    /// Decodes a body.
    fn decode(body: &'j [u8], zone: Zone, limits: Limits) -> Result<Decoded<Self>, SyntaxError>;

    /// Checks the decoded request against the rules.
    fn check(decoded: &Decoded<Self>, facts: Facts<'_>, profile: &Profile) -> Report;

    /// Returns the member that names the import supplier.
    fn supplier(&self) -> &Field<Text<'j>>;

    /// Returns the documents that the request names.
    fn documents(&self) -> Vec<WantedDocument> {
        Vec::new()
    }

    /// Returns the facts of a business that another one of the organisation has (rule BUS-10).
    fn taken_details(
        &self,
        _: &App,
        _: &Caller,
        _: &Profile,
    ) -> Result<Option<BTreeSet<UniqueDetail>>, StoreError> {
        Ok(None)
    }
}

/// Implements [`Request`] with functions of the model and the rules.
macro_rules! request {
    ($name:ident: $decode:path, $check:path, $supplier:ident $(, $documents:path)? $(; $taken_details:path)?) => {
        impl<'j> super::request::Request<'j> for cutover_model::draft::$name<'j> {
            fn decode(
                body: &'j [u8],
                zone: cutover_core::Zone,
                limits: cutover_model::Limits,
            ) -> Result<cutover_model::Decoded<Self>, cutover_model::SyntaxError> {
                $decode(body, zone, limits)
            }

            fn check(
                decoded: &cutover_model::Decoded<Self>,
                facts: cutover_rules::Facts<'_>,
                profile: &cutover_rules::Profile,
            ) -> cutover_rules::Report {
                $check(decoded, facts, profile)
            }

            fn supplier(&self) -> &cutover_model::Field<cutover_model::Text<'j>> {
                &self.$supplier
            }

            $(
                fn documents(&self) -> Vec<crate::port::WantedDocument> {
                    $documents(self)
                }
            )?

            $(
                fn taken_details(
                    &self,
                    app: &crate::App,
                    caller: &crate::auth::Caller,
                    profile: &cutover_rules::Profile,
                ) -> Result<Option<std::collections::BTreeSet<cutover_rules::UniqueDetail>>, crate::port::StoreError> {
                    $taken_details(self, app, caller, profile).map(Some)
                }
            )?
        }
    };
}
pub(super) use request;

/// A checked request.
pub(super) struct Checked<R> {
    pub(super) request: Option<R>,
    pub(super) supplier: Option<Supplier>,
    pub(super) report: Report,
    pub(super) now: Now,
}

impl<R> Checked<R> {
    /// Returns the warnings as they are kept with the account.
    pub(super) fn warnings(&self, source: IssueSource) -> Vec<StoredIssue> {
        stored_of(&self.report.warnings, source)
    }

    /// Returns the request if it has no errors.
    pub(super) fn accepted(self) -> Result<(R, Option<Supplier>, Now), AddRefused> {
        match self.request {
            Some(request) if self.report.errors.is_empty() => Ok((request, self.supplier, self.now)),
            _ => Err(AddRefused::faults(self.report.errors)),
        }
    }
}

/// Decodes and checks a request of a caller, as all endpoints of version 1 do.
pub(super) fn check<'j, R: Request<'j>>(
    app: &App,
    caller: &Caller,
    body: &'j [u8],
    found: Option<&FoundDocuments>,
) -> Result<Step<Checked<R>>, AddRefused> {
    let limits = app.settings.limits;
    let mut decoded = R::decode(body, Zone::UTC, limits)?;
    let supplier = match decoded.draft.as_ref().and_then(|request| code(request.supplier())) {
        Some(code) => read_committed(&*app.store, |tx| tx.supplier_of(caller.organisation_id, &code))?,
        None => None,
    };
    let zone = supplier.as_ref().map_or(Zone::UTC, |s| s.settings.time_zone);
    if decoded.zone_matters && zone != Zone::UTC {
        decoded = R::decode(body, zone, limits)?;
    }
    let documents = || decoded.draft.as_ref().map(R::documents).unwrap_or_default();
    if let Some(documents) = missing(supplier.as_ref(), found, documents) {
        return Ok(Step::Documents(documents));
    }
    let now = Now::new(app.clock.now(), zone);
    let profile = profile(supplier.as_ref());
    let taken_details = match &decoded.draft {
        Some(request) => request.taken_details(app, caller, &profile)?,
        None => None,
    };
    let facts = Facts {
        supplier_known: Some(supplier.is_some()),
        taken_details: taken_details.as_ref(),
        documents: found.map(FoundDocuments::states),
        ..Facts::at(now)
    };
    let report = R::check(&decoded, facts, &profile);
    Ok(Step::Done(Checked { request: decoded.draft, supplier, report, now }))
}

/// Like [`check`], for requests that name no documents.
pub(super) fn check_at_once<'j, R: Request<'j>>(
    app: &App,
    caller: &Caller,
    body: &'j [u8],
) -> Result<Checked<R>, AddRefused> {
    match check(app, caller, body, None)? {
        Step::Done(checked) => Ok(checked),
        Step::Documents(_) => Err(StoreError::Failed("the request names documents".into()).into()),
    }
}

fn code(field: &Field<Text<'_>>) -> Option<SupplierCode> {
    field.usable()?.trimmed().parse().ok()
}

/// Hashes what a request adds, item by item, as it was sent.
pub(super) fn contents(kind: Addition, body: &[u8]) -> Result<Vec<ContentHash>, StoreError> {
    addition_contents(kind, body).map_err(|_| StoreError::Failed("a valid request is not JSON".into()))
}

/// Unwraps the valid form, which every request without errors has.
pub(super) fn valid<T>(form: Option<T>) -> Result<T, StoreError> {
    form.ok_or_else(|| StoreError::Failed("a request without errors has no valid form".into()))
}

/// The imported account that a request adds to.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Its key in the store.
    pub(super) id: i64,
    /// The key of its supplier.
    supplier_id: i64,
    /// Its number at its previous supplier.
    external_number: ExternalAccountNumber,
    /// Its number at this service.
    pub(super) number: ServiceAccountNumber,
}

/// Maximum number of warnings of requests after the import that are kept with an account.
const MAX_WARNINGS: usize = 1_000;

impl Target {
    /// Keeps warnings with the account, which is locked. A warning that it has already is not added again, so
    /// that a repeated request changes nothing; nor are more than [`MAX_WARNINGS`] kept.
    pub(super) fn add_warnings(&self, tx: &mut dyn Tx, warnings: &[StoredIssue]) -> Result<(), StoreError> {
        if warnings.is_empty() {
            return Ok(());
        }
        let mut issues = tx.issues(self.id)?;
        let kept = issues.warnings.len();
        let mut added = issues.warnings.iter().filter(|issue| issue.source != IssueSource::Account).count();
        for warning in warnings {
            if added < MAX_WARNINGS && !issues.warnings.contains(warning) {
                issues.warnings.push(warning.clone());
                added += 1;
            }
        }
        if issues.warnings.len() > kept { tx.set_issues(self.id, &issues) } else { Ok(()) }
    }

    /// Counts an addition to the account, which is locked, in the totals of its supplier, and keeps with the account what
    /// certificates say of it: the hashes of what was added, and the change of the totals.
    pub(super) fn count(
        &self,
        tx: &mut dyn Tx,
        contents: &[ContentHash],
        added: &Totals,
    ) -> Result<(), StoreError> {
        if contents.is_empty() {
            return Ok(());
        }
        tx.add_totals(self.supplier_id, added)?;
        tx.certify_addition(self.id, contents, added)
    }

    /// Notes with the account, which is locked, that `count` things were added to it, if there are any, and publishes it.
    pub(super) fn note_added(
        &self,
        tx: &mut dyn Tx,
        event_type: FeedEventType,
        count: usize,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if count == 0 {
            return Ok(());
        }
        tx.mark_added(self.id, at)?;
        tx.publish(&NewFeedEvent {
            supplier_id: self.supplier_id,
            event_type,
            occurred_at: at,
            external_account_number: Some(self.external_number.clone()),
            service_account_number: Some(self.number.clone()),
            data: Some(EventData::count(count as u64)),
        })
    }
}

/// Returns the imported account of a supplier and number, or the code of the 404 if there is none (contract
/// D8).
pub(super) fn target(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
) -> Result<Result<Target, Code>, StoreError> {
    let Some(stored) = tx.process(supplier_id, number)? else {
        return Ok(Err(Code::ImportProcessDoesNotExist));
    };
    let snapshot = stored.process.snapshot();
    let account =
        snapshot.service_account_number.clone().filter(|_| stored.process.state() == State::Processed);
    let target = |account_number| Target {
        id: snapshot.id,
        supplier_id,
        external_number: number.clone(),
        number: account_number,
    };
    Ok(account.map(target).ok_or(Code::AccountNotFound))
}

/// Like [`target`], and locks the account against other additions.
pub(super) fn target_to_change(
    tx: &mut dyn Tx,
    supplier_id: i64,
    number: &ExternalAccountNumber,
) -> Result<Result<Target, Code>, StoreError> {
    let target = target(tx, supplier_id, number)?;
    match &target {
        // The retry does not find it.
        Ok(target) if !tx.lock_numbered(target.id, &target.number)? => {
            Err(StoreError::Conflict("the account has been removed".into()))
        }
        _ => Ok(target),
    }
}

/// The error for totals that cannot be added.
pub(super) fn out_of_range() -> StoreError {
    StoreError::Failed("a total is out of range".into())
}

/// Parses the account number of a valid request. An invalid number names no account.
pub(super) fn number(text: &Text<'_>) -> Result<ExternalAccountNumber, AddRefused> {
    text.as_sent().parse().map_err(|_| AddRefused::NotFound(Code::ImportProcessDoesNotExist))
}

/// Returns the supplier, or the 404 for an unknown account (rule PST-03).
pub(super) fn known(supplier: Option<Supplier>) -> Result<Supplier, AddRefused> {
    supplier.ok_or(AddRefused::NotFound(Code::ImportProcessDoesNotExist))
}
