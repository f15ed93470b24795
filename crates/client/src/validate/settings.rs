use super::options::{ProfileFile, Rules};
use super::zones::SupplierZone;
use crate::error::{Error, print_note};
use crate::service::{Backoff, Target, block_on};
use chrono::{DateTime, Utc};
use cutover_core::Now;
use cutover_rules::Profile;
use reqwest::StatusCode;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time as of which the accounts of a supplier are checked, in its zone, and the levels of its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SupplierRules {
    pub(super) now: Now,
    pub(super) profile: Profile,
}

/// The settings of the suppliers of a run: those of the options, or those of a service, which are fetched
/// when the first account of a supplier is checked (contract D13).
#[derive(Debug)]
pub(crate) struct Settings {
    rules: Rules,
    now: DateTime<Utc>,
    /// The rules for accounts without a known supplier.
    default: Arc<SupplierRules>,
    service: Option<Target>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    suppliers: HashMap<Box<str>, Arc<SupplierRules>>,
    /// Id of the installation that answered.
    installation: Option<String>,
    /// Id of the history of the service's database, by supplier, if the service told it.
    histories: HashMap<Box<str>, String>,
    /// Reason why the run has to end.
    fault: Option<String>,
}

/// Settings of a supplier as the service returns them; other members are ignored.
#[derive(Debug, Deserialize)]
struct Fetched {
    installation: Option<String>,
    history: Option<String>,
    #[serde(flatten)]
    profile: ProfileFile,
}

impl Settings {
    /// Uses the options, and what a service says about each supplier if one is given.
    ///
    /// # Errors
    /// [`Error`] if the options make no sense.
    pub(crate) fn new(rules: &Rules, now: DateTime<Utc>, service: Option<Target>) -> Result<Self, Error> {
        let (zone, profile) = rules.supplier()?;
        let now = rules.instant(now);
        let default = Arc::new(SupplierRules { now: Now::new(now, zone), profile });
        Ok(Self { rules: rules.clone(), now, default, service, state: Mutex::default() })
    }

    /// Returns the settings of a supplier. If they cannot be fetched, it returns those of the options, and
    /// [`Self::check`] fails from then on.
    pub(super) fn of(&self, supplier: Option<&str>) -> Arc<SupplierRules> {
        let (Some(target), Some(supplier)) = (&self.service, supplier) else { return self.default.clone() };
        // The lock is held meanwhile: other threads need the same settings.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.suppliers.get(supplier) {
            return known.clone();
        }
        if state.fault.is_some() {
            return self.default.clone();
        }
        let found = match self.fetch(target, supplier, &mut state) {
            Ok(found) => found,
            Err(error) => {
                state.fault = Some(error.to_string());
                return self.default.clone();
            }
        };
        state.suppliers.insert(supplier.into(), found.clone());
        found
    }

    fn fetch(&self, target: &Target, supplier: &str, state: &mut State) -> Result<Arc<SupplierRules>, Error> {
        let Some(Fetched { installation, history, profile }) = fetch(target, supplier)? else {
            print_note(&format_args!(
                "the service has no settings of the supplier {supplier}: it is unknown there, or the service is of an \
                 older version. Days are those of {}, and rules have the levels of the options",
                self.default.now.zone.name()
            ));
            return Ok(self.default.clone());
        };
        if installation.is_some() {
            state.installation = installation;
        }
        if let Some(history) = history {
            state.histories.insert(supplier.into(), history);
        }
        let (zone, profile) = self.rules.supplier_with(profile)?;
        Ok(Arc::new(SupplierRules { now: Now::new(self.now, zone), profile }))
    }

    /// True if findings show what was sent.
    pub(crate) fn show_values(&self) -> bool {
        self.rules.show_values
    }

    /// The zones of the suppliers of the run, or the one of the options.
    pub(crate) fn zones(&self) -> Vec<SupplierZone> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |supplier: &str, rules: &Arc<SupplierRules>| {
            let is_assumed = Arc::ptr_eq(rules, &self.default) && !self.rules.names_zone();
            SupplierZone::new(Some(supplier), rules.now.zone, is_assumed)
        };
        let mut zones: Vec<SupplierZone> =
            state.suppliers.iter().map(|(supplier, rules)| of(supplier, rules)).collect();
        zones.sort_by(|a, b| a.import_supplier.cmp(&b.import_supplier));
        if zones.is_empty() {
            zones.push(SupplierZone::new(None, self.default.now.zone, !self.rules.names_zone()));
        }
        zones
    }

    /// Id of the installation, once a service has told it.
    pub(crate) fn installation(&self) -> Option<String> {
        self.service.as_ref()?;
        self.state.lock().unwrap_or_else(PoisonError::into_inner).installation.clone()
    }

    /// Id of the history of the service's database when the settings of a supplier were fetched; `None` if the service
    /// does not tell it.
    ///
    /// # Errors
    /// [`Error`] if they cannot be fetched.
    pub(crate) fn history(&self, supplier: &str) -> Result<Option<String>, Error> {
        self.of(Some(supplier));
        self.check()?;
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner).histories.get(supplier).cloned())
    }

    /// Makes [`Self::check`] fail from now on.
    pub(crate) fn fail(&self, error: &Error) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.fault.get_or_insert_with(|| error.to_string());
    }

    /// # Errors
    /// [`Error`] once the settings of a supplier could not be fetched: accounts may have been checked by
    /// others.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.service.is_none() {
            return Ok(());
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.fault.clone().map_or(Ok(()), |fault| Err(Error::Service(fault)))
    }
}

/// Fetches the settings of a supplier; `None` if the service answers 404.
fn fetch(target: &Target, supplier: &str) -> Result<Option<Fetched>, Error> {
    let service = target.service()?;
    let url = service.url(&["v2", "data-import", "import-suppliers", supplier], "");
    let reply = block_on(Backoff::new(PATIENCE).run(async || service.get(&url).await))??;
    if reply.status == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    let settings = serde_json::from_value(reply.ok()?);
    settings.map(Some).map_err(|_| Error::Service("the service answers with unknown settings".to_owned()))
}

/// Returns the id of the history of the service's database now; `None` if the service does not tell it.
///
/// # Errors
/// [`Error`] if the service does not answer.
pub(crate) fn history(target: &Target, supplier: &str) -> Result<Option<String>, Error> {
    Ok(fetch(target, supplier)?.and_then(|fetched| fetched.history))
}

/// Returns the id of the installation at which a supplier is; `None` if the service does not tell it.
///
/// # Errors
/// [`Error`] if the service does not answer.
pub(crate) fn installation(target: &Target, supplier: &str) -> Result<Option<String>, Error> {
    Ok(fetch(target, supplier)?.and_then(|fetched| fetched.installation))
}
