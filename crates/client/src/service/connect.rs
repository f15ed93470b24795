use crate::error::Error;
use reqwest::{Client, Url, redirect, retry};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time between two reads of an answer, and before the first.
const READ_TIMEOUT: Duration = Duration::from_secs(90);
/// Time after which idle connections are closed: before the service closes them.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// A client without redirects and retries, through a proxy if the environment names one.
///
/// # Errors
/// [`Error`] if TLS cannot be set up, for example because this machine trusts no certificates.
pub(super) fn client(base: &Url) -> Result<Client, Error> {
    let unusable = |error: &dyn std::fmt::Display| Error::refused(format!("TLS cannot be used: {error}"));
    let builder = Client::builder()
        .tls_backend_preconfigured(trust(base.scheme() == "https").map_err(|error| unusable(&error))?)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .http1_only()
        .tcp_nodelay(true)
        .user_agent(concat!("cutover-client/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT);
    builder.build().map_err(|error| unusable(&error))
}

/// TLS configuration with the certificates that this machine trusts; with none if TLS is not needed.
fn trust(is_needed: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    if !is_needed {
        return Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = Arc::new(Verifier::new(provider)?);
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}
