//! TLS certificates: which are trusted, and for which name (contract D8).

use super::environment::{LookupResult, REFERENCE, ask, quick, trusting, vendors};
use super::server::{Behavior, Server};
use crate::vendors::HttpVendors;
use crate::vendors::client::{system_trust, trust};
use cutover_app::port::{VendorError, VendorKind};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{RootCertStore, ServerConfig};
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

pub(super) type Identity = CertifiedKey<KeyPair>;

pub(super) fn identity(name: &str) -> Identity {
    generate_simple_self_signed([name.to_owned()]).unwrap()
}

pub(super) fn server(identity: &Identity) -> Server {
    let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], key)
        .unwrap();
    let body = format!(r#"{{"reference": "{REFERENCE}", "type": "CARD"}}"#);
    Server::start_tls([Behavior::ok(body)], config)
}

pub(super) fn trusting_only(identity: &Identity) -> HttpVendors {
    let mut roots = RootCertStore::empty();
    roots.add(identity.cert.der().clone()).unwrap();
    trusting(quick(), trust(roots).unwrap())
}

fn ask_as(vendors: &HttpVendors, host: &str, server: &Server) -> LookupResult {
    ask(vendors, VendorKind::Http, &format!("https://{host}:{}", server.address.port()))
}

fn rejected(cause: &str) -> LookupResult {
    Err(VendorError::Rejected(cause.into()))
}

const REFUSED: &str = "its TLS certificate or handshake is not acceptable";

#[test]
fn a_trusted_certificate_is_accepted() {
    let identity = identity("localhost");
    let server = server(&identity);
    assert!(matches!(ask_as(&trusting_only(&identity), "localhost", &server), Ok(Some(_))));
    assert_eq!(server.calls(), 1);
}

#[test]
fn a_certificate_for_another_name_is_rejected_without_retry() {
    let identity = identity("other.example");
    let server = server(&identity);
    assert_eq!(ask_as(&trusting_only(&identity), "localhost", &server), rejected(REFUSED));
    assert_eq!((server.connections(), server.calls()), (1, 0));
}

#[test]
fn an_untrusted_self_signed_certificate_is_rejected_without_retry() {
    let server = server(&identity("localhost"));
    let stranger = trusting_only(&identity("localhost"));
    assert_eq!(ask_as(&stranger, "localhost", &server), rejected(REFUSED));
    assert_eq!((server.connections(), server.calls()), (1, 0));
}

#[test]
fn the_system_does_not_trust_test_certificates() {
    let server = server(&identity("localhost"));
    let looked = match system_trust() {
        Some(system) => ask_as(&trusting(quick(), system), "localhost", &server),
        None => {
            return assert!(matches!(
                ask_as(&vendors(quick()), "localhost", &server),
                Err(VendorError::Unavailable(_))
            ));
        }
    };
    assert_eq!(looked, rejected(REFUSED));
    assert_eq!(server.calls(), 0);
}

#[test]
fn a_machine_without_certificates_sends_no_https_requests() {
    let server = server(&identity("localhost"));
    let looked = ask_as(&vendors(quick()), "localhost", &server);
    let none = "this machine has no certificates to trust";
    assert_eq!(looked, Err(VendorError::Unavailable(none.into())));
    assert_eq!(server.connections(), 0);
}

#[test]
fn plain_http_to_tls_and_tls_to_plain_http_are_rejected() {
    let known = identity("localhost");
    let (vendors, behind_tls) = (trusting_only(&known), server(&known));
    let url = format!("http://localhost:{}", behind_tls.address.port());
    assert!(matches!(ask(&vendors, VendorKind::Http, &url), Err(VendorError::Rejected(_))));
    assert_eq!(behind_tls.calls(), 0);
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", plain.local_addr().unwrap());
    let talker = thread::spawn(move || plain.accept().unwrap().0.write_all(b"HTTP/1.1 400 What?\r\n\r\n"));
    assert_eq!(ask(&vendors, VendorKind::Http, &url), rejected(REFUSED));
    talker.join().unwrap().unwrap();
}
