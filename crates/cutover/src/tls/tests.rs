use crate::settings::TlsFiles;
use chrono::{DateTime, Utc};
use rcgen::{CertificateParams, KeyPair};
use std::fs;
use std::time::SystemTime;
use tempfile::TempDir;

/// The files of a certificate in a temporary folder.
pub(crate) struct CertificateFiles {
    pub(crate) folder: TempDir,
    pub(crate) files: TlsFiles,
}

impl CertificateFiles {
    /// Creates files that do not exist yet.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = TlsFiles { cert: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
        Self { folder, files }
    }

    /// Writes a chain of certificates that are valid between these times, and the key of the first.
    pub(crate) fn write(&self, validities: &[(DateTime<Utc>, DateTime<Utc>)]) {
        let (chain, key) = pem(validities);
        fs::write(&self.files.cert, chain).unwrap();
        fs::write(&self.files.key, key).unwrap();
    }
}

/// Returns a chain of certificates that are valid between these times, and the key of the first, in PEM.
pub(super) fn pem(validities: &[(DateTime<Utc>, DateTime<Utc>)]) -> (String, String) {
    let certificate = |&(not_before, not_after): &(DateTime<Utc>, DateTime<Utc>)| {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = SystemTime::from(not_before).into();
        params.not_after = SystemTime::from(not_after).into();
        (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
    };
    let (chain, mut keys): (Vec<String>, Vec<String>) = validities.iter().map(certificate).unzip();
    (chain.concat(), keys.swap_remove(0))
}
