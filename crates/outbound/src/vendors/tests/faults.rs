//! Outcome and number of calls for each fault of a vendor (contract D8, reliability 13).

use super::environment::{
    FixedResolver, REFERENCE, SECRET, ask, ask_server, environment, impatient, quick, vendor, vendors,
    vendors_with, wait,
};
use super::server::{Behavior, Server, answer};
use crate::vendors::{Environment, VendorLimits};
use cutover_app::port::{PaymentVendors, Vendor, VendorError, VendorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Outcome of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Found,
    None,
    Rejected,
    Unavailable,
}

use Outcome::{Found, Rejected, Unavailable};

pub(super) fn card() -> String {
    format!(r#"{{"reference": "{REFERENCE}", "type": "CARD", "card": {{"last_digits": "4242"}}}}"#)
}

pub(super) fn outcome<T>(looked: &Result<Option<T>, VendorError>) -> Outcome {
    match looked {
        Ok(Some(_)) => Found,
        Ok(None) => Outcome::None,
        Err(VendorError::Rejected(_)) => Rejected,
        Err(VendorError::Unavailable(_)) => Unavailable,
    }
}

/// Asks a server with this script and compares the outcome and the number of calls.
fn check(limits: VendorLimits, acts: &[Behavior], expected: (Outcome, usize)) {
    let server = Server::start(acts);
    let looked = ask_server(&vendors(limits), &server);
    assert_eq!((outcome(&looked), server.calls()), expected, "{looked:?}");
    if let Err(error) = looked {
        shows_nothing(&error);
    }
}

fn shows_nothing(error: &VendorError) {
    let shown = format!("{error} {error:?}");
    for canary in [SECRET, REFERENCE, "4242", "canary"] {
        assert!(!shown.contains(canary), "{shown}");
    }
}

#[test]
fn a_found_instruction_takes_one_call_with_the_secret() {
    let server = Server::start([Behavior::ok(card())]);
    let looked = ask_server(&vendors(quick()), &server);
    assert_eq!(outcome(&looked), Found);
    let request = &server.requests()[0];
    assert!(request.starts_with("GET /payment-instructions/canary-reference HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{request}");
    for header in ["accept-encoding:", "cookie:", "referer:"] {
        assert!(!request.contains(header), "{request}");
    }
}

#[test]
fn permanent_statuses_are_not_retried() {
    check(quick(), &[Behavior::Answer(404, String::new())], (Outcome::None, 1));
    for status in [201, 204, 304, 400, 401, 402, 403, 405, 409, 410, 418, 451, 600] {
        check(quick(), &[Behavior::Answer(status, card())], (Rejected, 1));
    }
}

#[test]
fn transient_statuses_are_tried_three_times() {
    for status in [408, 429, 500, 502, 503, 504, 599] {
        check(quick(), &[Behavior::Answer(status, "canary".into())], (Unavailable, 3));
    }
}

#[test]
fn a_vendor_that_comes_back_is_found_by_a_retry() {
    let down = Behavior::Answer(500, String::new());
    check(quick(), &[down.clone(), Behavior::ok(card())], (Found, 2));
    check(quick(), &[down.clone(), Behavior::raw(""), Behavior::ok(card())], (Found, 3));
    check(quick(), &[down, Behavior::Answer(403, String::new())], (Rejected, 2));
}

#[test]
fn wrong_answers_are_not_retried() {
    let wrong = [
        "not json",
        "",
        "null",
        "[]",
        "{}",
        "\"canary\"",
        "1e999",
        "{\"reference\": \"canary-reference\"}",
        r#"{"reference": "canary-other", "type": "CARD", "card": {}}"#,
        r#"{"reference": "canary-reference", "type": 7}"#,
        r#"{"reference": "canary-reference", "type": "CARD", "card": {"expiry_month": 13}}"#,
        r#"{"reference": "canary-reference", "type": "CARD", "card": {"expiry_month": "canary"}}"#,
        r#"{"reference": "canary-reference", "type": "CARD", "card": {"expiry_year": 99999}}"#,
        r#"{"reference": "canary-reference", "type": "CARD", "card": {"last_digits": "4242424242424242"}}"#,
    ];
    for body in wrong {
        check(quick(), &[Behavior::ok(body)], (Rejected, 1));
    }
    check(quick(), &[Behavior::ok("[".repeat(60_000))], (Rejected, 1));
    check(quick(), &[Behavior::raw(b"\x00\xff garbage\r\n\r\n".as_slice())], (Rejected, 1));
    check(
        quick(),
        &[Behavior::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")],
        (Rejected, 1),
    );
}

#[test]
fn truncated_answers_are_retried() {
    let whole = answer(200, &card());
    let body = whole.find("\r\n\r\n").unwrap() + 4;
    for cut in [0, 1, 20, body - 3, body, body + 10, whole.len() - 1] {
        check(quick(), &[Behavior::raw(&whole[..cut])], (Unavailable, 3));
        check(quick(), &[Behavior::raw(&whole[..cut]), Behavior::raw(whole.as_bytes())], (Found, 2));
    }
    let unframed = format!("HTTP/1.1 200 OK\r\n\r\n{}", card());
    check(quick(), &[Behavior::raw(unframed.as_bytes())], (Found, 1));
    check(quick(), &[Behavior::raw(&unframed[..unframed.len() - 5])], (Unavailable, 3));
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"re";
    check(quick(), &[Behavior::raw(chunk)], (Unavailable, 3));
}

#[test]
fn a_slow_vendor_is_tried_three_times() {
    check(impatient(), &[Behavior::Hang], (Unavailable, 3));
    check(impatient(), &[Behavior::Drip(Duration::from_millis(50))], (Unavailable, 3));
    let limits = VendorLimits { attempt: Duration::from_secs(3), ..quick() };
    check(limits, &[Behavior::Hang, Behavior::ok(card())], (Found, 2));
}

#[test]
fn all_attempts_together_have_a_deadline() {
    let total = Duration::from_secs(1);
    let limits = VendorLimits { total, ..quick() };
    let (server, asked) = (Server::start([Behavior::Hang]), Instant::now());
    let looked = ask_server(&vendors(limits), &server);
    assert_eq!((outcome(&looked), server.calls()), (Unavailable, 1));
    assert!(asked.elapsed() >= total);
}

#[test]
fn the_default_deadlines_are_within_ten_seconds() {
    let limits = VendorLimits::default();
    assert!(limits.total < Duration::from_secs(10) && limits.attempt == Duration::from_secs(3));
    assert_eq!((limits.attempts, limits.answer_bytes, limits.in_flight), (3, 65_536, 32));
    assert_eq!((limits.failures, limits.pause), (5, Duration::from_secs(10)));
}

#[test]
fn endless_answers_are_dropped() {
    let floods = [
        "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n",
        "HTTP/1.1 200 OK\r\nX-Bomb: ",
        "HTTP/1.1 500 Down\r\n\r\n",
    ];
    for head in floods {
        let server = Server::start([Behavior::Flood(head.into()), Behavior::Answer(403, String::new())]);
        let looked = ask_server(&vendors(quick()), &server);
        assert_eq!(outcome(&looked), Rejected, "{head}");
        assert_eq!(server.calls(), if head.contains("500") { 2 } else { 1 }, "{head}");
        assert!(server.sent() < 64 << 20, "{head}: {} bytes", server.sent());
    }
}

#[test]
fn an_answer_of_64_kib_is_read_and_one_byte_more_is_not() {
    let padded = |length: usize| card() + &" ".repeat(length - card().len());
    check(quick(), &[Behavior::ok(padded(65_536))], (Found, 1));
    check(quick(), &[Behavior::ok(padded(65_537))], (Rejected, 1));
    let unframed = |length| Behavior::raw(format!("HTTP/1.1 200 OK\r\n\r\n{}", padded(length)));
    check(quick(), &[unframed(65_536)], (Found, 1));
    check(quick(), &[unframed(65_537)], (Rejected, 1));
}

#[test]
fn oversized_headers_are_rejected() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n{{}}", "X-Bomb: 1\r\n".repeat(5_000));
    check(quick(), &[Behavior::raw(many)], (Rejected, 1));
    let long = format!("HTTP/1.1 200 OK\r\nX-Bomb: {}\r\n\r\n{{}}", "1".repeat(1 << 20));
    check(quick(), &[Behavior::raw(long)], (Rejected, 1));
}

#[test]
fn a_compressed_answer_is_not_inflated() {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\u{b}\x08\0";
    check(quick(), &[Behavior::raw(head)], (Rejected, 1));
}

#[test]
fn redirects_are_not_followed() {
    let target = Server::start([Behavior::ok(card())]);
    for status in [301, 302, 303, 307, 308] {
        let url = target.url();
        let head = format!("HTTP/1.1 {status} There\r\nLocation: {url}/canary\r\nContent-Length: 0\r\n\r\n");
        check(quick(), &[Behavior::raw(head)], (Rejected, 1));
    }
    assert_eq!(target.connections(), 0);
}

#[test]
fn refused_connections_and_unknown_names_are_transient() {
    // Nothing listens there.
    let port = 1;
    let vendors = vendors_with(quick(), Environment { resolver: FixedResolver::of([]), ..environment() });
    for url in [format!("http://127.0.0.1:{port}"), format!("http://nobody.invalid:{port}")] {
        let looked = ask(&vendors, VendorKind::Http, &url);
        assert_eq!(outcome(&looked), Unavailable, "{url}: {looked:?}");
        shows_nothing(&looked.unwrap_err());
    }
}

/// Looks up an instruction at a vendor whose name resolves to these addresses.
fn ask_by_name(server: &Server, addresses: &[&str]) -> Outcome {
    let port = server.address.port();
    let addresses = addresses.iter().map(|a| SocketAddr::new(a.parse().unwrap(), port));
    let vendors =
        vendors_with(quick(), Environment { resolver: FixedResolver::of(addresses), ..environment() });
    outcome(&ask(&vendors, VendorKind::Http, &format!("http://vendor.example:{port}")))
}

#[test]
fn the_address_rule_applies_when_connecting() {
    let server = Server::start([Behavior::ok(card())]);
    for refused in [
        "169.254.169.254",
        "fe80::1",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "fd20:ce::254",
        "8.8.8.8",
        "0.0.0.0",
        "2001:db8::1",
    ] {
        assert_eq!(ask_by_name(&server, &[refused]), Rejected, "{refused}");
    }
    assert_eq!(server.connections(), 0);
    assert_eq!(ask_by_name(&server, &["169.254.169.254", "0.0.0.0", "127.0.0.1"]), Found);
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_stored_address_that_breaks_the_rule_is_never_called() {
    let vendors = vendors(quick());
    for url in
        ["http://169.254.169.254", "http://8.8.8.8", "file:///etc/passwd", "https://[fe80::1]", "nonsense"]
    {
        assert_eq!(outcome(&ask(&vendors, VendorKind::Http, url)), Rejected, "{url}");
        assert!(vendors.check_base_url(url).is_err(), "{url}");
    }
    assert_eq!(vendors.check_base_url("https://payments.example"), Ok(()));
}

#[test]
fn system_names_are_resolved() {
    let server = Server::start([Behavior::ok(card())]);
    let url = format!("http://localhost:{}", server.address.port());
    assert_eq!(outcome(&ask(&vendors(quick()), VendorKind::Http, &url)), Found);
}

#[test]
fn without_its_secret_a_vendor_is_not_called() {
    let server = Server::start([Behavior::ok(card())]);
    let vendors = vendors_with(quick(), Environment { variables: Box::new(|_| None), ..environment() });
    let expected = VendorError::Unavailable(
        "the variable V_SECRET is not set, and V_SECRET_FILE names no file with it".into(),
    );
    assert_eq!(ask_server(&vendors, &server), Err(expected.clone()));
    assert_eq!(wait(vendors.probe(&vendor(VendorKind::Http, &server.url()))), Err(expected));
    assert_eq!(server.connections(), 0);
    let open = Vendor { secret_env: None, ..vendor(VendorKind::Http, &server.url()) };
    assert_eq!(outcome(&wait(vendors.look_up(&open, REFERENCE))), Found);
    assert!(!server.requests()[0].contains("authorization"));
}

#[test]
fn a_reference_that_no_url_can_hold_is_not_found() {
    let (server, vendors) = (Server::start([Behavior::ok(card())]), vendors(quick()));
    let vendor = vendor(VendorKind::Http, &server.url());
    for reference in ["", ".", ".."] {
        assert_eq!(wait(vendors.look_up(&vendor, reference)), Ok(None), "{reference:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_probe_sends_one_request_without_the_secret_and_accepts_any_answer() {
    let probe = |limits, server: &Server| {
        let vendor = vendor(VendorKind::Stripe, &server.url());
        wait(vendors(limits).probe(&vendor)).map(Some)
    };
    for status in [200, 302, 404, 401, 500] {
        let server = Server::start([Behavior::Answer(status, String::new())]);
        assert_eq!(outcome(&probe(quick(), &server)), Found, "{status}");
        assert_eq!(server.calls(), 1);
        assert!(!server.requests()[0].contains(SECRET));
    }
    for (act, expected) in [
        (Behavior::Hang, Unavailable),
        (Behavior::raw(""), Unavailable),
        (Behavior::raw("no\r\n\r\n"), Rejected),
    ] {
        let server = Server::start([act]);
        assert_eq!(outcome(&probe(impatient(), &server)), expected);
        assert_eq!(server.calls(), 1);
    }
}
