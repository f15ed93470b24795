use super::check::{Checked, Checker};
use super::finding::Finding;
use super::values::with_values;
use crate::identity::Identity;
use crate::input::Location;
use crate::journal::fingerprint_of;
use crate::request::Kind;
use cutover_core::Zone;
use cutover_model::{
    Decoded, Field, Limits, MAX_ITEMS, SyntaxError, Text, decode_business,
    decode_business_payment_instruction, decode_historical_statements, decode_notes,
    decode_payment_instruction, decode_transactions,
};
use cutover_rules::{
    Facts, Profile, Report, check_business, check_business_payment_instruction, check_historical_statements,
    check_notes, check_payment_instruction, check_transactions,
};

/// The service judges the number of items of a request, since its operator sets the limit. This is the largest one.
const LIMITS: Limits = Limits { batch_items: MAX_ITEMS, items: MAX_ITEMS, memory: usize::MAX };

/// Decodes a request of one kind.
type Decode<'j, R> = fn(&'j [u8], Zone, Limits) -> Result<Decoded<R>, SyntaxError>;

impl Checker {
    /// Checks a request as its endpoint does, except rules that need the service. The number in the identity is that of
    /// the account, or the identifier of the business.
    pub(crate) fn check_request(&self, kind: Kind, location: Location, body: &[u8]) -> Checked {
        macro_rules! with {
            ($decode:ident, $check:ident, $supplier:ident, $number:ident) => {
                self.checked(location, body, $decode, $check, |request| {
                    (&request.$supplier, &request.$number)
                })
            };
        }
        let checked = match kind {
            Kind::Account => return self.check(location, body).0,
            Kind::Document => {
                return self.checked_document(Identity { supplier: None, number: None }, 0, None);
            }
            Kind::Business => {
                with!(decode_business, check_business, import_supplier_code, external_business_identifier)
            }
            Kind::Notes => with!(decode_notes, check_notes, import_supplier, external_account_number),
            Kind::Transactions => {
                with!(decode_transactions, check_transactions, import_supplier, external_account_number)
            }
            Kind::HistoricalStatements => with!(
                decode_historical_statements,
                check_historical_statements,
                import_supplier,
                external_account_number
            ),
            Kind::PaymentInstruction => with!(
                decode_payment_instruction,
                check_payment_instruction,
                import_supplier,
                external_account_number
            ),
            Kind::BusinessPaymentInstruction => with!(
                decode_business_payment_instruction,
                check_business_payment_instruction,
                import_supplier_code,
                external_business_identifier
            ),
        };
        checked.located(&self.sources[location.source as usize], location.line)
    }

    /// The result for a document, of which nothing is decoded. Fetches the settings of its supplier, which tell the
    /// installation.
    pub(crate) fn checked_document(
        &self,
        identity: Identity,
        fingerprint: u64,
        fault: Option<Finding>,
    ) -> Checked {
        self.rules_of(Some(&identity));
        let findings = fault.into_iter().collect();
        Checked { identity: Some(identity), fingerprint, findings, ..Checked::default() }
    }

    fn checked<'j, R>(
        &self,
        location: Location,
        body: &'j [u8],
        decode: Decode<'j, R>,
        check: impl FnOnce(&Decoded<R>, Facts<'_>, &Profile) -> Report,
        identity: impl for<'r> Fn(&'r R) -> (&'r Field<Text<'j>>, &'r Field<Text<'j>>),
    ) -> Checked {
        let fingerprint = fingerprint_of(body);
        let of = |identity, findings| Checked { identity, fingerprint, findings, ..Checked::default() };
        let decoded = match decode(body, Zone::UTC, LIMITS) {
            Ok(decoded) => decoded,
            Err(error) => return of(None, vec![Finding::no_json(error, location.line)]),
        };
        let identity = decoded.draft.as_ref().map(|request| {
            let (supplier, number) = identity(request);
            let text = |field: &Field<Text<'j>>| field.usable().map(|text| text.trimmed().into());
            Identity { supplier: text(supplier), number: text(number) }
        });
        let rules = self.rules_of(identity.as_ref());
        let zone = rules.now.zone;
        let differs = decoded.zone_matters && zone != Zone::UTC;
        // The same bytes were decoded before.
        let again = if differs { decode(body, zone, LIMITS).ok() } else { None };
        let report = check(again.as_ref().unwrap_or(&decoded), Facts::at(rules.now), &rules.profile);
        let issues = report.errors.into_iter().chain(report.warnings);
        let findings = match self.show_values {
            true => with_values(issues.collect(), body),
            false => issues.map(Finding::from).collect(),
        };
        of(identity, findings)
    }
}

/// Hash of the supplier and the identifier of a business.
pub(crate) fn business_hash(body: &[u8]) -> Option<crate::identity::IdentityHash> {
    let decoded = decode_business(body, Zone::UTC, Limits::default()).ok()?;
    let request = decoded.draft?;
    let text = |field: &Field<Text<'_>>| field.usable().map(|text| text.trimmed().into());
    let (supplier, number) =
        (text(&request.import_supplier_code), text(&request.external_business_identifier));
    Identity { supplier, number }.hash()
}
