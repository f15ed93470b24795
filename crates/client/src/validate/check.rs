use super::finding::Finding;
use super::options::Rules;
use crate::error::Error;
use crate::input::Location;
use crate::pipeline::Worker;
use chrono::{DateTime, Utc};
use cutover_core::{Level, Now, Zone};
use cutover_model::{AccountRequest, Decoded, SyntaxError, Totals, decode_account};
use cutover_rules::{Facts, Profile, check_account};

/// Decodes and checks accounts as validate and create of the service do, except rules that need the service
/// (rules 1.9).
#[derive(Debug)]
pub(crate) struct Checker {
    now: Now,
    profile: Profile,
}

/// Result of checking an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Identity of the account, as far as known.
    pub(crate) identity: Option<Identity>,
    /// Errors, then warnings, each in the order of the service's answers.
    pub(crate) findings: Vec<Finding>,
}

/// Supplier and number, both trimmed, which identify an account (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) supplier: Option<Box<str>>,
    pub(crate) number: Option<Box<str>>,
}

impl Checked {
    /// An account too large to be decoded.
    pub(crate) fn too_large() -> Self {
        Self { identity: None, findings: vec![Finding::too_large()] }
    }

    /// True if the service would refuse it.
    pub(crate) fn is_faulty(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }

    /// Supplier of the account.
    pub(crate) fn supplier(&self) -> Option<&str> {
        self.identity.as_ref()?.supplier.as_deref()
    }

    /// Account number at the supplier.
    pub(crate) fn number(&self) -> Option<&str> {
        self.identity.as_ref()?.number.as_deref()
    }
}

impl Checker {
    /// Uses the options, or else the current time and the default levels.
    ///
    /// # Errors
    /// [`Error`] if the options make no sense.
    pub(crate) fn new(rules: &Rules, now: DateTime<Utc>) -> Result<Self, Error> {
        let (zone, profile) = rules.supplier()?;
        Ok(Self { now: Now::new(rules.instant(now), zone), profile })
    }

    /// Checks an account; also returns the decoded account if it is JSON.
    pub(crate) fn check<'j>(
        &self,
        location: Location,
        account: &'j [u8],
    ) -> (Checked, Option<Decoded<AccountRequest<'j>>>) {
        let decoded = match self.decode(account) {
            Ok(decoded) => decoded,
            Err(error) => {
                let findings = vec![Finding::no_json(error, location.line)];
                return (Checked { identity: None, findings }, None);
            }
        };
        let report = check_account(&decoded, Facts::at(self.now), &self.profile);
        let findings = report.errors.into_iter().chain(report.warnings).map(Finding::from);
        let checked = Checked { identity: identity(&decoded), findings: findings.collect() };
        (checked, Some(decoded))
    }

    /// Control totals of an account; `None` if it has a structural fault.
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

impl Worker for Checker {
    type Output = Checked;

    fn process(&self, location: Location, account: &[u8]) -> Checked {
        self.check(location, account).0
    }
}

fn identity(decoded: &Decoded<AccountRequest<'_>>) -> Option<Identity> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    let supplier = account.import_supplier.usable().map(|text| text.trimmed().into());
    let number = account.external_account_number.usable().map(|text| text.trimmed().into());
    Some(Identity { supplier, number })
}
