//! The first load of another system: all imported accounts, then the events after them.

use crate::harness::{Client, Installation, wait_for_count};
use crate::payloads::{KINDS, small};
use cutover_core::Zone;
use cutover_testkit::store_suite::kept::{comparable_json, difference};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::thread;

const PATH: &str = "/v2/data-import/imported-accounts/ACME/";
const EVENTS: &str = "/v2/data-import/events/";

/// Reads lines of a stream until it has given this many, then cuts the connection.
fn cut(client: &Client, path: &str, count: usize) -> Vec<Value> {
    let mut stream = client.connect();
    let token = client.token.as_deref().unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {token}\r\n\r\n").unwrap();
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    // The other lines are the head of the response and the sizes of its chunks. A page of small accounts is one chunk.
    lines
        .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
        .filter(Value::is_object)
        .take(count)
        .collect()
}

/// All lines of a stream: those of accounts, and the last one.
fn whole(client: &Client, path: &str) -> (Vec<Value>, Value) {
    let answer = client.get(path);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
    let mut lines: Vec<Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    assert_eq!(end["end"], json!(true), "{end}");
    (lines, end)
}

fn numbers(lines: &[Value]) -> Vec<String> {
    let number = |line: &Value| line["account"]["external_account_number"].as_str().unwrap().to_owned();
    lines.iter().map(number).collect()
}

/// A stream that begins in the middle of a migration, is cut, and is gone on with, and then the events from its end on,
/// name every account.
#[test]
fn a_first_load_and_the_events_after_it_have_every_account() {
    const BEFORE: usize = 40;
    const ALL: usize = 160;
    let (installation, server, client) = Installation::serving();
    let reader = server.client(&installation.reader_key());
    let number = |n: usize| format!("M-{n:03}");
    let create = |n: usize| assert_eq!(client.create(&small(&number(n))).status, 201);
    (0..BEFORE).for_each(create);
    client.wait(&number(BEFORE - 1), "PROCESSED");
    let mut loaded = BTreeSet::new();
    let (first, rest, end) = thread::scope(|scope| {
        let migration = scope.spawn(|| (BEFORE..ALL).for_each(create));
        let first = cut(&reader, PATH, 20);
        migration.join().unwrap();
        client.wait(&number(ALL - 1), "PROCESSED");
        let last = first.last().unwrap()["cursor"].as_str().unwrap();
        let (rest, end) = whole(&reader, &format!("{PATH}?after={last}"));
        (first, rest, end)
    });
    assert_eq!(first.len(), 20);
    for number in numbers(&first).into_iter().chain(numbers(&rest)) {
        assert!(loaded.insert(number), "each account once");
    }
    let mut path = format!("{EVENTS}?after={}&page_size=50", end["events_after"].as_str().unwrap());
    let mut imported = BTreeSet::new();
    wait_for_count("all accounts", ALL, || {
        let answer = reader.get(&path);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let link = answer.header("link").unwrap();
        path = link.strip_prefix('<').and_then(|link| link.split_once('>')).unwrap().0.to_owned();
        for event in answer.json().as_array().unwrap() {
            if event["type"] == "account_import_process.processed" {
                imported.insert(event["external_account_number"].as_str().unwrap().to_owned());
            }
        }
        loaded.union(&imported).count()
    });
    // The position is that of the stream that was cut: most accounts were imported after it.
    assert!(!imported.is_empty());
}

/// Members that the import adds, and nothing else, are new; digits are those that were sent.
#[test]
fn a_stream_returns_what_was_sent() {
    let (installation, server, client) = Installation::serving();
    installation.run_json(&["supplier", "set", "ACME", "--time-zone", "Australia/Sydney"]);
    let reader = server.client(&installation.reader_key());
    let zone: Zone = "Australia/Sydney".parse().unwrap();
    let mut sent = Vec::new();
    for (kind, text) in KINDS {
        let mut account = comparable_json(text, zone);
        let old = account["external_account_number"].as_str().unwrap().to_owned();
        let supplier = account["import_supplier"].as_str().unwrap().to_owned();
        let body = text.replace(&format!("\"{old}\""), &format!("\"{kind}\""));
        let body = body.replace(&format!("\"{supplier}\""), "\"ACME\"");
        let answer = client.post(crate::harness::ACCOUNTS, &body);
        assert_eq!(answer.status, 201, "{kind}: {}", answer.text());
        client.wait(kind, "PROCESSED");
        account["external_account_number"] = json!(kind);
        account["import_supplier"] = json!("ACME");
        sent.push(account);
    }
    let answer = reader.get(PATH);
    let text = answer.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), sent.len() + 1);
    for (line, mut sent) in lines.iter().zip(sent) {
        let mut read = comparable_json(line, Zone::UTC)["account"].take();
        let members = read.as_object_mut().unwrap();
        let number = members.remove("service_account_number").unwrap();
        assert!(number.as_str().unwrap().starts_with("A-"), "{number}");
        assert_eq!(members.remove("customer_emails"), Some(json!(false)));
        complete(&mut sent, &read);
        assert_eq!(difference(&read, &sent), None, "{line}");
    }
}

/// Adds what the import adds: a ledger, the time of a note, and the kind of a meter point that names none.
fn complete(sent: &mut Value, read: &Value) {
    let notes = sent.get_mut("notes").and_then(Value::as_array_mut).into_iter().flatten();
    for (place, note) in notes.enumerate() {
        let created_at = || read["notes"][place]["created_at"].clone();
        note.as_object_mut().unwrap().entry("created_at").or_insert_with(created_at);
    }
    if sent.get("ledgers").is_none() {
        sent["ledgers"] = json!([{}]);
    }
    let kind_of = |address: usize, point: usize| {
        read["supply_addresses"][address]["meter_points"][point]["supply_type"].clone()
    };
    let addresses = sent.get_mut("supply_addresses").and_then(Value::as_array_mut).into_iter().flatten();
    for (address, entry) in addresses.enumerate() {
        for (point, sent) in entry["meter_points"].as_array_mut().unwrap().iter_mut().enumerate() {
            let members = sent.as_object_mut().unwrap();
            members.entry("supply_type").or_insert_with(|| kind_of(address, point));
        }
    }
}
