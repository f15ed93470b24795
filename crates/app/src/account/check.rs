use crate::App;
use crate::auth::Caller;
use crate::port::{StoreError, Supplier, read};
use cutover_core::{Issue, Now, SupplierCode, Zone};
use cutover_model::{AccountRequest, Decoded, SyntaxError, decode_account};
use cutover_rules::{Facts, Profile, Report, check_account};

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

/// Decodes and checks an account payload for a caller: all that validate and create have in common.
pub(crate) fn check<'j>(app: &App, caller: &Caller, body: &'j [u8]) -> Result<Check<'j>, Refused> {
    let decoded = decode_account(body, Zone::UTC)?;
    let supplier = match supplier_code(&decoded) {
        Some(code) => app.supplier_of(caller, &code)?,
        None => None,
    };
    let zone = supplier.as_ref().map_or(Zone::UTC, |s| s.settings.time_zone);
    let decoded = decode_again_if(decoded, body, zone)?;
    let now = Now::new(app.clock.now(), zone);
    let facts = Facts { now, supplier_known: Some(supplier.is_some()) };
    let report = check_account(&decoded, facts, &profile(supplier.as_ref()));
    match (decoded.draft, supplier) {
        (Some(request), Some(supplier)) if report.errors.is_empty() => {
            Ok(Check { request, supplier, report })
        }
        _ => Err(Refused::Faults(report.errors)),
    }
}

/// A datetime without offset at the edge of time is read again in the supplier's zone.
fn decode_again_if<'j>(
    decoded: Decoded<AccountRequest<'j>>,
    body: &'j [u8],
    zone: Zone,
) -> Result<Decoded<AccountRequest<'j>>, SyntaxError> {
    if decoded.zone_matters && zone != Zone::UTC { decode_account(body, zone) } else { Ok(decoded) }
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

impl App {
    /// The supplier of a code if it is the caller's; another organisation's is as good as absent.
    pub(crate) fn supplier_of(
        &self,
        caller: &Caller,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError> {
        let supplier = read(&*self.store, |tx| tx.supplier(code))?;
        Ok(supplier.filter(|supplier| supplier.organisation_id == caller.organisation_id))
    }
}
