//! A server on a real socket, and clients that write bytes to it.

use super::*;
use crate::config::Tls;
use crate::testing::{ACCOUNT, TestService};
use cutover_app::port::{Store, StoreError, Tx, WriteJob};
use cutover_testkit::memory::{Fault, MemoryStore};
use cutover_testkit_machine::{STALLED, wait_until};
use rustls::pki_types::PrivateKeyDer;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream as Client;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

const LINGER: Duration = SHORTEST;

/// A server that stops when it is dropped.
struct Served {
    service: TestService,
    address: SocketAddr,
    admin: Option<SocketAddr>,
    running: ServiceHandle,
    handle: ServerHandle,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Served {
    fn new(config: Config) -> Self {
        Self::of(TestService::new(), config)
    }

    fn of(service: TestService, config: Config) -> Self {
        let app = service.app.clone();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config { listen: any, workers: 1, rate_limit: 0, ..config };
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || {
            let parts = Parts { app, workers: Arc::default(), webhooks: Arc::default() };
            let running = start_with(parts, config, LINGER)?;
            let addresses = (running.addresses[0], running.admin_addresses.first().copied());
            sender.send((addresses, running.service, running.handle)).unwrap();
            actix_web::rt::System::new().block_on(running.server)
        });
        let ((address, admin), running, handle) = receiver.recv().unwrap();
        Self { service, address, admin, running, handle, thread: Some(thread) }
    }

    fn connect(&self) -> Client {
        connect(self.address)
    }

    /// Sends these bytes and returns everything received until the server closes.
    fn talk(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.connect();
        client.write_all(bytes.as_ref()).unwrap();
        rest(&mut client)
    }

    /// Returns the head of a POST to validate, with these further headers.
    fn head(&self, headers: &str) -> String {
        let token = self.service.token();
        format!(
            "POST /v2/data-import/accounts/validate/ HTTP/1.1\r\nHost: cutover\r\nAuthorization: Token {token}\r\n{headers}\r\n"
        )
    }

    /// Stops gracefully.
    fn stop(&mut self) -> io::Result<()> {
        let thread = self.thread.take().unwrap();
        let stopped = self.handle.stop(true);
        actix_web::rt::System::new().block_on(stopped);
        thread.join().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The command is sent when the future is created; it need not be awaited.
        drop(self.handle.stop(false));
    }
}

fn connect(address: SocketAddr) -> Client {
    let client = Client::connect(address).unwrap();
    client.set_read_timeout(Some(STALLED)).unwrap();
    client.set_write_timeout(Some(STALLED)).unwrap();
    client
}

/// Returns everything received until the server closes.
fn rest(client: &mut Client) -> String {
    let mut bytes = Vec::new();
    match client.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server does not close: {error}"),
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the status line and the headers of the next response, whose body has this size.
fn answer(client: &mut Client, size: usize) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    client.read_exact(&mut vec![0; size]).unwrap();
    String::from_utf8(head).unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

fn chunk(bytes: &str) -> String {
    format!("{:x}\r\n{bytes}\r\n", bytes.len())
}

#[test]
fn connections_are_kept_alive() {
    let served = Served::new(Config::default());
    let mut client = served.connect();
    for _ in 0..3 {
        let whole = format!("{}{ACCOUNT}", served.head(&format!("Content-Length: {}\r\n", ACCOUNT.len())));
        client.write_all(whole.as_bytes()).unwrap();
        assert_eq!(status(&answer(&mut client, 2)), "200");
        let chunked = format!("{}{}0\r\n\r\n", served.head("Transfer-Encoding: chunked\r\n"), chunk(ACCOUNT));
        client.write_all(chunked.as_bytes()).unwrap();
        assert_eq!(status(&answer(&mut client, 2)), "200");
    }
}

#[test]
fn ambiguous_framing_is_refused() {
    let served = Served::new(Config::default());
    for headers in [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 2, 3\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
    ] {
        let answer = served
            .talk(format!("{}{{}}0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", served.head(headers)));
        assert_eq!((status(&answer), answer.matches("HTTP/1.1").count()), ("400", 1), "{headers}{answer}");
        is_last_refusal(&answer, "400", "bad_request");
    }
}

/// Asserts that the response closes its connection, and has the body and the id of every refusal.
fn is_last_refusal(answer: &str, expected: &str, code: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    let head = head.to_lowercase();
    assert_eq!(status(answer), expected, "{answer}");
    assert!(head.contains("\r\ncontent-type: application/json") && head.contains("\r\ndate: "), "{answer}");
    assert!(head.contains("\r\nconnection: close"), "{answer}");
    let id = head.lines().find_map(|line| line.strip_prefix("x-request-id: "));
    assert_eq!(id.unwrap_or_else(|| panic!("{answer}")).len(), 16, "{answer}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    assert_eq!(body["code"], code, "{answer}");
    assert!(body["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{answer}");
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

#[test]
fn invalid_requests_are_refused_with_a_body_and_an_id() {
    let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let served_within =
        |head_timeout| Served::new(Config { head_timeout, admin_listen: any, ..Config::default() });
    let (patient, hasty) = (served_within(STALLED), served_within(SHORTEST));
    let both = "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n";
    for (head, status, code) in [
        ("GET /healthz HTTP/1.1\r\n\r\n".to_owned(), "400", "bad_request"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".into(), "400", "bad_request"),
        (format!("POST /v1/graphql/ HTTP/1.1\r\nHost: x\r\n{both}\r\n{{}}"), "400", "bad_request"),
        ("hello\r\n\r\n".into(), "400", "bad_request"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), "400", "bad_request"),
        ("\u{16}\u{3}\u{1}\u{2}".into(), "400", "bad_request"),
        (format!("GET /{} HTTP/1.1\r\n", "x".repeat(1 << 20)), "431", "head_too_large"),
        (format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "a: b\r\n".repeat(97)), "431", "head_too_large"),
        ("GET /healthz HTTP/1.1\r\nHo".into(), "408", "request_timeout"),
    ] {
        let served = if status == "408" { &hasty } else { &patient };
        for address in [served.address, served.admin.unwrap()] {
            let mut first = connect(address);
            first.write_all(head.as_bytes()).unwrap();
            is_last_refusal(&rest(&mut first), status, code);
            // The same after a served request, at once or later.
            let mut second = connect(address);
            second.write_all(HEALTH.as_bytes()).unwrap();
            assert_eq!(super::tests::status(&answer(&mut second, 15)), "200");
            second.write_all(head.as_bytes()).unwrap();
            is_last_refusal(&rest(&mut second), status, code);
            if status == "408" {
                // A head that arrives with the request before is timed like an idle connection.
                continue;
            }
            let mut third = connect(address);
            third.write_all(format!("{HEALTH}{head}").as_bytes()).unwrap();
            assert_eq!(super::tests::status(&answer(&mut third, 15)), "200");
            is_last_refusal(&rest(&mut third), status, code);
        }
    }
}

#[test]
fn invalid_requests_are_refused_over_tls() {
    let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = identity.cert.der().clone();
    let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider.clone());
    let tls = tls.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let tls = tls.with_single_cert(vec![certificate.clone()], key).unwrap();
    let served =
        Served::new(Config { tls: Some(Tls { config: tls, expiry: Arc::default() }), ..Config::default() });
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = rustls::ClientConfig::builder_with_provider(provider);
    let client = client.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let client = Arc::new(client.with_no_client_auth());
    for (head, status, code) in [
        ("hello\r\n\r\n".to_owned(), "400", "bad_request"),
        (format!("GET /{}", "x".repeat(1 << 20)), "431", "head_too_large"),
    ] {
        let name = "localhost".try_into().unwrap();
        let session = rustls::ClientConnection::new(client.clone(), name).unwrap();
        let mut stream = rustls::StreamOwned::new(session, served.connect());
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        is_last_refusal(&answer, status, code);
    }
}

/// A client that waits for `100 Continue` receives it only if its body is wanted.
#[test]
fn continue_is_not_sent_for_a_refused_body() {
    let served = Served::new(Config::default());
    let accounts = "/v2/data-import/accounts/";
    let token = format!("Authorization: Token {}\r\n", served.service.token());
    let small = "Content-Length: 100\r\n";
    for (line, headers, expected) in [
        (format!("POST {accounts}"), small.to_owned(), "401"),
        (format!("POST {accounts}"), format!("{small}Authorization: Token x\r\n"), "401"),
        (format!("POST {accounts}bulk/"), format!("{small}Authorization: Token x\r\n"), "401"),
        (format!("PUT {accounts}"), format!("{small}{token}"), "405"),
        ("POST /nowhere/".into(), format!("{small}{token}"), "404"),
        (format!("POST {accounts}"), format!("Content-Length: 100000000\r\n{token}"), "413"),
        (format!("POST {accounts}"), format!("{small}{token}Content-Type: text/plain\r\n"), "415"),
        (format!("POST {accounts}"), format!("{small}{token}Content-Encoding: br\r\n"), "415"),
        (format!("POST {accounts}bulk/"), format!("{small}{token}Content-Type: text/plain\r\n"), "415"),
        ("POST /v1/graphql/".into(), "Content-Length: 100000\r\n".into(), "413"),
    ] {
        let head = format!("{line} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n{headers}\r\n");
        let answer = served.talk(head);
        assert_eq!((status(&answer), answer.matches("HTTP/1.1").count()), (expected, 1), "{line} {answer}");
    }
}

#[test]
fn continue_is_sent_once_and_after_earlier_responses() {
    let served = Served::new(Config::default());
    let mut client = served.connect();
    let length = format!("Expect: 100-continue\r\nContent-Length: {}\r\n", ACCOUNT.len());
    for _ in 0..2 {
        client.write_all((HEALTH.to_owned() + &served.head(&length)).as_bytes()).unwrap();
        assert_eq!(status(&answer(&mut client, 15)), "200");
        assert_eq!(status(&answer(&mut client, 0)), "100");
        client.write_all(ACCOUNT.as_bytes()).unwrap();
        assert_eq!(status(&answer(&mut client, 2)), "200");
    }
    let chunked = served.head("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n");
    client.write_all(chunked.as_bytes()).unwrap();
    assert_eq!(status(&answer(&mut client, 0)), "100");
    // In several chunks, as it is sent.
    for piece in ACCOUNT.as_bytes().chunks(100) {
        client.write_all(chunk(std::str::from_utf8(piece).unwrap()).as_bytes()).unwrap();
    }
    client.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(status(&answer(&mut client, 2)), "200");
    let lines = ACCOUNT.replace('\n', " ");
    let head = served.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n", lines.len()));
    let head = head.replace("accounts/validate/", "accounts/bulk/?validate_only=true");
    client.write_all(head.as_bytes()).unwrap();
    assert_eq!(status(&answer(&mut client, 0)), "100");
    client.write_all(lines.as_bytes()).unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(status(&rest(&mut client)), "200");
}

#[test]
fn a_body_that_breaks_off_is_refused() {
    let served = Served::new(Config::default());
    for (headers, body) in [
        ("Content-Length: 100\r\n", "{}".to_owned()),
        ("Transfer-Encoding: chunked\r\n", chunk("{}")),
        ("Transfer-Encoding: chunked\r\n", "5\r\n{}".to_owned()),
    ] {
        let mut client = served.connect();
        client.write_all((served.head(headers) + &body).as_bytes()).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        let answer = rest(&mut client);
        assert!(["400", "none"].contains(&status(&answer)), "{headers}{answer}");
    }
    let badly_framed = served.head("Transfer-Encoding: chunked\r\n") + "zz\r\n{}\r\n";
    let answer = served.talk(badly_framed);
    assert_eq!((status(&answer), answer.matches("HTTP/1.1").count()), ("400", 1), "{answer}");
}

#[test]
fn a_large_body_is_refused_unread() {
    let served = Served::new(Config::default());
    let answer = served.talk(served.head("Content-Length: 100000000\r\n"));
    assert_eq!(status(&answer), "413");
    assert!(answer.contains("\"payload_too_large\""), "{answer}");
}

#[test]
fn an_endless_body_is_cut_off() {
    let served = Served::new(Config { body_limit: 10_000, ..Config::default() });
    let mut client = served.connect();
    client.write_all(served.head("Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
    let mut reader = client.try_clone().unwrap();
    let answer = thread::spawn(move || rest(&mut reader));
    let piece = chunk(&" ".repeat(50_000));
    let mut sent = 0;
    while client.write_all(piece.as_bytes()).is_ok() {
        sent += piece.len();
        assert!(sent < 100 << 30, "the server does not stop reading");
    }
    assert_eq!(status(&answer.join().unwrap()), "413");
}

#[test]
fn without_a_token_the_body_is_not_read() {
    let served = Served::new(Config::default());
    let head = "POST /v2/data-import/accounts/ HTTP/1.1\r\nHost: x\r\n";
    for framing in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
        let answer = served.talk(format!("{head}{framing}\r\n\r\n"));
        assert_eq!(status(&answer), "401");
        assert!(answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
    }
}

#[test]
fn slow_heads_and_bodies_are_ended() {
    let (head_timeout, body_timeout) = (SHORTEST, Duration::from_millis(50));
    let served = Served::new(Config { head_timeout, body_timeout, ..Config::default() });
    assert_eq!(status(&served.talk("GET /healthz HTTP/1.1\r\nHo")), "408");
    let body = served.talk(served.head("Content-Length: 100\r\n") + "{");
    assert_eq!(status(&body), "408");
    assert!(body.contains("\"request_timeout\""), "{body}");
    // The second head on a connection.
    let mut client = served.connect();
    client.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(status(&answer(&mut client, 15)), "200");
    client.write_all(b"GET /healthz HTTP/1.1\r\nHo").unwrap();
    is_last_refusal(&rest(&mut client), "408", "request_timeout");
}

/// Decision 0057: a server that waited for its database goes on with it.
#[test]
fn a_connection_is_served_by_what_replaced_its_service() {
    let without_database = TestService::new();
    without_database.store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    let mut served = Served::of(without_database, Config::default());
    let mut client = served.connect();
    let mut ask = || {
        client.write_all(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let head = answer(&mut client, 0);
        let length = head.to_lowercase().split_once("content-length: ").unwrap().1.to_owned();
        let mut body = vec![0; length.split_once('\r').unwrap().0.parse().unwrap()];
        client.read_exact(&mut body).unwrap();
        status(&head).to_owned()
    };
    assert_eq!(ask(), "503");
    let app = TestService::new().app.clone();
    served.running.replace(Parts { app, workers: Arc::default(), webhooks: Arc::default() }).unwrap();
    assert_eq!(ask(), "200");
    served.running.withdraw();
    assert_eq!(ask(), "503", "the one that serves is withdrawn");
    served.stop().unwrap();
}

#[test]
fn metrics_move_to_an_address_of_their_own() {
    let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let served = Served::new(Config { admin_listen: any, ..Config::default() });
    let get = |address, path| {
        let mut client = connect(address);
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        client.write_all(request.as_bytes()).unwrap();
        status(&rest(&mut client)).to_owned()
    };
    let admin = served.admin.unwrap();
    let both = |path| [get(served.address, path), get(admin, path)];
    assert_eq!(both("/metrics"), ["404", "200"]);
    assert_eq!(both("/healthz"), ["200", "200"]);
    assert_eq!(both("/readyz"), ["200", "200"]);
    assert_eq!(both("/v2/data-import/accounts/A/B/"), ["401", "404"]);
    assert_eq!(both("/console/sign-in/"), ["404", "200"]);
}

#[test]
fn without_the_api_its_address_is_not_bound() {
    let taken = Served::new(Config::default());
    let admin_listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let config = Config { listen: taken.address, admin_listen, serve_api: false, ..Config::default() };
    let parts =
        || Parts { app: taken.service.app.clone(), workers: Arc::default(), webhooks: Arc::default() };
    let bound = actix_web::rt::System::new().block_on(async {
        let running = start(parts(), config.clone()).unwrap();
        (running.addresses, running.admin_addresses.len())
    });
    assert_eq!(bound, (Vec::new(), 1));
    let error = start(parts(), Config { admin_listen: None, ..config }).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_head_has_no_body() {
    let served = Served::new(Config::default());
    let answer = served.talk("HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&answer), "200");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

/// A store that fails after a settable number of reads.
struct Limited {
    store: Arc<MemoryStore>,
    left: AtomicUsize,
}

impl Store for Limited {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let left = self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        left.map_err(|_| StoreError::Unavailable("on purpose".into()))?;
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(job)
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

#[test]
fn a_list_that_fails_half_way_is_cut_without_an_end() {
    let mut limited = None;
    let service = TestService::over(Config::default(), |store| {
        limited.insert(Arc::new(Limited { store, left: AtomicUsize::new(usize::MAX) })).clone()
    });
    for n in 0..201 {
        service.create("Acme", &ACCOUNT.replace("UNME-4001", &format!("E-{n}")));
    }
    let served = Served::of(service, Config::default());
    let token = served.service.token();
    let ask = |method: &str, list: &str| {
        let path = format!("/v1/data-import/{list}-account-import-processes/ACME_ENERGY/");
        let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        served.talk(format!("{head}Authorization: Token {token}\r\n\r\n"))
    };
    let whole = ask("GET", "pending");
    assert_eq!((status(&whole), ask("GET", "imported").ends_with("\r\n\r\n[]")), ("200", true));
    assert!(whole.ends_with("\"account_created_at\":null}]\r\n0\r\n\r\n"), "{whole}");
    let head = ask("HEAD", "pending");
    assert!(head.contains("\r\ntransfer-encoding: chunked\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!(head.matches("\r\n\r\n").count(), 1, "{head}");
    // The token is cached; the supplier and the first page are read.
    limited.unwrap().left.store(2, SeqCst);
    let cut = ask("GET", "pending");
    assert_eq!(status(&cut), "200");
    assert!(!cut.contains("\r\n0\r\n") && !cut.contains(']'), "{cut}");
}

#[test]
fn shutdown_finishes_requests_and_closes_idle_connections() {
    let mut served = Served::new(Config::default());
    let mut idle = served.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert_eq!(status(&answer(&mut idle, 15)), "200");
    let mut busy = served.connect();
    let head = served.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n", ACCOUNT.len()));
    busy.write_all(head.as_bytes()).unwrap();
    // The request is under way: the server asks for its body.
    assert_eq!(status(&answer(&mut busy, 0)), "100");
    let finish = thread::spawn(move || {
        assert_eq!(rest(&mut idle), "");
        busy.write_all(ACCOUNT.as_bytes()).unwrap();
        rest(&mut busy)
    });
    served.stop().unwrap();
    assert_eq!(status(&finish.join().unwrap()), "200");
    assert!(Client::connect(served.address).is_err());
}

/// The time limit of the stop is far below the time that the reader asks for.
#[test]
fn a_reader_that_waits_for_events_is_answered_when_the_server_stops() {
    let mut served = Served::new(Config { shutdown_timeout: Duration::from_secs(5), ..Config::default() });
    let token = served.service.token();
    let mut reader = served.connect();
    let request = "GET /v2/data-import/events/?wait=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Token";
    reader.write_all(format!("{request} {token}\r\n\r\n").as_bytes()).unwrap();
    let metrics = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    wait_until("the reader waits", || served.talk(metrics).contains("cutover_http_requests_in_flight 2\n"));
    served.stop().unwrap();
    let answer = rest(&mut reader);
    assert_eq!(status(&answer), "200", "{answer}");
    assert!(answer.contains("rel=\"next\"") && answer.ends_with("\r\n\r\n[]"), "{answer}");
}

#[test]
fn a_taken_address_is_an_error() {
    let served = Served::new(Config::default());
    let config = Config { listen: served.address, ..Config::default() };
    let parts = Parts { app: served.service.app.clone(), workers: Arc::default(), webhooks: Arc::default() };
    let error = start(parts, config).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}

/// Failure 17: the connections of one address leave half of them for others.
#[test]
fn one_address_never_has_all_connections() {
    let served = Served::new(Config { max_connections: 6, ..Config::default() });
    let ask = |client: &mut Client| {
        client.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        status(&answer(client, 15)).to_owned()
    };
    let mut held: Vec<Client> = (0..3).map(|_| served.connect()).collect();
    held.iter_mut().for_each(|client| assert_eq!(ask(client), "200"));
    assert_eq!(rest(&mut served.connect()), "", "it is closed unread");
    let elsewhere = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    elsewhere.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).unwrap();
    elsewhere.connect(&served.address.into()).unwrap();
    assert_eq!(ask(&mut elsewhere.into()), "200");
    drop(held);
    // The server has yet to notice that they are closed.
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    wait_until("connections are accepted again", || !served.talk(request).is_empty());
}
