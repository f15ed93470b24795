//! A hanging vendor delays only its own requests.

use crate::harness::{
    ACCOUNTS, Action, Answer, Client, INSTRUCTION, Installation, NOTES, ReceivedRequest, VALIDATE, Vendor,
    adding, instruction, wait_until,
};
use crate::payloads::small;
use serde_json::json;
use std::time::Duration;

/// Number of concurrent requests that wait for the hanging vendor.
const WAITING: usize = 40;

fn slow(asked: &ReceivedRequest) -> Action {
    match asked.path.split('/').nth(1) {
        Some("drip") => Action::Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}".to_vec()),
        Some("well") => Action::Json(200, json!({"reference": "R", "type": "CARD"})),
        _ => Action::Hang,
    }
}

fn pay(client: &Client, vendor: &str, reference: &str) -> Answer {
    client.send_json(INSTRUCTION, &instruction("V-1", vendor, "CARD", reference))
}

/// Failure 13.
#[test]
fn requests_that_wait_for_a_hanging_vendor_delay_nobody() {
    let vendor = Vendor::start(slow);
    let (installation, server, client) = Installation::with_accounts(&[small("V-1")]);
    for name in ["hang", "drip", "well"] {
        installation.add_vendor(name, "http", &vendor.url(&format!("/{name}")), &[]);
    }
    let (stored, memory) = (installation.account("V-1"), server.most_memory());
    let references: Vec<String> = (0..WAITING).map(|i| format!("R-{i}")).collect();
    std::thread::scope(|scope| {
        let client = &client;
        let waiting: Vec<_> =
            references.iter().map(|r| scope.spawn(move || pay(client, "hang", r))).collect();
        let dripping = scope.spawn(|| pay(client, "drip", "R"));
        wait_until("the vendor is asked", || !vendor.asked("/hang/").is_empty());
        let mut rounds = 0;
        while !waiting.iter().all(|thread| thread.is_finished()) {
            others_are_answered(client, rounds);
            rounds += 1;
        }
        assert!(rounds > 1, "others were answered meanwhile");
        for thread in waiting.into_iter().chain([dripping]) {
            assert_eq!(thread.join().unwrap().code(), (500, "payment_vendor_unavailable".to_owned()));
        }
    });
    let asked = vendor.asked("/hang/").len();
    assert!(asked <= 32 * 3, "{asked} calls");
    assert!(vendor.asked("/drip/").len() <= 3);
    if let (Some(before), Some(after)) = (memory, server.most_memory()) {
        assert!(after - before < 64 * 1024, "{} KiB more", after - before);
    }
    let account = installation.account("V-1");
    let notes = account["notes"].as_array().unwrap().len();
    assert!(notes > 0 && account.get("verified_payment_instructions").is_some(), "others were served");
    let verified = account["verified_payment_instructions"].as_array().unwrap();
    assert!(verified.iter().all(|i| i["vendor"] == "well") && stored.get("notes").is_none());
}

fn others_are_answered(client: &Client, round: usize) {
    let note = adding("V-1", "notes", json!([{"body": format!("Note {round}")}]));
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/V-1/")).status, 200);
    assert_eq!(client.send_json(VALIDATE, &small("V-2")).status, 200);
    assert_eq!(client.send_json(NOTES, &note).status, 201);
    assert_eq!(pay(client, "well", "R").status, 201, "another vendor");
    std::thread::park_timeout(Duration::from_millis(100));
}
