use super::address::{AddressRule, BaseUrl};
use super::resolver::FilteredResolver;
use super::{VendorLimits, VendorsUnusable};
use cutover_app::port::VendorError;
use reqwest::dns::Resolve;
use reqwest::{Client, redirect, retry};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

/// Maximum number of idle connections per host, and the time they are kept.
const IDLE: (usize, Duration) = (8, Duration::from_secs(30));

/// One HTTP client per address rule; each connects only to addresses that its rule allows.
pub(crate) struct Clients {
    limits: VendorLimits,
    resolver: Arc<dyn Resolve>,
    trust: Trust,
    /// Built for the first `https:` URL; `None` if that is impossible.
    anywhere: OnceLock<Option<Client>>,
    private: Client,
}

/// The certificates that are trusted behind `https:`.
pub(crate) enum Trust {
    /// Those of this machine. Reading them takes a third of a start and half a megabyte, so it waits for a URL that
    /// needs them.
    System,
    /// Those of a configuration; with `None`, none.
    #[cfg(test)]
    Only(Option<Box<ClientConfig>>),
}

impl Clients {
    /// # Errors
    /// [`VendorsUnusable`] if no client can be built.
    pub(crate) fn new(
        limits: VendorLimits,
        resolver: Arc<dyn Resolve>,
        trust: Trust,
    ) -> Result<Self, VendorsUnusable> {
        let private = FilteredResolver { resolver: resolver.clone(), rule: AddressRule::Private };
        let private = build(&limits, private, no_trust()?)?;
        Ok(Self { limits, resolver, trust, anywhere: OnceLock::new(), private })
    }

    /// The client for a base URL.
    pub(crate) fn for_url(&self, base: &BaseUrl) -> Result<Client, VendorError> {
        let client = match base.rule {
            AddressRule::Anywhere => self.anywhere.get_or_init(|| self.build_anywhere()).as_ref(),
            AddressRule::Private => Some(&self.private),
        };
        let none = || VendorError::Unavailable("this machine has no certificates to trust".into());
        client.cloned().ok_or_else(none)
    }

    fn build_anywhere(&self) -> Option<Client> {
        let tls = match &self.trust {
            Trust::System => system_trust(),
            #[cfg(test)]
            Trust::Only(tls) => tls.as_deref().cloned(),
        };
        let resolver = FilteredResolver { resolver: self.resolver.clone(), rule: AddressRule::Anywhere };
        build(&self.limits, resolver, tls?).ok()
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

/// TLS configuration with the certificates of this machine, read once; `None` if there are none.
pub(crate) fn system_trust() -> Option<ClientConfig> {
    static TRUST: LazyLock<Option<ClientConfig>> = LazyLock::new(read_system_trust);
    TRUST.clone()
}

fn read_system_trust() -> Option<ClientConfig> {
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
