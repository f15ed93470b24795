//! The services that imports and payments need, and the checks of them. They are asked between two calls of use
//! cases, never inside a transaction.

use super::facts::{Facts, Installation};
use super::{Checks, Finding};
use crate::App;
use crate::operator::{Operations, OperatorError};
use crate::port::Vendor;
use chrono::TimeDelta;

/// Maximum number of vendors that are asked.
const VENDORS: usize = 20;
/// Time for which answers are kept for pages and requests, which many may ask for.
const KEPT: TimeDelta = TimeDelta::seconds(15);

/// The services to ask.
#[derive(Debug, Clone)]
pub struct ServicesToProbe {
    organisation_id: i64,
    /// The vendors; `None` if they are not needed.
    vendors: Option<Vec<Vendor>>,
}

/// The answers of services.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Services {
    /// True if document storage answers.
    pub has_documents: bool,
    /// The vendors that were asked, with the fault of those that do not answer.
    pub vendors: Vec<(String, Result<(), String>)>,
    /// Number of vendors that were not asked.
    pub left_out: usize,
}

impl Operations<'_> {
    /// Returns the services that checks of a supplier need to ask.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn services_to_probe(&self, code: &str, checks: Checks) -> Result<ServicesToProbe, OperatorError> {
        self.read_committed(|tx| {
            let organisation_id = tx.supplier(code)?.organisation_id;
            let vendors = match checks {
                Checks::All => Some(tx.vendors_of(organisation_id)?),
                Checks::OfSupplier => None,
            };
            Ok(ServicesToProbe { organisation_id, vendors })
        })
    }
}

impl App {
    /// Asks services, all at the same time.
    pub async fn probe_services(&self, wanted: &ServicesToProbe) -> Services {
        let asked = wanted.vendors.iter().flatten().take(VENDORS);
        let vendors: Vec<_> = asked.map(|vendor| (vendor.name.clone(), self.vendors.probe(vendor))).collect();
        let has_documents = self.documents.ready().await.is_ok();
        let mut answers = Vec::new();
        for (name, answer) in vendors {
            answers.push((name, answer.await.map_err(|error| error.to_string())));
        }
        let left_out = wanted.vendors.as_ref().map_or(0, |vendors| vendors.len().saturating_sub(VENDORS));
        Services { has_documents, vendors: answers, left_out }
    }

    /// Like [`probe_services`](Self::probe_services), or returns answers that are a few seconds old.
    pub async fn probe_services_lately(&self, wanted: &ServicesToProbe) -> Services {
        let (now, key) = (self.clock.now(), (wanted.organisation_id, wanted.vendors.is_some()));
        if let Some(services) = self.probed.get(&key, now - KEPT) {
            return services;
        }
        let services = self.probe_services(wanted).await;
        self.probed.keep(key, now, services.clone());
        services
    }
}

pub(super) fn documents(facts: &Facts) -> Finding {
    match (facts.has_documents, facts.supplier.settings.verify_documents) {
        (true, _) => Finding::ok("Document storage answers."),
        (false, true) => Finding::stop(
            "Document storage does not answer, and every document has to be looked up.",
            "Wait until the storage answers; the operator finds the cause with `cutover doctor`.",
        ),
        (false, false) => Finding::warn(
            "Document storage does not answer. Imports go on, because documents are not looked up.",
            "The operator finds the cause with `cutover doctor`.",
        ),
    }
}

pub(super) fn vendors(installation: &Installation) -> Finding {
    let Services { vendors, left_out, .. } = &installation.services;
    let silent =
        vendors.iter().filter_map(|(name, answer)| Some(format!("{name}: {}", answer.as_ref().err()?)));
    let silent: Vec<String> = silent.collect();
    if !silent.is_empty() {
        let action = "Payment instructions are refused until they answer: check their addresses and secrets.";
        return Finding::warn(format!("Payment vendors do not answer: {}.", silent.join("; ")), action);
    }
    match (vendors.len(), left_out) {
        (0, _) => Finding::ok("No payment vendor is configured."),
        (asked, 0) => Finding::ok(format!("{asked} payment vendors answer.")),
        (asked, more) => {
            Finding::ok(format!("{asked} payment vendors answer; {more} others were not asked."))
        }
    }
}
