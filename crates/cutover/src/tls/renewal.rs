use super::certificate::{Certificate, Content};
use super::validity::{Validity, ValidityState};
use crate::error::Error;
use crate::server::Hangups;
use crate::settings::TlsFiles;
use crate::system::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::port::Clock;
use cutover_http::Tls;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// Interval at which the files are read. Their content is compared and not their times, so that it does not matter how
/// they are replaced: in place, by renaming, or behind the symbolic links of Kubernetes.
const INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which a warning of the expiry is logged again.
const REMINDER: TimeDelta = TimeDelta::days(1);

/// The certificate that the server presents in handshakes.
#[derive(Debug)]
struct Presented(RwLock<Arc<CertifiedKey>>);

impl Presented {
    fn get(&self) -> Arc<CertifiedKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, key: Arc<CertifiedKey>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = key;
    }
}

impl ResolvesServerCert for Presented {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

/// Replaces the certificate of a running server when its files change. Established connections keep theirs.
pub(crate) struct CertificateRenewal {
    files: TlsFiles,
    presented: Arc<Presented>,
    /// When the presented certificate expires, in seconds since 1970.
    expiry: Arc<AtomicI64>,
    validity: Validity,
    /// The contents that were parsed last, with or without success.
    parsed: Result<Content, String>,
    /// The contents of the files at the last reading.
    seen: Result<Content, String>,
    reminded_at: DateTime<Utc>,
}

impl CertificateRenewal {
    /// Reads the certificate, and warns if it expires soon.
    ///
    /// # Errors
    /// [`Error`] names the setting whose file cannot be used.
    pub(crate) fn open(files: &TlsFiles, now: DateTime<Utc>) -> Result<Self, Error> {
        let content = Content::read(files)?;
        let Certificate { key, validity } = Certificate::parse(files, &content)?;
        let mut opened = Self {
            files: files.clone(),
            presented: Arc::new(Presented(RwLock::new(key))),
            expiry: Arc::new(AtomicI64::new(validity.not_after().timestamp())),
            validity,
            parsed: Ok(content.clone()),
            seen: Ok(content),
            reminded_at: now,
        };
        opened.remind(now);
        Ok(opened)
    }

    /// Returns TLS 1.2 and 1.3 with the certificate of the moment of each handshake.
    ///
    /// # Errors
    /// [`Error`] if this build has no usable cryptography.
    pub(crate) fn tls(&self) -> Result<Tls, Error> {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::refused(format!("TLS cannot be used: {error}")))?
            .with_no_client_auth()
            .with_cert_resolver(self.presented.clone());
        Ok(Tls { config, expiry: self.expiry.clone() })
    }

    /// Follows the files on a thread of its own, and reads them at once at each SIGHUP.
    ///
    /// # Errors
    /// [`Error`] if the thread cannot be created.
    pub(crate) fn start(mut self, mut hangups: Hangups) -> Result<(), Error> {
        let follow = move || {
            loop {
                let is_requested = hangups.wait(INTERVAL);
                self.check(is_requested, SystemClock.now());
            }
        };
        thread::Builder::new().name("certificate".into()).spawn(follow)?;
        Ok(())
    }

    /// Reads the files. Uses a changed content once two readings agree, since one may fall between the writes of the two
    /// files or of one; on request at once.
    fn check(&mut self, is_requested: bool, now: DateTime<Utc>) {
        let content = Content::read(&self.files).map_err(|error| error.to_string());
        let is_settled = content == self.seen;
        if is_requested || (is_settled && content != self.parsed) {
            self.replace(&content, now);
            self.parsed = content.clone();
        }
        self.seen = content;
        if now - self.reminded_at >= REMINDER {
            self.remind(now);
        }
    }

    /// Presents the certificate from now on; keeps the one in use if it cannot be used.
    fn replace(&mut self, content: &Result<Content, String>, now: DateTime<Utc>) {
        let parse = |content| Certificate::parse(&self.files, content).map_err(|error| error.to_string());
        match content.as_ref().map_err(String::clone).and_then(parse) {
            Ok(Certificate { key, validity }) => {
                self.presented.set(key);
                self.expiry.store(validity.not_after().timestamp(), Ordering::Relaxed);
                self.validity = validity;
                tracing::info!("the TLS certificate was read again: {}", validity.describe(now));
                self.remind(now);
            }
            Err(error) => {
                let kept = self.validity.describe(now);
                tracing::error!(%error, "the TLS certificate could not be replaced; the one in use stays: {kept}");
            }
        }
    }

    /// Logs the expiry if it is near or past.
    fn remind(&mut self, now: DateTime<Utc>) {
        self.reminded_at = now;
        let (file, validity) = (self.files.cert.display(), self.validity.describe(now));
        match self.validity.state(now) {
            ValidityState::Valid => {}
            ValidityState::ExpiresSoon => tracing::warn!("the TLS certificate {file}: {validity}"),
            ValidityState::Expired | ValidityState::NotYetValid => {
                tracing::error!("the TLS certificate {file}: {validity}");
            }
        }
    }
}

#[cfg(test)]
mod tests;
