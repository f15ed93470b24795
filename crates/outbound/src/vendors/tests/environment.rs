//! Vendors for tests, and helpers to look up instructions.

use super::server::Server;
use crate::OutboundRuntime;
use crate::vendors::client::Trust;
use crate::vendors::resolver::SystemResolver;
use crate::vendors::{Environment, HttpVendors, VendorLimits};
use chrono::DateTime;
use cutover_app::port::{PaymentVendors, Vendor, VendorError, VendorInstruction, VendorKind};
use cutover_testkit_machine::STALLED;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::ClientConfig;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(super) const SECRET: &str = "canary-secret-of-a-vendor";
pub(super) const REFERENCE: &str = "canary-reference";

pub(super) type LookupResult = Result<Option<VendorInstruction>, VendorError>;

/// A vendor of a kind at an address, whose secret is in `V_SECRET`.
pub(crate) fn vendor(kind: VendorKind, base_url: &str) -> Vendor {
    Vendor {
        organisation_id: 1,
        organisation: "Acme".into(),
        name: "v".into(),
        kind: kind.into(),
        base_url: base_url.into(),
        secret_env: Some("V_SECRET".into()),
        created_at: DateTime::UNIX_EPOCH,
    }
}

/// Limits for tests: the usual number of attempts with short pauses between them, and deadlines that a slow machine does
/// not reach.
pub(super) fn quick() -> VendorLimits {
    let backoff = Duration::from_millis(1);
    VendorLimits { backoff, attempt: STALLED, total: STALLED, pause: STALLED, ..VendorLimits::default() }
}

/// Limits for vendors that hang.
pub(super) fn impatient() -> VendorLimits {
    VendorLimits { attempt: Duration::from_secs(1), ..quick() }
}

pub(super) fn environment() -> Environment {
    let variables = Box::new(|name: &str| (name == "V_SECRET").then(|| SECRET.to_owned()));
    Environment { variables, resolver: Arc::new(SystemResolver), trust: Trust::Only(None) }
}

/// Resolver that returns the same addresses for every name, or none, and counts the queries.
pub(super) struct FixedResolver {
    addresses: Vec<SocketAddr>,
    asked: AtomicUsize,
}

impl FixedResolver {
    pub(super) fn of(addresses: impl IntoIterator<Item = SocketAddr>) -> Arc<Self> {
        Arc::new(Self { addresses: addresses.into_iter().collect(), asked: AtomicUsize::new(0) })
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Resolve for FixedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let addresses = self.addresses.clone();
        Box::pin(async move {
            match addresses.is_empty() {
                true => Err(std::io::Error::other("no such name").into()),
                false => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}

pub(super) fn vendors_with(limits: VendorLimits, environment: Environment) -> HttpVendors {
    HttpVendors::in_environment(OutboundRuntime::start().unwrap(), limits, environment).unwrap()
}

pub(super) fn vendors(limits: VendorLimits) -> HttpVendors {
    vendors_with(limits, environment())
}

pub(super) fn trusting(limits: VendorLimits, trust: ClientConfig) -> HttpVendors {
    vendors_with(limits, Environment { trust: Trust::Only(Some(Box::new(trust))), ..environment() })
}

/// Waits for a future on a plain thread.
pub(super) fn wait<T>(answer: impl Future<Output = T>) -> T {
    pollster::block_on(answer)
}

/// Looks up [`REFERENCE`].
pub(super) fn ask(vendors: &HttpVendors, kind: VendorKind, base_url: &str) -> LookupResult {
    wait(vendors.look_up(&vendor(kind, base_url), REFERENCE))
}

/// Looks up [`REFERENCE`] at a server that speaks our own protocol.
pub(super) fn ask_server(vendors: &HttpVendors, server: &Server) -> LookupResult {
    ask(vendors, VendorKind::Http, &server.url())
}
