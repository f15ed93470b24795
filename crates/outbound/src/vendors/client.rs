use super::address::{AddressRule, BaseUrl};
use super::resolver::FilteredResolver;
use super::{VendorLimits, VendorsUnusable};
use cutover_app::port::VendorError;
use reqwest::dns::Resolve;
use reqwest::{Client, redirect, retry};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of idle connections per host, and the time they are kept.
const IDLE: (usize, Duration) = (8, Duration::from_secs(30));

/// One HTTP client per address rule; each connects only to addresses that its rule allows.
pub(crate) struct Clients {
    anywhere: Option<Client>,
    private: Client,
}

impl Clients {
    /// `tls` is the trusted TLS configuration; `None` if this machine trusts no certificates.
    ///
    /// # Errors
    /// [`VendorsUnusable`] if a client cannot be built.
    pub(crate) fn new(
        limits: &VendorLimits,
        resolver: &Arc<dyn Resolve>,
        tls: Option<ClientConfig>,
    ) -> Result<Self, VendorsUnusable> {
        let client = |rule, tls| build(limits, FilteredResolver { resolver: resolver.clone(), rule }, tls);
        Ok(Self {
            anywhere: tls.map(|tls| client(AddressRule::Anywhere, tls)).transpose()?,
            private: client(AddressRule::Private, no_trust()?)?,
        })
    }

    /// The client for a base URL.
    pub(crate) fn for_url(&self, base: &BaseUrl) -> Result<Client, VendorError> {
        let client = match base.rule {
            AddressRule::Anywhere => self.anywhere.as_ref(),
            AddressRule::Private => Some(&self.private),
        };
        let none = || VendorError::Unavailable("this machine has no certificates to trust".into());
        client.cloned().ok_or_else(none)
    }
}

/// Builds a client without redirects, retries, proxies and decompression.
fn build(
    limits: &VendorLimits,
    resolver: FilteredResolver,
    tls: ClientConfig,
) -> Result<Client, VendorsUnusable> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(resolver))
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

/// TLS configuration with the certificates of this machine; `None` if there are none.
pub(crate) fn system_trust() -> Option<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(provider.clone())
        .inspect_err(
            |error| tracing::warn!(%error, "payment vendors and webhooks behind https: cannot be called"),
        )
        .ok()?;
    let config = versions(provider).ok()?;
    Some(config.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// TLS configuration for `http:`, which needs no certificates.
fn no_trust() -> Result<ClientConfig, VendorsUnusable> {
    trust(RootCertStore::empty())
}

/// TLS configuration with these root certificates.
pub(crate) fn trust(roots: RootCertStore) -> Result<ClientConfig, VendorsUnusable> {
    let config = versions(Arc::new(ring::default_provider()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

type Versions = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn versions(provider: Arc<CryptoProvider>) -> Result<Versions, VendorsUnusable> {
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| VendorsUnusable)
}
