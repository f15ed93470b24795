use crate::error::Error;
use crate::settings::TlsFiles;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::Arc;

/// Builds the configuration of TLS 1.2 and 1.3 with the certificate of the files.
///
/// # Errors
/// [`Error`] names the setting whose file cannot be used.
pub(crate) fn server_config(files: &TlsFiles) -> Result<ServerConfig, Error> {
    let cert = |e: &dyn fmt::Display| unusable("tls-cert", &files.cert, e);
    let key = |e: &dyn fmt::Display| unusable("tls-key", &files.key, e);
    let chain = CertificateDer::pem_file_iter(&files.cert).map_err(|e| cert(&e))?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(|e| cert(&e))?;
    if chain.is_empty() {
        return Err(cert(&"it holds no certificate"));
    }
    let private = PrivateKeyDer::from_pem_file(&files.key).map_err(|e| key(&e))?;
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| cert(&e))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|e| key(&e))
}

fn unusable(setting: &str, file: &std::path::Path, error: &dyn fmt::Display) -> Error {
    Error::refused(format!("the setting {setting} cannot be used: {}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_certificate_files_are_named() {
        let home = tempfile::tempdir().unwrap();
        let (cert, key) = (home.path().join("cert.pem"), home.path().join("key.pem"));
        let refused = || {
            let files = TlsFiles { cert: cert.clone(), key: key.clone() };
            server_config(&files).unwrap_err().to_string()
        };
        assert!(refused().starts_with("the setting tls-cert cannot be used"), "{}", refused());
        std::fs::write(&cert, "no PEM").unwrap();
        assert!(refused().ends_with("cert.pem: it holds no certificate"), "{}", refused());
        std::fs::write(&cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(refused().starts_with("the setting tls-key cannot be used"), "{}", refused());
    }
}
