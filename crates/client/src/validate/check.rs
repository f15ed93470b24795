use super::finding::Finding;
use super::options::Options;
use crate::error::Error;
use crate::input::Place;
use crate::pipeline::Work;
use chrono::{DateTime, Utc};
use cutover_core::{Level, Now, Zone};
use cutover_model::{AccountRequest, Decoded, SyntaxError, decode_account};
use cutover_rules::{Facts, Profile, check_account};

/// Decodes and checks accounts as the service's validate and create do, as far as it can be done without a
/// service (rules 1.9).
#[derive(Debug)]
pub(super) struct Checker {
    now: Now,
    profile: Profile,
}

/// What was found in an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checked {
    /// Which account it is, as far as that can be told.
    pub(super) identity: Option<Identity>,
    /// Errors, then warnings, each in the order of an answer.
    pub(super) findings: Vec<Finding>,
}

/// What accounts are told apart by (decisions D1): supplier and number there, both trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) supplier: Option<Box<str>>,
    pub(super) number: Option<Box<str>>,
}

impl Checked {
    /// An account that was not looked at.
    pub(super) fn too_large() -> Self {
        Self { identity: None, findings: vec![Finding::too_large()] }
    }

    /// Whether the service would refuse it.
    pub(super) fn is_faulty(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }

    /// The supplier it names.
    pub(super) fn supplier(&self) -> Option<&str> {
        self.identity.as_ref()?.supplier.as_deref()
    }

    /// Its number there.
    pub(super) fn number(&self) -> Option<&str> {
        self.identity.as_ref()?.number.as_deref()
    }
}

impl Checker {
    /// By the options, or at this time and by the catalogue's levels.
    ///
    /// # Errors
    /// [`Error`] if the options make no sense.
    pub(super) fn new(options: &Options, now: DateTime<Utc>) -> Result<Self, Error> {
        let (zone, profile) = options.supplier()?;
        let instant = options.now.map_or(now, |now| now.to_utc());
        Ok(Self { now: Now::new(instant, zone), profile })
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
        let decoded = match self.decode(account) {
            Ok(decoded) => decoded,
            Err(error) => {
                return Checked { identity: None, findings: vec![Finding::no_json(error, place.line)] };
            }
        };
        let report = check_account(&decoded, Facts::at(self.now), &self.profile);
        let findings = report.errors.into_iter().chain(report.warnings).map(Finding::from);
        Checked { identity: identity(&decoded), findings: findings.collect() }
    }
}

fn identity(decoded: &Decoded<AccountRequest<'_>>) -> Option<Identity> {
    let account = decoded.draft.as_ref()?.account.usable()?;
    let supplier = account.import_supplier.usable().map(|text| text.trimmed().into());
    let number = account.external_account_number.usable().map(|text| text.trimmed().into());
    Some(Identity { supplier, number })
}
