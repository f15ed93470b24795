use super::create_times::CreateTimes;
use super::facts::{FactsToRead, Known};
use crate::App;
use crate::auth::Caller;
use crate::documents::{FoundDocuments, Step, missing};
use crate::port::{StoreError, Supplier, Tx, read_committed};
use cutover_core::{Issue, Level, Now, SupplierCode, Zone};
use cutover_model::{AccountRequest, Decoded, Limits, SyntaxError, decode_account_within};
use cutover_rules::{Facts, Profile, Report, check_account_from, documents_of_account, level_of_erased};
use std::sync::Arc;

/// Why an account payload was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not JSON (rules STR-18).
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// Its errors, in the order of a response.
    #[error("the account failed validation")]
    Faults(Vec<Issue>),
    /// It could not be checked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A checked payload.
pub(crate) struct Check<'j> {
    pub(crate) request: AccountRequest<'j>,
    pub(crate) supplier: Arc<Supplier>,
    pub(crate) report: Report,
}

/// Decodes and checks an account payload for a caller, to validate it. Runs no rules that warn, since nobody would see
/// their findings.
pub(crate) fn check<'j>(
    app: &App,
    caller: &Caller,
    body: &'j [u8],
    found: Option<&FoundDocuments>,
) -> Result<Step<Check<'j>>, Refused> {
    let decoded = decode_account_within(body, Zone::UTC, app.settings.limits)?;
    let (supplier, known) = match current_supplier(app, caller, &decoded) {
        Some(supplier) => (Some(supplier), Known::default()),
        None => facts(app, caller, &decoded)?,
    };
    judge(app, body, decoded, supplier, &known, found, Level::Error)
}

/// Returns the supplier of a payload if the store has confirmed it a moment ago and nothing else has to be read.
fn current_supplier(
    app: &App,
    caller: &Caller,
    decoded: &Decoded<AccountRequest<'_>>,
) -> Option<Arc<Supplier>> {
    let supplier =
        app.suppliers.current(caller.organisation_id, &supplier_code(decoded)?, app.clock.now())?;
    (asks_nothing(decoded) && supplier.mark_key.is_none()).then_some(supplier)
}

/// Returns true if rules need no facts of the store to find all errors.
fn asks_nothing(decoded: &Decoded<AccountRequest<'_>>) -> bool {
    decoded.draft.as_ref().is_none_or(|request| FactsToRead::for_errors(request).is_nothing())
}

/// Like [`check`], for a create: a refusal is recorded (contract D13), with the next of these times.
pub(super) fn check_for_create<'j>(
    app: &App,
    caller: &Caller,
    body: &'j [u8],
    found: Option<&FoundDocuments>,
    times: &CreateTimes,
) -> Result<Step<Check<'j>>, Refused> {
    let decoded = decode_account_within(body, Zone::UTC, app.settings.limits)?;
    let number = account_number(&decoded);
    let (supplier, known) = facts(app, caller, &decoded)?;
    let supplier_id = supplier.as_ref().map(|supplier| supplier.id);
    let judged = judge(app, body, decoded, supplier, &known, found, Level::Warning);
    if let (Err(Refused::Faults(issues)), Some(supplier_id)) = (&judged, supplier_id) {
        app.refused.refused(supplier_id, number, issues, || times.next(app.clock.now()));
    }
    judged
}

/// Checks a payload against the cached supplier, without waiting for the store; `None` if that does not suffice to
/// accept it.
pub(crate) fn check_from_memory<'j>(app: &App, caller: &Caller, body: &'j [u8]) -> Option<Check<'j>> {
    let decoded = decode_account_within(body, Zone::UTC, app.settings.limits).ok()?;
    let supplier = app.suppliers.get(caller.organisation_id, &supplier_code(&decoded)?, app.clock.now())?;
    // The store looks for the mark of an erasure when it writes the account, which needs the key of the marks.
    // And its words need the key of the search.
    if !asks_nothing(&decoded) || !app.knows_marker(&supplier) || app.search_keys.known_terms().is_none() {
        return None;
    }
    match judge(app, body, decoded, Some(supplier), &Known::default(), None, Level::Warning) {
        Ok(Step::Done(check)) => Some(check),
        Ok(Step::Documents(_)) | Err(_) => None,
    }
}

/// Applies the rules of this level and above to a decoded payload.
fn judge<'j>(
    app: &App,
    body: &'j [u8],
    decoded: Decoded<AccountRequest<'j>>,
    supplier: Option<Arc<Supplier>>,
    known: &Known,
    found: Option<&FoundDocuments>,
    least: Level,
) -> Result<Step<Check<'j>>, Refused> {
    let zone = supplier.as_ref().map_or(Zone::UTC, |s| s.settings.time_zone);
    let decoded = decode_again_if(decoded, body, zone, app.settings.limits)?;
    let documents = || decoded.draft.as_ref().map(documents_of_account).unwrap_or_default();
    if let Some(documents) = missing(supplier.as_deref(), found, documents) {
        return Ok(Step::Documents(documents));
    }
    let facts = known.add_to(Facts {
        supplier_known: Some(supplier.is_some()),
        documents: found.map(FoundDocuments::states),
        ..Facts::at(Now::new(app.clock.now(), zone))
    });
    let report = check_account_from(least, &decoded, facts, &profile(supplier.as_deref()));
    match (decoded.draft, supplier) {
        (Some(request), Some(supplier)) if report.errors.is_empty() => {
            Ok(Step::Done(Check { request, supplier, report }))
        }
        _ => Err(Refused::Faults(report.errors)),
    }
}

/// Reads the supplier that a payload names, and the facts that rules need from the store.
fn facts(
    app: &App,
    caller: &Caller,
    decoded: &Decoded<AccountRequest<'_>>,
) -> Result<(Option<Arc<Supplier>>, Known), StoreError> {
    let code = supplier_code(decoded);
    let sought = decoded.draft.as_ref().map(FactsToRead::for_errors).filter(|sought| !sought.is_nothing());
    if code.is_none() && sought.is_none() {
        return Ok((None, Known::default()));
    }
    read_committed(&*app.store, |tx| {
        let supplier = match &code {
            Some(code) => supplier_of(app, tx, caller.organisation_id, code)?,
            None => None,
        };
        let id = supplier.as_ref().map(|supplier| supplier.id);
        let known = sought.as_ref().map(|sought| sought.read(tx, caller.organisation_id, id)).transpose()?;
        let mut known = known.unwrap_or_default();
        if let Some(supplier) = &supplier {
            known.erased = is_refused_as_erased(app, tx, supplier, decoded)?;
        }
        Ok((supplier, known))
    })
}

/// Returns whether the account of a payload was erased; `None` if the supplier does not refuse it for that.
fn is_refused_as_erased(
    app: &App,
    tx: &mut dyn Tx,
    supplier: &Supplier,
    decoded: &Decoded<AccountRequest<'_>>,
) -> Result<Option<bool>, StoreError> {
    if supplier.mark_key.is_none() || level_of_erased(&profile(Some(supplier))) != Level::Error {
        return Ok(None);
    }
    let number = account_number(decoded).and_then(|number| number.parse().ok());
    let Some((number, marker)) = number.zip(app.marker(tx, supplier)?) else { return Ok(None) };
    let mark = marker.mark(&supplier.code, &number);
    Ok(Some(!tx.erasure_marks_among(supplier.id, &[mark])?.is_empty()))
}

/// Reads a supplier by its code. If the cached one is current, which takes half as long to find out, returns that.
fn supplier_of(
    app: &App,
    tx: &mut dyn Tx,
    organisation_id: i64,
    code: &SupplierCode,
) -> Result<Option<Arc<Supplier>>, StoreError> {
    let now = app.clock.now();
    if let Some(supplier) = app.suppliers.get(organisation_id, code, now)
        && tx.is_current(&supplier)?
    {
        app.suppliers.confirm(&supplier, now);
        return Ok(Some(supplier));
    }
    let supplier = tx.supplier_of(organisation_id, code)?.map(Arc::new);
    if let Some(supplier) = &supplier {
        app.suppliers.insert(supplier, now);
    }
    Ok(supplier)
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

/// Returns the number of the account in a payload, trimmed (contract D1), if it can be read.
fn account_number(decoded: &Decoded<AccountRequest<'_>>) -> Option<String> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    Some(account.external_account_number.usable()?.trimmed().to_owned())
}

fn supplier_code(decoded: &Decoded<AccountRequest<'_>>) -> Option<SupplierCode> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    account.import_supplier.usable()?.trimmed().parse().ok()
}

/// The rule levels of a supplier. Skips what this version does not know: a newer one wrote it.
pub(crate) fn profile(supplier: Option<&Supplier>) -> Profile {
    supplier.map(|supplier| supplier.settings.levels()).unwrap_or_default()
}
