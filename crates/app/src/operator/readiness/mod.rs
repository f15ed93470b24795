//! Readiness: checks of everything that could go wrong with the next wave (contract D16). Each check is a function
//! of facts that were read before; [`CHECKS`] lists them.

mod accounts;
mod clock;
mod database;
mod facts;
mod installation;
mod manifest;
mod newest;
mod night;
mod probed;
mod sample;
mod services;
mod tls;
mod window;

pub(crate) use database::Inspected;
pub use newest::newest_row_ahead;
pub use night::Night;
pub(crate) use probed::Probed;
pub(crate) use sample::Sampled;
pub use services::{Services, ServicesToProbe};

use super::{Forecast, Operations, OperatorError};
use crate::App;
use crate::auth::Caller;
use crate::port::{ApiKeyRole, StoreError, Supplier};
use chrono::{DateTime, Utc};
use cutover_core::{Zone, string_enum};
use cutover_model::{CheckShown, ReadinessShown, Timestamp};
use facts::{Facts, Installation};

string_enum! {
    "a level of a check";
    /// The result of a check.
    pub enum CheckLevel {
        /// Nothing speaks against the next wave.
        Ok = "ok",
        /// Somebody should look at it; a release is not refused.
        Warn = "warn",
        /// A release is refused, unless it is forced.
        Stop = "stop",
    }
}

string_enum! {
    "a check";
    /// A check of the readiness (contract D16).
    pub enum CheckName {
        /// Document storage answers.
        Documents = "documents",
        /// The organisation's payment vendors answer.
        Vendors = "vendors",
        /// Every contract that waiting accounts name exists.
        Contracts = "contracts",
        /// The first accounts of the wave, checked as an import would.
        Sample = "sample",
        /// What was sent is what the supplier has declared.
        Manifest = "manifest",
        /// Failures of the last wave that were not sent again.
        Failures = "failures",
        /// All failures that were not sent again.
        Unresolved = "unresolved",
        /// The time that accounts need beside their windows.
        Window = "window",
        /// The clock is not behind what is in the database.
        Clock = "clock",
        /// The certificate of the API is valid.
        Tls = "tls",
        /// The keys of values in the database are there.
        Encryption = "encryption",
        /// The database is intact, and takes what this process writes.
        Database = "database",
        /// Free space for what waits.
        Disk = "disk",
        /// Commits survive a crash of the database server.
        Durability = "durability",
        /// Standbys follow the database.
        Replica = "replica",
        /// There is a recent backup.
        Backup = "backup",
    }
}

/// Writes a number of accounts for people.
fn count(number: u64) -> String {
    cutover_core::grouped(&number.to_string())
}

/// Returns a number of bytes in words.
fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} bytes"),
    }
}

/// The finding of a check: its level, what was found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    level: CheckLevel,
    detail: String,
    action: Option<String>,
}

impl Finding {
    fn ok(detail: impl Into<String>) -> Self {
        Self { level: CheckLevel::Ok, detail: detail.into(), action: None }
    }

    fn warn(detail: impl Into<String>, action: impl Into<String>) -> Self {
        Self { level: CheckLevel::Warn, detail: detail.into(), action: Some(action.into()) }
    }

    fn stop(detail: impl Into<String>, action: impl Into<String>) -> Self {
        Self { level: CheckLevel::Stop, ..Self::warn(detail, action) }
    }
}

/// The function of a check.
enum Judge {
    /// It is about the supplier's own data, and shown to the supplier.
    Own(fn(&Facts) -> Finding),
    /// It is about the installation or the organisation.
    Installation(fn(&Installation) -> Finding),
}

/// Every check, in the order in which they are shown.
const CHECKS: [(CheckName, Judge); CheckName::ALL.len()] = [
    (CheckName::Documents, Judge::Own(services::documents)),
    (CheckName::Vendors, Judge::Installation(services::vendors)),
    (CheckName::Contracts, Judge::Own(accounts::contracts)),
    (CheckName::Sample, Judge::Own(sample::sample)),
    (CheckName::Manifest, Judge::Own(manifest::manifest)),
    (CheckName::Failures, Judge::Own(accounts::failures)),
    (CheckName::Unresolved, Judge::Own(accounts::unresolved)),
    (CheckName::Window, Judge::Own(window::window)),
    (CheckName::Clock, Judge::Installation(clock::clock)),
    (CheckName::Tls, Judge::Installation(tls::tls)),
    (CheckName::Encryption, Judge::Installation(installation::encryption)),
    (CheckName::Database, Judge::Installation(database::database)),
    (CheckName::Disk, Judge::Installation(installation::disk)),
    (CheckName::Durability, Judge::Installation(database::durability)),
    (CheckName::Replica, Judge::Installation(installation::replica)),
    (CheckName::Backup, Judge::Installation(installation::backup)),
];

/// The checks that somebody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checks {
    /// All.
    All,
    /// Those about the supplier's own data.
    OfSupplier,
}

impl Checks {
    /// Returns the checks that a caller sees: all, unless it is the supplier itself.
    pub fn of(caller: &Caller) -> Self {
        if caller.role == ApiKeyRole::Supplier { Self::OfSupplier } else { Self::All }
    }
}

/// A check with its finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The check.
    pub name: CheckName,
    /// Its level.
    pub level: CheckLevel,
    /// What was found.
    pub detail: String,
    /// What to do about it; `None` if nothing has to be done.
    pub action: Option<String>,
}

/// The readiness of a supplier for its next wave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The time of which it is: everything that any node stored or refused before is part of it.
    pub as_of: DateTime<Utc>,
    /// The checks, in their order.
    pub checks: Vec<Check>,
    /// The forecast that the checks are about.
    pub forecast: Forecast,
    /// The zone of the times shown.
    pub zone: Zone,
}

impl Readiness {
    /// Returns true if no check speaks against the next wave.
    pub fn is_ready(&self) -> bool {
        self.stops().next().is_none()
    }

    /// Iterates over the checks that speak against the next wave.
    pub fn stops(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.level == CheckLevel::Stop)
    }

    /// Returns the names of the checks that speak against the next wave.
    pub fn stopping(&self) -> String {
        self.stops().map(|check| check.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the body of an answer.
    pub fn shown(&self) -> ReadinessShown {
        let check = |check: &Check| CheckShown {
            name: check.name.to_string(),
            level: check.level.to_string(),
            detail: check.detail.clone(),
            action: check.action.clone(),
        };
        let as_of = Timestamp(self.zone.local(self.as_of));
        ReadinessShown { ready: self.is_ready(), as_of, checks: self.checks.iter().map(check).collect() }
    }
}

impl Operations<'_> {
    /// Returns the readiness of a supplier.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn readiness(
        &self,
        code: &str,
        services: &Services,
        checks: Checks,
    ) -> Result<Readiness, OperatorError> {
        let supplier = self.show_supplier(code)?;
        let facts = self.sampled_lately(&supplier, self.app.facts(&supplier, services)?)?;
        Ok(self.app.judged(facts, services, checks, false)?)
    }

    /// Like [`readiness`](Self::readiness), with checks that nobody has made before.
    pub(super) fn readiness_now(
        &self,
        supplier: &Supplier,
        services: &Services,
    ) -> Result<Readiness, OperatorError> {
        let facts = self.sampled(supplier, self.app.facts(supplier, services)?)?;
        Ok(self.app.judged(facts, services, Checks::All, true)?)
    }
}

impl App {
    /// Judges facts. With `is_now` the database is inspected now; otherwise an inspection of the last minute suffices.
    fn judged(
        &self,
        facts: Facts,
        services: &Services,
        checks: Checks,
        is_now: bool,
    ) -> Result<Readiness, StoreError> {
        let installation = match checks {
            Checks::All => Some(self.installation(&facts, services, is_now)?),
            Checks::OfSupplier => None,
        };
        let finding = |judge: &Judge| match (judge, &installation) {
            (Judge::Own(judge), _) => Some(judge(&facts)),
            (Judge::Installation(judge), Some(installation)) => Some(judge(installation)),
            (Judge::Installation(_), None) => None,
        };
        let check = |(name, judge): &(CheckName, Judge)| {
            let Finding { level, detail, action } = finding(judge)?;
            Some(Check { name: *name, level, detail, action })
        };
        let checks = CHECKS.iter().filter_map(check).collect();
        Ok(Readiness {
            as_of: facts.as_of,
            zone: facts.supplier.settings.time_zone,
            checks,
            forecast: facts.forecast,
        })
    }
}
