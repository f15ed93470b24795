use crate::harness::{Installation, STALLED, Server, today, wait_until};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// A certificate and its key.
struct Issued {
    expiry: DateTime<Utc>,
    der: CertificateDer<'static>,
    cert: String,
    key: String,
}

/// Issues a certificate that expires in so many days.
fn issue(days: u64) -> Issued {
    let today: NaiveDate = today().parse().unwrap();
    let at = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    let expiry = at(today + Days::new(days));
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.not_before = SystemTime::from(at(today - Days::new(2))).into();
    params.not_after = SystemTime::from(expiry).into();
    let key = KeyPair::generate().unwrap();
    let cert = params.self_signed(&key).unwrap();
    Issued { expiry, der: cert.der().clone(), cert: cert.pem(), key: key.serialize_pem() }
}

/// The files that a server presents.
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

impl Files {
    fn write(&self, issued: &Issued) {
        fs::write(&self.cert, &issued.cert).unwrap();
        fs::write(&self.key, &issued.key).unwrap();
    }
}

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Connects as a client that trusts these certificates and has not connected before.
fn connect(server: &Server, trusted: &[&Issued]) -> Stream {
    let mut roots = RootCertStore::empty();
    trusted.iter().for_each(|issued| roots.add(issued.der.clone()).unwrap());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let client = client.with_root_certificates(roots).with_no_client_auth();
    let session = ClientConnection::new(Arc::new(client), "localhost".try_into().unwrap()).unwrap();
    let socket = TcpStream::connect(server.address).unwrap();
    socket.set_read_timeout(Some(STALLED)).unwrap();
    StreamOwned::new(session, socket)
}

/// Sends a request over a connection that stays open.
fn ask(stream: &mut Stream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    let size = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    stream.read_exact(&mut vec![0; size.parse().unwrap()]).unwrap();
}

fn metrics(mut stream: Stream) -> String {
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_renewed_certificate_is_presented_and_no_connection_is_lost() {
    let installation = Installation::new();
    let files =
        Files { cert: installation.path().join("cert.pem"), key: installation.path().join("key.pem") };
    let [expiring, renewed, next] = [10, 90, 120].map(issue);
    let all = [&expiring, &renewed, &next];
    files.write(&expiring);
    let paths = [&files.cert, &files.key].map(|path| path.to_str().unwrap());
    let server = installation.serve_with(&["--tls-cert", paths[0], "--tls-key", paths[1]]);
    let warning = format!("cert.pem: it expires on {}, in ", expiring.expiry.date_naive());
    assert!(server.log().contains(&warning), "{}", server.log());
    let mut kept = connect(&server, &all);
    let mut presents = |issued: &Issued| {
        // Also often enough to keep the connection.
        ask(&mut kept);
        let mut new = connect(&server, &all);
        ask(&mut new);
        new.conn.peer_certificates().unwrap()[0] == issued.der
    };
    assert!(presents(&expiring));

    files.write(&renewed);
    server.signal("HUP");
    wait_until("the renewed certificate is presented", || presents(&renewed));
    let line = format!("cutover_tls_certificate_expiry_timestamp_seconds {}", renewed.expiry.timestamp());
    let shown = metrics(connect(&server, &all));
    assert!(shown.lines().any(|shown| shown == line), "{line} is not in {shown}");

    fs::write(&files.cert, "no PEM").unwrap();
    server.signal("HUP");
    wait_until("the refusal is logged", || server.log().contains("could not be replaced"));
    assert!(presents(&renewed));

    files.write(&next);
    wait_until("the next certificate is presented without a signal", || presents(&next));
}

/// One signal can be sent to all processes of a machine.
#[test]
fn sighup_does_not_end_a_server_without_tls() {
    let installation = Installation::new();
    let server = installation.serve();
    server.signal("HUP");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
}
