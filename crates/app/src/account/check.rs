use super::facts::{Known, Sought};
use crate::App;
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step, missing};
use crate::port::{StoreError, Supplier, glance};
use cutover_core::{Issue, Now, SupplierCode, Zone};
use cutover_model::{AccountRequest, Decoded, Limits, SyntaxError, decode_account_within};
use cutover_rules::{Facts, Profile, Report, check_account, documents_of_account};

/// Why an account payload was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not JSON (rules STR-18).
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// Its errors, in the order of an answer.
    #[error("the account failed validation")]
    Faults(Vec<Issue>),
    /// It could not be checked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A checked payload.
pub(crate) struct Check<'j> {
    pub(crate) request: AccountRequest<'j>,
    pub(crate) supplier: Supplier,
    pub(crate) report: Report,
}

/// Which of the rules a caller wants to hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Those that refuse a payload.
    Errors,
    /// Warnings too: they are kept.
    All,
}

/// Decodes and checks an account payload for a caller: all that validate and create have in common.
pub(crate) fn check<'j>(
    app: &App,
    caller: &Caller,
    body: &'j [u8],
    wanted: Wanted,
    found: Option<&FoundDocuments>,
) -> Result<Step<Check<'j>>, Refused> {
    let limits = app.settings.limits;
    let decoded = decode_account_within(body, Zone::UTC, limits)?;
    let (supplier, known) = facts(app, caller, &decoded, wanted)?;
    let zone = supplier.as_ref().map_or(Zone::UTC, |s| s.settings.time_zone);
    let decoded = decode_again_if(decoded, body, zone, limits)?;
    let documents = || decoded.draft.as_ref().map(documents_of_account).unwrap_or_default();
    if let Some(documents) = missing(supplier.as_ref(), found, documents) {
        return Ok(Step::Documents(documents));
    }
    let facts = known.add_to(Facts {
        supplier_known: Some(supplier.is_some()),
        documents: found.map(FoundDocuments::states),
        ..Facts::at(Now::new(app.clock.now(), zone))
    });
    let report = check_account(&decoded, facts, &profile(supplier.as_ref()));
    match (decoded.draft, supplier) {
        (Some(request), Some(supplier)) if report.errors.is_empty() => {
            Ok(Step::Done(Check { request, supplier, report }))
        }
        _ => Err(Refused::Faults(report.errors)),
    }
}

/// The supplier that a payload names, and what else the store knows of it.
fn facts(
    app: &App,
    caller: &Caller,
    decoded: &Decoded<AccountRequest<'_>>,
    wanted: Wanted,
) -> Result<(Option<Supplier>, Known), StoreError> {
    let code = supplier_code(decoded);
    let sought = decoded.draft.as_ref().map(|request| match wanted {
        // What is refused anyway keeps no warnings.
        Wanted::All if !decoded.has_errors() => Sought::for_all(request),
        Wanted::All | Wanted::Errors => Sought::for_errors(request),
    });
    let sought = sought.filter(|sought| !sought.is_nothing());
    if code.is_none() && sought.is_none() {
        return Ok((None, Known::default()));
    }
    glance(&*app.store, |tx| {
        let supplier = match &code {
            Some(code) => tx.supplier_of(caller.organisation_id, code)?,
            None => None,
        };
        let id = supplier.as_ref().map(|supplier| supplier.id);
        let known = sought.as_ref().map(|sought| sought.read(tx, caller.organisation_id, id)).transpose()?;
        Ok((supplier, known.unwrap_or_default()))
    })
}

/// A datetime without offset at the edge of time is read again in the supplier's zone.
fn decode_again_if<'j>(
    decoded: Decoded<AccountRequest<'j>>,
    body: &'j [u8],
    zone: Zone,
    limits: Limits,
) -> Result<Decoded<AccountRequest<'j>>, SyntaxError> {
    let differs = decoded.zone_matters && zone != Zone::UTC;
    if differs { decode_account_within(body, zone, limits) } else { Ok(decoded) }
}

fn supplier_code(decoded: &Decoded<AccountRequest<'_>>) -> Option<SupplierCode> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    account.import_supplier.usable()?.trimmed().parse().ok()
}

/// The levels of a supplier. A stored level that this program does not know is passed over: another
/// version of it wrote the row.
pub(crate) fn profile(supplier: Option<&Supplier>) -> Profile {
    let Some(supplier) = supplier else { return Profile::default() };
    let levels = supplier.settings.rules.iter().map(|(id, level)| (id.as_str(), *level));
    let known = levels.filter(|(id, _)| cutover_rules::rule(id).is_some_and(|rule| !rule.fixed));
    Profile::new(known).unwrap_or_default()
}
