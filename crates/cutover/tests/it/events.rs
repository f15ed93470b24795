//! The feed of events, read by another system.

use crate::after_import::additions;
use crate::harness::{BUSINESS, Client, Installation, business, wait_for_count, wait_until};
use crate::payloads::{billed, small, wrapped};
use serde_json::{Value, json};

const EVENTS: &str = "/v2/data-import/events/";

/// Reads on from a path until as many events were received. Returns them and the path to go on with.
#[track_caller]
fn read(client: &Client, path: &str, count: usize) -> (Vec<Value>, String) {
    let (mut path, mut events) = (path.to_owned(), Vec::new());
    wait_for_count("events", count, || {
        let answer = client.get(&path);
        assert_eq!(answer.status, 200, "{path} {}", answer.text());
        let link = answer.header("link").unwrap();
        path = link.strip_prefix('<').and_then(|link| link.split_once('>')).unwrap().0.to_owned();
        events.extend(answer.json().as_array().unwrap().iter().cloned());
        events.len()
    });
    assert_eq!(events.len(), count, "{events:#?}");
    (events, path)
}

/// Account, type and data of an event.
fn line(event: &Value) -> String {
    let account = event["external_account_number"].as_str().unwrap_or("-");
    let data = match &event["data"] {
        Value::Null => String::new(),
        data => format!(" {data}"),
    };
    format!("{account} {}{data}", event["type"].as_str().unwrap())
}

/// Everything that can happen, in the order in which it does.
#[test]
fn everything_that_happens_is_an_event() {
    let (installation, server, client) = Installation::serving();
    let key = installation.reader_key();
    let reader = server.client(&key);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    assert_eq!(client.create(&billed("A-1")).status, 201);
    client.wait("A-1", "PROCESSED");
    for (path, body) in additions("A-1") {
        // The second one changes nothing.
        for _ in 0..2 {
            assert_eq!(client.send_json(path, &body).status, 201, "{path}");
        }
    }
    assert_eq!(client.create(&wrapped("A-2", json!({"is_dry_run": true}))).status, 201);
    client.wait("A-2", "DRY_RUN_SUCCEEDED");
    installation.run_json(&["supplier", "set", "ACME", "--status", "Paused"]);
    installation.run_json(&["supplier", "set", "ACME", "--status", "Ongoing"]);
    installation.run_json(&["account", "erase", "ACME", "A-1", "--yes", "--because", "asked for"]);
    let (events, end) = read(&reader, &format!("{EVENTS}?page_size=4&wait=1"), 11);
    insta::assert_snapshot!(events.iter().map(line).collect::<Vec<_>>().join("\n"));
    let erased = events.iter().find(|event| event["type"] == "account.erased").unwrap();
    let imported = events.iter().find(|event| event["type"] == "account_import_process.processed").unwrap();
    assert_eq!(erased["service_account_number"], imported["service_account_number"]);
    assert!(imported["service_account_number"].is_string());
    // After the server has started again, the reader goes on where it stopped.
    drop(server);
    let server = installation.serve();
    let reader = server.client(&key);
    assert_eq!(server.client(&installation.key("Acme")).create(&small("A-3")).status, 201);
    let (events, _) = read(&reader, &end, 2);
    let expected = ["created", "processed"].map(|word| format!("A-3 account_import_process.{word}"));
    assert_eq!(events.iter().map(line).collect::<Vec<_>>(), expected);
    let refused = reader.create(&small("A-4"));
    assert_eq!(refused.code(), (403, "permission_denied".to_owned()));
}

/// Given a short retention, then events expire, and a reader that has not read them is told.
#[test]
fn events_expire_after_the_retention() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    assert_eq!(client.create(&small("A-1")).status, 201);
    client.wait("A-1", "PROCESSED");
    let (events, end) = read(&client, EVENTS, 2);
    drop(server);
    let server = installation.serve_with(&["--event-retention", "1ms"]);
    let client = server.client(&key);
    let first = format!("{EVENTS}?after={}", events[0]["id"].as_str().unwrap());
    wait_until("expiry", || client.get(&first).status == 410);
    assert_eq!(client.get(&first).code().1, "events_expired");
    assert_eq!(client.get(EVENTS).json(), json!([]));
    assert_eq!(client.get(&end).json(), json!([]));
}
