use crate::harness::{Installation, NOTES, adding, items, members};
use crate::payloads::small;
use serde_json::{Value, json};

const CREATED: &str = "NOTE_CREATION_SUCCESS";

fn statuses(answer: &Value) -> Vec<&str> {
    items(answer).iter().map(|item| item["status"].as_str().unwrap()).collect()
}

#[test]
fn notes_are_created_and_shown_in_the_suppliers_zone() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "set", "ACME", "--time-zone", "Asia/Kolkata"]);
    client.import(&[small("N-1")]);
    let answer = client.send_json(
        NOTES,
        &adding("N-1", "notes", json!([
            {"body": " ReceivedRequest for the final bill. ", "created_at": "2025-11-03T09:15:00+11:00", "is_pinned": true,
             "unpin_at": "2099-12-31 00:00"},
            {"body": "Called back.", "document_paths": [{"document_path": "notes/a.txt"}]},
        ])),
    );
    assert_eq!(answer.status, 201, "{}", answer.text());
    let reported = answer.json();
    assert!(
        items(&reported).iter().all(|note| members(note) == ["body", "created_at", "status"]),
        "{reported}"
    );
    assert_eq!(statuses(&reported), [CREATED, CREATED]);
    assert_eq!(reported[0]["body"], " ReceivedRequest for the final bill. ");
    assert_eq!(reported[0]["created_at"], "2025-11-03T03:45:00.000000+05:30");
    let now = reported[1]["created_at"].as_str().unwrap();
    assert!(now.ends_with("+05:30") && now > "2026", "{now}");
    let notes = &installation.account("N-1")["notes"];
    assert_eq!((&notes[0]["is_pinned"], &notes[1]["body"]), (&json!(true), &json!("Called back.")));
    assert_eq!(notes[0]["unpin_at"].as_str().unwrap()[..25], *"2099-12-31T00:00:00+05:30");
    assert_eq!(notes[1]["document_paths"], json!([{"document_path": "notes/a.txt"}]));
}

#[test]
fn a_thousand_notes_in_a_call() {
    let (installation, _server, client) = Installation::with_accounts(&[small("N-1")]);
    let notes: Vec<Value> = (0..1_000).map(|i| json!({"body": format!("Note {i}")})).collect();
    let answer = client.send_json(NOTES, &adding("N-1", "notes", json!(notes)));
    assert_eq!((answer.status, statuses(&answer.json())), (201, vec![CREATED; 1_000]));
    let stored = installation.account("N-1");
    let bodies = |notes: &[Value]| notes.iter().map(|note| note["body"].clone()).collect::<Vec<_>>();
    assert_eq!(bodies(items(&stored["notes"])), bodies(&notes), "in the order of the call");
}
