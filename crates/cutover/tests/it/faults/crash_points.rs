//! Failure 1: `kill -9` between any two writes of an import.

use crate::harness::{ACCOUNTS, Installation, items, wait_until};
use crate::payloads::fixture;
use cutover_app::fault::Point;
use serde_json::{Value, json};
use std::io::Write;

const NUMBER: &str = "C-1";

/// Every point of an import where it is killed: before, between and after the writes of the claim, the
/// status, the event, the account and its child tables, and the commits of both transactions.
const POINTS: [(Point, &str); 15] = [
    (Point::StatusWritten, "claimed"),
    (Point::EventWritten, "claimed"),
    (Point::ClaimWritten, NUMBER),
    (Point::Claimed, NUMBER),
    (Point::ImportBegun, NUMBER),
    (Point::ImportReady, NUMBER),
    (Point::StatusWritten, "imported"),
    (Point::EventWritten, "imported"),
    (Point::AccountWritten, ""),
    (Point::TableWritten, "customers"),
    (Point::TableWritten, "meter_points"),
    (Point::TableWritten, "readings"),
    (Point::TableWritten, "account_events"),
    (Point::ImportWritten, ""),
    (Point::Imported, ""),
];

/// Failure 1: given a claimed process, when its worker is killed at each point between claim, account,
/// children, status and event, then after a restart there is one account, imported once, with every row that
/// was sent.
#[test]
fn killed_at_every_point_of_an_import() {
    std::thread::scope(|scope| {
        for (point, about) in POINTS {
            scope.spawn(move || killed_at(point, about));
        }
    });
}

fn killed_at(point: Point, about: &str) {
    let (installation, key) = Installation::with_supplier();
    let sent = fixture("dual_fuel", NUMBER);
    let (server, held) = installation.serve_held(point, about, &[]);
    assert_eq!(server.client(&key).create(&sent).status, 201);
    held.wait();
    server.kill();
    let server = installation.serve();
    let client = server.client(&key);
    client.wait(NUMBER, "PROCESSED");
    let all = installation.run_json(&["process", "list", "ACME"]);
    assert_eq!(items(&all).len(), 1, "{point:?}");
    // An undisturbed import gives the same account.
    client.import(&[fixture("dual_fuel", "C-2")]);
    let mut whole = installation.account("C-2");
    whole["external_account_number"] = json!(NUMBER);
    assert!(
        without_own(installation.account(NUMBER)) == without_own(whole),
        "{point:?} {about}: it is not whole"
    );
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    installation.check_invariants(&[NUMBER, "C-2"]);
}

/// An account without the members that differ between imports.
fn without_own(mut account: Value) -> Value {
    assert!(account.as_object_mut().unwrap().remove("service_account_number").is_some());
    let notes = account["notes"].as_array_mut().into_iter().flatten();
    notes.for_each(|note| drop(note.as_object_mut().unwrap().remove("created_at")));
    account
}

/// Failure 1: the same for a create that is stored but not answered. It is accepted again, and there is one
/// process.
#[test]
fn killed_between_the_commit_of_a_create_and_its_answer() {
    let (installation, key) = Installation::with_supplier();
    let (server, held) = installation.serve_held(Point::Staged, NUMBER, &["--role", "api"]);
    let client = server.client(&key);
    let account = fixture("gas", NUMBER);
    let body = account.to_string();
    let head = format!(
        "POST {ACCOUNTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nContent-Length: {}\r\n\r\n",
        client.token.as_deref().unwrap(),
        body.len()
    );
    let mut stream = client.connect();
    stream.write_all([head, body].concat().as_bytes()).unwrap();
    held.wait();
    server.kill();
    assert_eq!(installation.count("ACME", "PENDING"), 1, "it is stored");
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    assert_eq!(client.create(&account).status, 201);
    drop(server);
    let _worker = installation.serve_with(&["--role", "worker"]);
    wait_until("it is imported", || installation.count("ACME", "PROCESSED") == 1);
    assert_eq!(items(&installation.run_json(&["process", "list", "ACME"])).len(), 1);
    installation.check_invariants(&[NUMBER]);
}
