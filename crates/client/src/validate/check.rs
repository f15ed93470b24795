use super::finding::Finding;
use super::options::Rules;
use crate::error::Error;
use crate::input::Place;
use crate::pipeline::Work;
use chrono::{DateTime, Utc};
use cutover_core::{Level, Now, Zone};
use cutover_model::{AccountRequest, Decoded, SyntaxError, Totals, decode_account};
use cutover_rules::{Facts, Profile, check_account};

/// Decodes and checks accounts as the service's validate and create do, as far as it can be done without a
/// service (rules 1.9).
#[derive(Debug)]
pub(crate) struct Checker {
    now: Now,
    profile: Profile,
}

/// What was found in an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Which account it is, as far as that can be told.
    pub(crate) identity: Option<Identity>,
    /// Errors, then warnings, each in the order of an answer.
    pub(crate) findings: Vec<Finding>,
}

/// What accounts are told apart by (contract D1): supplier and number there, both trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) supplier: Option<Box<str>>,
    pub(crate) number: Option<Box<str>>,
}

impl Checked {
    /// An account that was not looked at.
    pub(crate) fn too_large() -> Self {
        Self { identity: None, findings: vec![Finding::too_large()] }
    }

    /// Whether the service would refuse it.
    pub(crate) fn is_faulty(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }

    /// The supplier it names.
    pub(crate) fn supplier(&self) -> Option<&str> {
        self.identity.as_ref()?.supplier.as_deref()
    }

    /// Its number there.
    pub(crate) fn number(&self) -> Option<&str> {
        self.identity.as_ref()?.number.as_deref()
    }
}

impl Checker {
    /// By the options, or at this time and by the catalogue's levels.
    ///
    /// # Errors
    /// [`Error`] if the options make no sense.
    pub(crate) fn new(rules: &Rules, now: DateTime<Utc>) -> Result<Self, Error> {
        let (zone, profile) = rules.supplier()?;
        Ok(Self { now: Now::new(rules.instant(now), zone), profile })
    }

    /// What is wrong with an account; what was decoded, if it is JSON.
    pub(crate) fn check<'j>(
        &self,
        place: Place,
        account: &'j [u8],
    ) -> (Checked, Option<Decoded<AccountRequest<'j>>>) {
        let decoded = match self.decode(account) {
            Ok(decoded) => decoded,
            Err(error) => {
                let findings = vec![Finding::no_json(error, place.line)];
                return (Checked { identity: None, findings }, None);
            }
        };
        let report = check_account(&decoded, Facts::at(self.now), &self.profile);
        let findings = report.errors.into_iter().chain(report.warnings).map(Finding::from);
        let checked = Checked { identity: identity(&decoded), findings: findings.collect() };
        (checked, Some(decoded))
    }

    /// What an account comes to, if it has no structural fault.
    pub(crate) fn totals(&self, decoded: Decoded<AccountRequest<'_>>) -> Option<Totals> {
        let (account, _) = decoded.draft?.into_valid()?;
        Some(Totals::of(&account, self.now.zone))
    }

    fn decode<'j>(&self, account: &'j [u8]) -> Result<Decoded<AccountRequest<'j>>, SyntaxError> {
        let decoded = decode_account(account, Zone::UTC)?;
        let differs = decoded.zone_matters && self.now.zone != Zone::UTC;
        if differs { decode_account(account, self.now.zone) } else { Ok(decoded) }
    }
}

impl Work for Checker {
    type Done = Checked;

    fn work(&self, place: Place, account: &[u8]) -> Checked {
        self.check(place, account).0
    }
}

fn identity(decoded: &Decoded<AccountRequest<'_>>) -> Option<Identity> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    let supplier = account.import_supplier.usable().map(|text| text.trimmed().into());
    let number = account.external_account_number.usable().map(|text| text.trimmed().into());
    Some(Identity { supplier, number })
}
