use super::validity::Validity;
use crate::error::Error;
use crate::settings::TlsFiles;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A certificate chain with its private key.
pub(crate) struct Certificate {
    pub(super) key: Arc<CertifiedKey>,
    pub(crate) validity: Validity,
}

/// The content of the files of a certificate.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Content {
    cert: Vec<u8>,
    key: Vec<u8>,
}

impl Certificate {
    /// Reads a certificate that a server can present.
    ///
    /// # Errors
    /// [`Error`] names the setting whose file cannot be used.
    pub(crate) fn read(files: &TlsFiles) -> Result<Self, Error> {
        Self::parse(files, &Content::read(files)?)
    }

    /// Parses the content of the files.
    ///
    /// # Errors
    /// [`Error`] names the setting whose file cannot be used; that of the key if it does not fit the certificate.
    pub(super) fn parse(files: &TlsFiles, content: &Content) -> Result<Self, Error> {
        let cert = |e: &dyn fmt::Display| unusable("tls-cert", &files.cert, e);
        let key = |e: &dyn fmt::Display| unusable("tls-key", &files.key, e);
        let chain = CertificateDer::pem_slice_iter(&content.cert).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|e| cert(&e))?;
        if chain.is_empty() {
            return Err(cert(&"it holds no certificate"));
        }
        let validity = Validity::of(&chain).map_err(|e| cert(&e))?;
        let private = PrivateKeyDer::from_pem_slice(&content.key).map_err(|e| key(&e))?;
        let certified = CertifiedKey::from_der(chain, private, &ring::default_provider());
        Ok(Self { key: Arc::new(certified.map_err(|e| key(&e))?), validity })
    }
}

impl Content {
    /// # Errors
    /// [`Error`] names the setting whose file cannot be read.
    pub(super) fn read(files: &TlsFiles) -> Result<Self, Error> {
        let read = |setting, file: &Path| std::fs::read(file).map_err(|e| unusable(setting, file, &e));
        Ok(Self { cert: read("tls-cert", &files.cert)?, key: read("tls-key", &files.key)? })
    }
}

fn unusable(setting: &str, file: &Path, error: &dyn fmt::Display) -> Error {
    Error::refused(format!("the setting {setting} cannot be used: {}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::CertificateFiles;
    use chrono::{DateTime, Utc};

    #[test]
    fn unusable_certificate_files_are_named() {
        let home = CertificateFiles::new();
        let TlsFiles { cert, key } = &home.files;
        let refused = || Certificate::read(&home.files).err().unwrap().to_string();
        assert!(refused().starts_with("the setting tls-cert cannot be used"), "{}", refused());
        std::fs::write(cert, "no PEM").unwrap();
        assert!(refused().starts_with("the setting tls-key cannot be used"), "{}", refused());
        std::fs::write(key, "no PEM").unwrap();
        assert!(refused().ends_with("cert.pem: it holds no certificate"), "{}", refused());
        std::fs::write(cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(refused().contains("cert.pem: certificate 1 in it cannot be read"), "{}", refused());
        let always = [(DateTime::<Utc>::UNIX_EPOCH, DateTime::from_timestamp(4_000_000_000, 0).unwrap())];
        home.write(&always);
        let first = std::fs::read(key).unwrap();
        assert!(Certificate::read(&home.files).is_ok());
        home.write(&always);
        std::fs::write(key, first).unwrap();
        assert!(refused().starts_with("the setting tls-key cannot be used"), "{}", refused());
        assert!(refused().ends_with("key.pem: keys may not be consistent: KeyMismatch"), "{}", refused());
    }
}
