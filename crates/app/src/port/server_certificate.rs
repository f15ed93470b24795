use chrono::{DateTime, Utc};

/// The certificate with which the API is served over TLS.
pub trait ServerCertificate: Send + Sync {
    /// Reads the certificate and judges it at a time.
    fn judge(&self, now: DateTime<Utc>) -> ServerCertificateState;
}

/// The state of the certificate of the API, with a text for people, which begins with a small letter and has no full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerCertificateState {
    /// Clients accept it.
    Valid(String),
    /// It is valid, but was not renewed in time.
    ExpiresSoon(String),
    /// Clients refuse it, or it cannot be read.
    Unusable(String),
}
