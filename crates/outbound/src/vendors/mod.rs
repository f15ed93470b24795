//! Payment vendors over HTTP (contract D8, D11).
//!
//! A lookup passes the vendor's limiter; then its adapter (`http`, `stripe`, `gocardless`) sends requests and
//! reads the answers. `outcome` alone decides what a failure means.

pub(crate) mod address;
mod api;
pub(crate) mod client;
mod gocardless;
mod http;
mod instruction;
mod limiter;
mod limits;
pub(crate) mod outcome;
mod request;
pub(crate) mod resolver;
mod secrets;
mod stripe;
#[cfg(test)]
mod tests;

pub use limits::VendorLimits;

use crate::OutboundRuntime;
use address::BaseUrl;
use api::VendorApi;
use client::{Clients, Trust};
use cutover_app::port::{Answer, PaymentVendors, Vendor, VendorError, VendorInstruction, VendorKind};
use limiter::VendorLimiters;
use reqwest::dns::Resolve;
use resolver::SystemResolver;
use secrets::{Secrets, Variables};
use std::sync::Arc;
use tokio::time::timeout;

/// No HTTP client can be built on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no HTTP client for payment vendors can be made")]
pub struct VendorsUnusable;

/// Looks up payment instructions at vendors over HTTP. Each lookup ends within [`VendorLimits::total`]. Calls
/// to a vendor that is down are suspended for a while, and no vendor has more than
/// [`VendorLimits::in_flight`] lookups at a time.
pub struct HttpVendors {
    runtime: OutboundRuntime,
    lookup: Arc<VendorLookup>,
}

struct VendorLookup {
    limits: VendorLimits,
    clients: Clients,
    secrets: Secrets,
    limiters: VendorLimiters,
}

/// Environment variables, name resolution and trusted certificates; tests replace them.
struct Environment {
    variables: Variables,
    resolver: Arc<dyn Resolve>,
    trust: Trust,
}

impl Environment {
    fn system() -> Self {
        let variables = Box::new(crate::secret);
        Self { variables, resolver: Arc::new(SystemResolver), trust: Trust::System }
    }
}

impl HttpVendors {
    /// Reads secrets from the environment, and uses the names and trusted certificates of the system. Proxies
    /// of the environment are not used.
    ///
    /// # Errors
    /// [`VendorsUnusable`] if no client can be built.
    pub fn new(runtime: OutboundRuntime, limits: VendorLimits) -> Result<Self, VendorsUnusable> {
        Self::in_environment(runtime, limits, Environment::system())
    }

    fn in_environment(
        runtime: OutboundRuntime,
        limits: VendorLimits,
        environment: Environment,
    ) -> Result<Self, VendorsUnusable> {
        let clients = Clients::new(limits, environment.resolver, environment.trust)?;
        let (secrets, limiters) = (Secrets::new(environment.variables), VendorLimiters::new(limits));
        Ok(Self { runtime, lookup: Arc::new(VendorLookup { limits, clients, secrets, limiters }) })
    }
}

impl PaymentVendors for HttpVendors {
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>> {
        let (lookup, vendor, reference) = (self.lookup.clone(), vendor.clone(), reference.to_owned());
        Box::pin(
            async move { self.runtime.spawn(async move { lookup.look_up(&vendor, &reference).await }).await },
        )
    }

    fn check_base_url(&self, base_url: &str) -> Result<(), String> {
        BaseUrl::parse(base_url).map(drop)
    }

    fn open_circuits(&self) -> usize {
        self.lookup.limiters.open_circuits()
    }

    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        let (lookup, vendor) = (self.lookup.clone(), vendor.clone());
        Box::pin(async move {
            self.runtime
                .spawn(async move {
                    known(&vendor)?;
                    lookup.api(&vendor)?.ping().await
                })
                .await
        })
    }
}

impl VendorLookup {
    async fn look_up(
        &self,
        vendor: &Vendor,
        reference: &str,
    ) -> Result<Option<VendorInstruction>, VendorError> {
        let kind = known(vendor)?;
        let api = self.api(vendor)?;
        let permit = self.limiters.enter(vendor)?;
        let asked = timeout(self.limits.total, ask(kind, &api, reference)).await;
        let found = asked.unwrap_or_else(|_| Err(outcome::too_late()));
        if permit.end(&found) {
            tracing::warn!(
                organisation = vendor.organisation,
                vendor = vendor.name,
                "a payment vendor failed too often; calls are suspended for a while"
            );
        }
        found
    }

    /// Returns a client for a vendor, if its address is allowed and its secret is set.
    fn api(&self, vendor: &Vendor) -> Result<VendorApi, VendorError> {
        let base = BaseUrl::parse(&vendor.base_url)
            .map_err(|cause| outcome::rejected(format!("its base URL cannot be used: {cause}")))?;
        let authorization = self.secrets.authorization(vendor)?;
        let client = self.clients.for_url(&base)?;
        Ok(VendorApi { client, base, authorization, limits: self.limits })
    }
}

/// Returns the kind of a vendor. A kind added by a newer version is unavailable: that version may handle the
/// next attempt.
fn known(vendor: &Vendor) -> Result<VendorKind, VendorError> {
    let newer = || outcome::unavailable("this version does not speak its protocol");
    vendor.kind.known().copied().ok_or_else(newer)
}

async fn ask(
    kind: VendorKind,
    api: &VendorApi,
    reference: &str,
) -> Result<Option<VendorInstruction>, VendorError> {
    match kind {
        VendorKind::Http => http::look_up(api, reference).await,
        VendorKind::Stripe => stripe::look_up(api, reference).await,
        VendorKind::Gocardless => gocardless::look_up(api, reference).await,
    }
}
