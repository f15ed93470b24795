use crate::instance::Instance;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The names in the server's certificate.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// The lines of `pg_hba.conf`, which require TLS. Roles with these names, if a test creates them, need a
/// password.
const ACCESS: &str = "\
hostssl all by_scram 127.0.0.1/32 scram-sha-256
hostssl all by_md5 127.0.0.1/32 md5
hostssl all by_password 127.0.0.1/32 password
hostssl all,replication all 127.0.0.1/32 trust
";

/// Creates the server's certificate and key, and refuses connections without TLS.
pub(crate) fn prepare(instance: &mut Instance) -> io::Result<()> {
    let (authority_pem, certificate, key) = certificates().map_err(io::Error::other)?;
    let data = instance.data();
    let authority = instance.folder().join("authority.pem");
    write(instance, &authority, &authority_pem)?;
    write(instance, &data.join("server.crt"), &certificate)?;
    write(instance, &data.join("server.key"), &key)?;
    std::fs::write(data.join("pg_hba.conf"), ACCESS)?;
    instance.authority = Some(authority);
    Ok(())
}

/// Writes a file that only the server's user can read, as the server requires of its key.
fn write(instance: &Instance, path: &Path, content: &str) -> io::Result<()> {
    std::fs::write(path, content)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    instance.user.give(path)
}

/// Returns an authority's certificate, the server's certificate by it, and the server's key, in PEM.
fn certificates() -> Result<(String, String, String), rcgen::Error> {
    let mut params = CertificateParams::new([])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // With the server's name, its certificate would look self-signed.
    params.distinguished_name.push(DnType::CommonName, "Cutover tests");
    let authority_key = KeyPair::generate()?;
    let authority = params.self_signed(&authority_key)?;
    let issuer = Issuer::from_params(&params, &authority_key);
    let key = KeyPair::generate()?;
    let server = CertificateParams::new(NAMES.map(str::to_owned))?.signed_by(&key, &issuer)?;
    Ok((authority.pem(), server.pem(), key.serialize_pem()))
}
