//! Table of vendor faults: the outcome, and the number of requests or, if none got through, of connections
//! (contract D8, reliability 13).

use super::environment::{
    FixedResolver, LookupResult, ask, ask_server, environment, impatient, quick, vendors, vendors_with,
};
use super::faults::{card, outcome};
use super::server::{Behavior, Server, answer};
use super::tls;
use crate::vendors::Environment;
use cutover_app::port::VendorKind;
use std::net::SocketAddr;
use std::time::Duration;

fn row(fault: &str, looked: &LookupResult, calls: usize) -> String {
    format!("{fault:<34} {:<12} {calls}\n", format!("{:?}", outcome(looked)))
}

/// Row for a lookup at a scripted server.
fn scripted(fault: &str, acts: &[Behavior]) -> String {
    let server = Server::start(acts);
    let waits = acts.iter().any(|act| matches!(act, Behavior::Hang | Behavior::Drip(_)));
    let looked = ask_server(&vendors(if waits { impatient() } else { quick() }), &server);
    row(fault, &looked, server.calls())
}

/// Row for a vendor whose addresses do not answer, with the number of connections tried.
fn unreached(fault: &str, addresses: &[SocketAddr]) -> String {
    let resolver = FixedResolver::of(addresses.iter().copied());
    let vendors = vendors_with(quick(), Environment { resolver: resolver.clone(), ..environment() });
    let port = addresses.first().map_or(80, SocketAddr::port);
    let looked = ask(&vendors, VendorKind::Http, &format!("http://vendor.example:{port}"));
    row(fault, &looked, resolver.asked())
}

fn answers() -> String {
    let status = |code| Behavior::Answer(code, String::new());
    let redirect = "HTTP/1.1 302 There\r\nLocation: /canary\r\nContent-Length: 0\r\n\r\n";
    let cut = answer(200, &card());
    [
        scripted("none: it has it", &[Behavior::ok(card())]),
        scripted("404", &[status(404)]),
        scripted("401", &[status(401)]),
        scripted("429", &[status(429)]),
        scripted("500, then it has it", &[status(500), Behavior::ok(card())]),
        scripted("500", &[status(500)]),
        scripted("a redirect", &[Behavior::raw(redirect)]),
        scripted("wrong JSON", &[Behavior::ok("{\"reference\": 7}")]),
        scripted("another reference", &[Behavior::ok(card().replace("canary-reference", "another"))]),
        scripted("a cut answer", &[Behavior::raw(&cut[..cut.len() - 5])]),
        scripted(
            "a cut answer, then it has it",
            &[Behavior::raw(&cut[..cut.len() - 5]), Behavior::ok(card())],
        ),
        scripted("nothing", &[Behavior::Hang]),
        scripted("a byte now and then", &[Behavior::Drip(Duration::from_millis(50))]),
    ]
    .concat()
}

fn bombs() -> String {
    [
        scripted(
            "1 GB, as announced",
            &[Behavior::Flood("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n".into())],
        ),
        scripted("1 GB, unannounced", &[Behavior::Flood("HTTP/1.1 200 OK\r\n\r\n".into())]),
        scripted("1 GB of a header", &[Behavior::Flood("HTTP/1.1 200 OK\r\nX: ".into())]),
    ]
    .concat()
}

fn connections() -> String {
    // Nothing listens there.
    let gone = "127.0.0.1:1".parse().unwrap();
    let stranger = tls::server(&tls::identity("localhost"));
    let url = format!("https://localhost:{}", stranger.address.port());
    let distrusted = ask(&tls::trusting_only(&tls::identity("localhost")), VendorKind::Http, &url);
    [
        unreached("a refused connection", &[gone]),
        unreached("no such name", &[]),
        unreached("a name for a link-local address", &["169.254.169.254:80".parse().unwrap()]),
        row("a self-signed certificate", &distrusted, stranger.connections()),
    ]
    .concat()
}

fn never_called() -> String {
    let server = Server::start([Behavior::ok(card())]);
    let keyless = vendors_with(quick(), Environment { variables: Box::new(|_| None), ..environment() });
    let secret = row("its secret is not set", &ask_server(&keyless, &server), server.connections());
    let resolver = FixedResolver::of([]);
    let vendors = vendors_with(quick(), Environment { resolver: resolver.clone(), ..environment() });
    let refused = ask(&vendors, VendorKind::Http, "file://vendor.example/etc/passwd");
    [secret, row("a file: address", &refused, resolver.asked())].concat()
}

fn left_alone() -> String {
    let (server, vendors) = (Server::start([Behavior::Answer(500, String::new())]), vendors(quick()));
    let rows = (1..=6).map(|number| {
        let before = server.calls();
        let looked = ask_server(&vendors, &server);
        row(&format!("500, look-up {number} in a row"), &looked, server.calls() - before)
    });
    rows.collect()
}

#[test]
fn faults_outcomes_and_calls() {
    let table = [answers(), bombs(), connections(), never_called(), left_alone()].concat();
    insta::assert_snapshot!(table, @r"
    none: it has it                    Found        1
    404                                None         1
    401                                Rejected     1
    429                                Unavailable  3
    500, then it has it                Found        2
    500                                Unavailable  3
    a redirect                         Rejected     1
    wrong JSON                         Rejected     1
    another reference                  Rejected     1
    a cut answer                       Unavailable  3
    a cut answer, then it has it       Found        2
    nothing                            Unavailable  3
    a byte now and then                Unavailable  3
    1 GB, as announced                 Rejected     1
    1 GB, unannounced                  Rejected     1
    1 GB of a header                   Rejected     1
    a refused connection               Unavailable  3
    no such name                       Unavailable  3
    a name for a link-local address    Rejected     1
    a self-signed certificate          Rejected     1
    its secret is not set              Unavailable  0
    a file: address                    Rejected     0
    500, look-up 1 in a row            Unavailable  3
    500, look-up 2 in a row            Unavailable  3
    500, look-up 3 in a row            Unavailable  3
    500, look-up 4 in a row            Unavailable  3
    500, look-up 5 in a row            Unavailable  3
    500, look-up 6 in a row            Unavailable  0
    ");
}
