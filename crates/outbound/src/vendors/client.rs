use super::address::{AddressRule, BaseUrl};
use super::resolver::RuledNames;
use super::{VendorLimits, VendorsUnusable};
use cutover_app::port::VendorError;
use reqwest::dns::Resolve;
use reqwest::{Client, redirect, retry};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;
use std::time::Duration;

/// Connections that are kept for the next request, by host, and for how long.
const IDLE: (usize, Duration) = (8, Duration::from_secs(30));

/// A client for each rule of addresses: the names that it connects to are held to the rule.
pub(super) struct Clients {
    anywhere: Option<Client>,
    near: Client,
}

impl Clients {
    /// `tls` is who is trusted; none if this machine has no certificates to trust.
    ///
    /// # Errors
    /// [`VendorsUnusable`] if a client cannot be made.
    pub(super) fn new(
        limits: &VendorLimits,
        names: &Arc<dyn Resolve>,
        tls: Option<ClientConfig>,
    ) -> Result<Self, VendorsUnusable> {
        let client = |rule, tls| build(limits, RuledNames { names: names.clone(), rule }, tls);
        Ok(Self {
            anywhere: tls.map(|tls| client(AddressRule::Anywhere, tls)).transpose()?,
            near: client(AddressRule::Near, no_trust()?)?,
        })
    }

    /// The client for a base URL.
    pub(super) fn for_url(&self, base: &BaseUrl) -> Result<Client, VendorError> {
        let client = match base.rule {
            AddressRule::Anywhere => self.anywhere.as_ref(),
            AddressRule::Near => Some(&self.near),
        };
        let none = || VendorError::Unavailable("this machine has no certificates to trust".into());
        client.cloned().ok_or_else(none)
    }
}

/// A client that does what it is asked and nothing of its own accord.
fn build(limits: &VendorLimits, names: RuledNames, tls: ClientConfig) -> Result<Client, VendorsUnusable> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(names))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .http1_only()
        .user_agent(concat!("cutover/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(limits.attempt)
        .pool_max_idle_per_host(IDLE.0)
        .pool_idle_timeout(IDLE.1);
    builder.build().map_err(|_| VendorsUnusable)
}

/// Trusts whom this machine trusts; none if it trusts nobody.
pub(super) fn system_trust() -> Option<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(provider.clone())
        .inspect_err(|error| tracing::warn!(%error, "payment vendors behind https: cannot be asked"))
        .ok()?;
    let config = versions(provider).ok()?;
    Some(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// For `http:`, where no certificates are shown.
fn no_trust() -> Result<ClientConfig, VendorsUnusable> {
    trust(RootCertStore::empty())
}

/// Trusts these.
pub(super) fn trust(roots: RootCertStore) -> Result<ClientConfig, VendorsUnusable> {
    let config = versions(Arc::new(ring::default_provider()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

type Versions = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn versions(provider: Arc<CryptoProvider>) -> Result<Versions, VendorsUnusable> {
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| VendorsUnusable)
}
