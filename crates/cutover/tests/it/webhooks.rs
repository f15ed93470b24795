//! Webhooks, sent to a receiver on loopback.

use crate::harness::{
    Action, Installation, ReceivedRequest, Vendor, items, text, wait_for_count, wait_until,
};
use crate::payloads::small;
use cutover_app::fault::Point;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

const PATH: &str = "/hooks";

/// A receiver with the status that is set.
fn receiver(status: u16) -> (Vendor, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(status));
    let answered = status.clone();
    let vendor = Vendor::start(move |_| match answered.load(Ordering::SeqCst) {
        0 => Action::Hang,
        status => Action::Json(status, json!({"said": status})),
    });
    (vendor, status)
}

fn add(installation: &Installation, receiver: &Vendor, options: &[&str]) -> Value {
    let url = receiver.url(PATH);
    let add = ["webhook", "add", "--organisation", "Acme", "--url", &url];
    installation.run_json(&[&add[..], options].concat())
}

fn event(request: &ReceivedRequest) -> Value {
    serde_json::from_str(&request.body).unwrap()
}

/// The received events by their ids.
fn received(receiver: &Vendor) -> BTreeMap<String, Value> {
    receiver.asked(PATH).iter().map(event).map(|event| (text(&event["id"]), event)).collect()
}

/// The whole feed by the ids of its events.
fn feed(client: &crate::harness::Client) -> BTreeMap<String, Value> {
    let answer = client.get("/v2/data-import/events/?page_size=10000").json();
    items(&answer).iter().map(|event| (text(&event["id"]), event.clone())).collect()
}

/// Verifies requests with the official library; returns false if it is not installed.
fn verified(webhook: &Value, requests: &[ReceivedRequest]) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/tools/python/bin/python3");
    if !python.exists() {
        // Written directly: the test harness would capture it.
        let reported = b"NOT RUN: the verification of webhooks: no library standardwebhooks\n";
        std::io::stderr().write_all(reported).unwrap();
        return false;
    }
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers = |request: &ReceivedRequest| {
        names.iter().map(|name| (*name, request.header(name).unwrap().to_owned())).collect::<BTreeMap<_, _>>()
    };
    let requests: Vec<Value> =
        requests.iter().map(|request| json!({"headers": headers(request), "body": request.body})).collect();
    let given = json!({
        "secret": webhook["secret"], "public_key": webhook["public_key"], "requests": requests,
    });
    let mut command = Command::new(python);
    command.arg(root.join("xtask/python/verify_webhooks.py"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), format!("verified {}", requests.len()));
    true
}

/// Every event of the organisation arrives once, as the feed shows it, signed so that the official library verifies it.
#[test]
fn events_arrive_signed() {
    let (installation, key) = Installation::with_supplier();
    let (receiver, _) = receiver(204);
    let webhook = add(&installation, &receiver, &["--ed25519"]);
    assert!(text(&webhook["secret"]).starts_with("whsec_"));
    let server = installation.serve();
    let client = server.client(&key);
    for n in 0..3 {
        assert_eq!(client.create(&small(&format!("A-{n}"))).status, 201);
    }
    wait_for_count("six events", 6, || received(&receiver).len());
    assert_eq!(received(&receiver), feed(&client));
    let requests = receiver.asked(PATH);
    assert!(requests.iter().all(|request| request.method == "POST"
        && request.header("content-type") == Some("application/json")
        && request.header("webhook-signature").unwrap().contains(" v1a,")));
    verified(&webhook, &requests);
    let id = text(&webhook["id"]);
    let shown = installation.run_json(&["webhook", "show", &id]);
    assert_eq!((&shown["public_key"], &shown["state"]), (&webhook["public_key"], &json!("enabled")));
    assert!(!shown.to_string().contains("whs"), "{shown}");
    wait_until("the answers are recorded", || {
        let deliveries = installation.run_json(&["webhook", "deliveries", &id]);
        items(&deliveries).iter().all(|delivery| delivery["state"] == "delivered")
    });
    let deliveries = installation.run_json(&["webhook", "deliveries", &id, "--limit", "4"]);
    assert_eq!((items(&deliveries).len(), &deliveries[0]["status"]), (4, &json!(204)));
    let last = text(&deliveries[3]["event_id"]);
    let rest = installation.run_json(&["webhook", "deliveries", &id, "--before", &last]);
    assert_eq!(items(&rest).len(), 2);
    assert!(!server.log().contains("whsec_"));
}

/// Commands: test, rotate, disable, enable, replay, list, remove.
#[test]
fn commands_manage_webhooks() {
    let (installation, key) = Installation::with_supplier();
    let (receiver, status) = receiver(200);
    let webhook = add(&installation, &receiver, &["--type", "account_import_process.processed"]);
    let id = text(&webhook["id"]);
    let tested = installation.run_json(&["webhook", "test", &id]);
    assert_eq!((&tested["status"], &tested["delivered"]), (&json!(200), &json!(true)));
    assert_eq!(tested["answer"], "{\"said\":200}");
    verified(&webhook, &receiver.asked(PATH));
    status.store(500, Ordering::SeqCst);
    let failed = installation.run(&["webhook", "test", &id, "--json"]);
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(serde_json::from_slice::<Value>(&failed.stdout).unwrap()["status"], 500);
    status.store(200, Ordering::SeqCst);
    let rotated = installation.run_json(&["webhook", "rotate-secret", &id]);
    let before = receiver.asked(PATH).len();
    installation.run_json(&["webhook", "test", &id]);
    let both = &receiver.asked(PATH)[before..];
    for secret in [&webhook, &rotated] {
        verified(secret, both);
    }
    installation.run_json(&["webhook", "disable", &id]);
    assert_eq!(installation.run_json(&["webhook", "list"])[0]["disabled_reason"], "operator");
    let doctor = installation.run(&["doctor", "--json"]);
    assert!(String::from_utf8(doctor.stdout).unwrap().contains(&format!("disabled: {id} of Acme")));
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("A-1")]);
    let before = receiver.asked(PATH).len();
    installation.run_json(&["webhook", "enable", &id]);
    let sent = || receiver.asked(PATH)[before..].iter().map(event).collect::<Vec<_>>();
    wait_for_count("the event", 1, || sent().len());
    assert_eq!(sent()[0]["type"], "account_import_process.processed");
    installation.run_json(&["webhook", "replay", &id, "--since", "2020-01-01T00:00:00Z"]);
    wait_for_count("the replay", 2, || sent().len());
    assert_eq!(sent()[0], sent()[1]);
    let ids: BTreeSet<_> =
        receiver.asked(PATH)[before..].iter().map(|r| r.header("webhook-id").unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    let metrics = server.anonymous().get("/metrics").text();
    assert!(metrics.contains("cutover_webhooks{state=\"enabled\"} 1"), "{metrics}");
    installation.run_json(&["webhook", "remove", &id]);
    assert!(installation.run_refused(&["webhook", "show", &id]).contains("there is no webhook"));
    assert_eq!(installation.run_json(&["webhook", "list", "--organisation", "Acme"]), json!([]));
    for url in ["http://8.8.8.8/", "https://user:word@crm.example/", "http://169.254.169.254/", "ftp://a"] {
        let refused = installation.run_refused(&["webhook", "add", "--organisation", "Acme", "--url", url]);
        assert!(refused.contains("the URL is refused") && !refused.contains("word@"), "{refused}");
    }
}

/// Given a server that is killed between its transactions or amid a request, then after a restart every event arrives.
#[test]
fn no_event_is_lost_when_a_server_is_killed() {
    std::thread::scope(|scope| {
        for point in [Point::DeliveriesAdded, Point::DeliveriesClaimed, Point::DeliveriesAnswered] {
            scope.spawn(move || killed_at(point));
        }
        scope.spawn(killed_amid_requests);
    });
}

fn killed_at(point: Point) {
    let (installation, key) = Installation::with_supplier();
    let (receiver, _) = receiver(200);
    add(&installation, &receiver, &[]);
    let (server, held) = installation.serve_held(point, "", &[]);
    assert_eq!(server.client(&key).create(&small("A-1")).status, 201);
    held.wait();
    server.kill();
    arrives(&installation, &key, &receiver);
}

fn killed_amid_requests() {
    let (installation, key) = Installation::with_supplier();
    let (receiver, status) = receiver(0);
    add(&installation, &receiver, &[]);
    let server = installation.serve();
    assert_eq!(server.client(&key).create(&small("A-1")).status, 201);
    wait_until("a request", || !receiver.asked(PATH).is_empty());
    server.kill();
    status.store(200, Ordering::SeqCst);
    arrives(&installation, &key, &receiver);
}

/// All events of an account arrive after a restart, each under one id.
fn arrives(installation: &Installation, key: &str, receiver: &Vendor) {
    let server = installation.serve();
    let client = server.client(key);
    client.wait("A-1", "PROCESSED");
    let id = text(&installation.run_json(&["webhook", "list"])[0]["id"]);
    wait_until("both events", || {
        let deliveries = installation.run_json(&["webhook", "deliveries", &id]);
        let all = items(&deliveries);
        all.len() == 2 && all.iter().all(|delivery| delivery["state"] == "delivered")
    });
    assert_eq!(received(receiver), feed(&client));
    let ids: BTreeSet<_> =
        receiver.asked(PATH).iter().map(|r| r.header("webhook-id").unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 2);
}

/// A server that is stopped while a receiver hangs stops in time and gives the delivery back.
#[test]
fn a_hanging_receiver_does_not_delay_the_end() {
    let (installation, key) = Installation::with_supplier();
    let (receiver, status) = receiver(0);
    let id = text(&add(&installation, &receiver, &[])["id"]);
    let server = installation.serve();
    assert_eq!(server.client(&key).create(&small("A-1")).status, 201);
    wait_until("a request", || !receiver.asked(PATH).is_empty());
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    let deliveries = installation.run_json(&["webhook", "deliveries", &id]);
    assert!(items(&deliveries).iter().all(|delivery| delivery["state"] == "pending"), "{deliveries}");
    status.store(200, Ordering::SeqCst);
    arrives(&installation, &key, &receiver);
}

/// Redirects are not followed, a flood is not read, and a slow answer is not waited for.
#[test]
fn odd_receivers_are_handled() {
    let (installation, key) = Installation::with_supplier();
    let receiver = Vendor::start(|request| match request.path.as_str() {
        "/redirect" => {
            Action::Raw(b"HTTP/1.1 302 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".to_vec())
        }
        "/flood" => Action::Flood(1 << 24),
        "/garbage" => Action::Raw(vec![0; 64]),
        _ => Action::Json(200, json!({})),
    });
    let paths = ["/redirect", "/flood", "/garbage"];
    let hooks = paths.map(|path| {
        let url = receiver.url(path);
        text(&installation.run_json(&["webhook", "add", "--organisation", "Acme", "--url", &url])["id"])
    });
    let server = installation.serve();
    assert_eq!(server.client(&key).create(&small("A-1")).status, 201);
    let first = |id: &str| installation.run_json(&["webhook", "deliveries", id])[1].clone();
    wait_until("answers", || {
        hooks.iter().all(|id| first(id)["attempts"].as_u64() > Some(0) && first(id)["state"] != "sending")
    });
    let [redirect, flood, garbage] = hooks.each_ref().map(|id| first(id));
    assert_eq!((&redirect["status"], &redirect["state"]), (&json!(302), &json!("pending")));
    assert_eq!((&flood["status"], &flood["state"]), (&json!(200), &json!("delivered")));
    assert_eq!(text(&flood["answer"]).len(), 1024);
    assert_eq!((&garbage["status"], &garbage["state"]), (&Value::Null, &json!("pending")));
    assert!(receiver.asked("/elsewhere").is_empty());
}
