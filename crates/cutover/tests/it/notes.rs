use crate::harness::{Installation, NOTES, adding, items, members};
use crate::payloads::small;
use serde_json::{Value, json};

const CREATED: &str = "NOTE_CREATION_SUCCESS";
const EXISTS: &str = "NOTE_ALREADY_EXISTS";

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
fn an_existing_note_is_not_created_again() {
    let mut account = small("N-1");
    account["notes"] = json!([{"body": "From the payload", "created_at": "2025-01-01T00:00:00Z"}]);
    let (installation, _server, client) = Installation::with_accounts(&[account]);
    let notes = json!([
        {"body": "From the payload"},
        {"body": "From the payload", "created_at": "2025-01-01T10:00:00+10:00"},
        {"body": "From the payload", "created_at": "2025-01-02T00:00:00Z"},
        {"body": "New"},
        {"body": "New"},
        {"body": "New", "created_at": "2025-01-03T00:00:00Z"},
    ]);
    let first = client.send_json(NOTES, &adding("N-1", "notes", notes.clone()));
    assert_eq!(first.status, 201, "{}", first.text());
    let reported = first.json();
    assert_eq!(statuses(&reported), [EXISTS, EXISTS, CREATED, CREATED, EXISTS, CREATED]);
    assert_eq!(reported[0]["created_at"], "2025-01-01T00:00:00.000000+00:00", "that of the stored one");
    assert_eq!(reported[3]["created_at"], reported[4]["created_at"]);
    let before = installation.account("N-1");
    assert_eq!(items(&before["notes"]).len(), 4);
    let again = client.send_json(NOTES, &adding("N-1", "notes", notes));
    assert_eq!((again.status, statuses(&again.json())), (201, vec![EXISTS; 6]));
    assert_eq!(installation.account("N-1"), before);
}

#[test]
fn notes_of_documents_alone_have_an_empty_body() {
    let (_installation, _server, client) = Installation::with_accounts(&[small("N-1")]);
    let of = |paths: &[&str]| {
        let paths: Vec<Value> = paths.iter().map(|path| json!({"document_path": path})).collect();
        json!({"document_paths": paths})
    };
    let mut blank = of(&["a.txt", "c.txt"]);
    blank["body"] = json!(" ");
    let notes = json!([of(&["a.txt"]), of(&["a.txt", "b.txt"]), of(&["a.txt"]), blank]);
    let answer = client.send_json(NOTES, &adding("N-1", "notes", notes));
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(statuses(&answer.json()), [CREATED, CREATED, EXISTS, CREATED]);
    assert!(items(&answer.json()).iter().all(|note| note["body"] == ""), "{}", answer.json());
}

#[test]
fn every_fault_is_reported_and_nothing_is_stored() {
    let (installation, _server, client) = Installation::with_accounts(&[small("N-1")]);
    let before = installation.account("N-1");
    let notes = json!([
        {"body": "Good"},
        {"created_at": "2025-01-01T00:00:00Z"},
        {"body": "B", "created_at": "2025-02-01T00:00:00Z", "unpin_at": "2025-01-31T23:59:59Z"},
        {"body": "B", "document_paths": [{"document_path": "../out.txt"}], "typo": 1},
    ]);
    let answer = client.send_json(NOTES, &adding("N-1", "notes", notes));
    assert_eq!(
        answer.faults(),
        [
            "notes.1 note_body_or_document_path_not_found",
            "notes.2.unpin_at note_unpin_at_earlier_than_creation_date",
            "notes.3.document_paths.0.document_path invalid_document_path",
            "notes.3.typo unknown_field",
        ]
    );
    assert_eq!(installation.account("N-1"), before, "half a batch is never stored");
    let wrapper = client.post(NOTES, r#"{"external_account_number": 7, "notes": []}"#);
    assert_eq!(
        wrapper.faults(),
        ["external_account_number invalid", "import_supplier required", "notes too_few_items"]
    );
    let many = client.send_json(NOTES, &adding("N-1", "notes", json!(vec![json!({"body": "B"}); 1_001])));
    assert_eq!(many.faults(), ["notes too_many_items"]);
    assert_eq!(client.post(NOTES, "{").code(), (400, "parse_error".to_owned()));
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
