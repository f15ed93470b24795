//! Payment vendors over HTTP (contract D8, D11).
//!
//! A look-up goes through the vendor's gate, then its adapter (`http`, `stripe`, `gocardless`) holds a
//! conversation: a request, and what is read of the answer. What a failure means is decided in one place,
//! `outcome`.

mod address;
mod call;
mod client;
mod gate;
mod gocardless;
mod http;
mod limits;
mod outcome;
mod request;
mod resolver;
mod secrets;
mod shown;
mod stripe;
#[cfg(test)]
mod tests;

pub use limits::VendorLimits;

use crate::OutboundRuntime;
use address::BaseUrl;
use call::Call;
use client::Clients;
use cutover_app::port::{Answer, PaymentVendors, Vendor, VendorError, VendorInstruction, VendorKind};
use gate::Gates;
use reqwest::dns::Resolve;
use resolver::SystemNames;
use rustls::ClientConfig;
use secrets::{Secrets, Variables};
use std::sync::Arc;
use tokio::time::timeout;

/// No HTTP client can be made on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no HTTP client for payment vendors can be made")]
pub struct VendorsUnusable;

/// Asks payment vendors over HTTP. Each look-up ends within [`VendorLimits::total`]; a vendor that is down is
/// left alone for a while, and none holds more than [`VendorLimits::in_flight`] look-ups.
pub struct HttpVendors {
    runtime: OutboundRuntime,
    asker: Arc<Asker>,
}

struct Asker {
    limits: VendorLimits,
    clients: Clients,
    secrets: Secrets,
    gates: Gates,
}

/// The world around the vendors; tests have one of their own.
struct World {
    variables: Variables,
    names: Arc<dyn Resolve>,
    trust: Option<ClientConfig>,
}

impl World {
    fn system() -> Self {
        let variables = Box::new(|name: &str| std::env::var(name).ok());
        Self { variables, names: Arc::new(SystemNames), trust: client::system_trust() }
    }
}

impl HttpVendors {
    /// Ready to ask: secrets from the environment, names and trusted certificates from the system. Proxies
    /// of the environment are not used.
    ///
    /// # Errors
    /// [`VendorsUnusable`] if no client can be made.
    pub fn new(runtime: OutboundRuntime, limits: VendorLimits) -> Result<Self, VendorsUnusable> {
        Self::in_world(runtime, limits, World::system())
    }

    fn in_world(
        runtime: OutboundRuntime,
        limits: VendorLimits,
        world: World,
    ) -> Result<Self, VendorsUnusable> {
        let clients = Clients::new(&limits, &world.names, world.trust)?;
        let (secrets, gates) = (Secrets::new(world.variables), Gates::new(limits));
        Ok(Self { runtime, asker: Arc::new(Asker { limits, clients, secrets, gates }) })
    }
}

impl PaymentVendors for HttpVendors {
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>> {
        let (asker, vendor, reference) = (self.asker.clone(), vendor.clone(), reference.to_owned());
        Box::pin(
            async move { self.runtime.spawn(async move { asker.look_up(&vendor, &reference).await }).await },
        )
    }

    fn check_base_url(&self, base_url: &str) -> Result<(), String> {
        BaseUrl::parse(base_url).map(drop)
    }

    fn open_circuits(&self) -> usize {
        self.asker.gates.left_alone()
    }

    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        let (asker, vendor) = (self.asker.clone(), vendor.clone());
        Box::pin(async move {
            self.runtime
                .spawn(async move {
                    known(&vendor)?;
                    asker.call(&vendor)?.knock().await
                })
                .await
        })
    }
}

impl Asker {
    async fn look_up(
        &self,
        vendor: &Vendor,
        reference: &str,
    ) -> Result<Option<VendorInstruction>, VendorError> {
        let kind = known(vendor)?;
        let call = self.call(vendor)?;
        let pass = self.gates.enter(vendor)?;
        let asked = timeout(self.limits.total, ask(kind, &call, reference)).await;
        let found = asked.unwrap_or_else(|_| Err(outcome::too_late()));
        if pass.end(&found) {
            tracing::warn!(
                vendor = vendor.name,
                "a payment vendor failed too often and is left alone for a while"
            );
        }
        found
    }

    /// A conversation with a vendor, if its address is allowed and its secret is there.
    fn call(&self, vendor: &Vendor) -> Result<Call, VendorError> {
        let base = BaseUrl::parse(&vendor.base_url)
            .map_err(|cause| outcome::rejected(format!("its base URL cannot be used: {cause}")))?;
        let authorization = self.secrets.authorization(vendor)?;
        let client = self.clients.for_url(&base)?;
        Ok(Call { client, base, authorization, limits: self.limits })
    }
}

/// The kind of a vendor. One that a newer version added can be asked by that version, perhaps at the next attempt.
fn known(vendor: &Vendor) -> Result<VendorKind, VendorError> {
    let newer = || outcome::unavailable("this version does not speak its protocol");
    vendor.kind.known().copied().ok_or_else(newer)
}

async fn ask(
    kind: VendorKind,
    call: &Call,
    reference: &str,
) -> Result<Option<VendorInstruction>, VendorError> {
    match kind {
        VendorKind::Http => http::look_up(call, reference).await,
        VendorKind::Stripe => stripe::look_up(call, reference).await,
        VendorKind::Gocardless => gocardless::look_up(call, reference).await,
    }
}
