use crate::harness::{Answer, Client, Installation, TRANSACTIONS, adding, items, text, today};
use crate::payloads::{billed, small};
use crate::transactions::transaction;
use serde_json::{Value, json};

fn add(client: &Client, number: &str, query: &str, transactions: Value) -> Answer {
    client.send_json(&format!("{TRANSACTIONS}{query}"), &adding(number, "transactions", transactions))
}

fn pinned(account: &Value) -> Vec<String> {
    let notes = account["notes"].as_array().cloned().unwrap_or_default();
    notes.iter().filter(|note| note["is_pinned"] == true).map(|note| text(&note["body"])).collect()
}

#[test]
fn transactions_outside_the_period_are_moved_and_reported() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let mut early = transaction("A", "2025-06-30", "1.10", "PAYMENT");
    early["display_note"] = json!("Thank you.");
    let batch = json!([
        early,
        transaction("B", "2999-12-31", "2.00", "CHARGE"),
        transaction("C", "2025-07-01", "3.00", "CREDIT"),
    ]);
    let day_before = today();
    let answer = add(&client, "T-1", "", batch.clone());
    let day_after = today();
    assert_eq!(answer.status, 201, "{}", answer.text());
    let data = |i: usize| answer.json()["results"][i]["transaction_data"].clone();
    assert_eq!(data(0)["transaction_date"], "2025-07-01", "the nearest day inside");
    let note = text(&data(0)["display_note"]);
    assert!(note.starts_with("Thank you. ") && note.contains("2025-06-30"), "{note}");
    let moved = text(&data(1)["transaction_date"]);
    assert!((day_before..=day_after).contains(&moved), "{moved}");
    assert!(text(&data(1)["display_note"]).contains("2999-12-31"));
    assert_eq!(data(2), transaction("C", "2025-07-01", "3.00", "CREDIT"), "inside, so as sent");
    let stored = installation.account("T-1");
    assert_eq!(stored["ledgers"][0]["ledger_balance"], "12.20");
    let notes = pinned(&stored);
    assert_eq!(notes.len(), 1, "one note a call: {notes:?}");
    assert!(["A", "2025-06-30", "B", "2999-12-31"].iter().all(|what| notes[0].contains(what)), "{notes:?}");
    let again = add(&client, "T-1", "", batch);
    let known = |result: &Value| result["status"] == "TRANSACTION_ALREADY_EXISTS";
    assert!(items(&again.json()["results"]).iter().all(known), "{}", again.text());
    assert_eq!(again.json()["results"][0]["transaction_data"], data(0));
    assert_eq!(installation.account("T-1"), stored, "and no second note");
}

#[test]
fn each_call_that_moves_a_transaction_pins_a_note() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    for id in ["A", "B"] {
        let answer = add(&client, "T-1", "", json!([transaction(id, "2020-01-01", "1", "CREDIT")]));
        assert_eq!(answer.status, 201);
    }
    assert_eq!(add(&client, "T-1", "", json!([transaction("C", "2025-07-02", "1", "CREDIT")])).status, 201);
    assert_eq!(pinned(&installation.account("T-1")).len(), 2);
}

#[test]
fn a_moved_transaction_is_known_by_its_sent_date() {
    let (_installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let sent = json!([transaction("A", "2025-06-30", "1", "CREDIT")]);
    assert_eq!(add(&client, "T-1", "", sent.clone()).status, 201);
    // It is known already, so the flag does not matter.
    let again = add(&client, "T-1", "?force_add_to_current_statement=false", sent);
    assert_eq!(again.json()["results"][0]["status"], "TRANSACTION_ALREADY_EXISTS");
    let other = add(&client, "T-1", "", json!([transaction("A", "2025-07-01", "1", "CREDIT")]));
    assert_eq!(
        other.faults(),
        ["transactions.0.transaction_id transaction_id_reused_with_different_content"]
    );
}

/// Returns true if a day is in the open period of an account.
fn is_open(client: &Client, number: &str, day: &str) -> bool {
    let id = format!("{number} {day}");
    let answer = add(
        client,
        number,
        "?force_add_to_current_statement=FALSE",
        json!([transaction(&id, day, "1", "CREDIT")]),
    );
    assert!(matches!(answer.status, 201 | 400), "{}", answer.text());
    answer.status == 201
}

#[test]
fn the_period_begins_with_the_last_closing_or_the_supply() {
    let mut supplied = small("T-2");
    supplied["supply_addresses"] = json!([{
        "supply_address": {"administrative_area": "VIC", "country": "AU", "locality": "Brunswick",
            "postal_code": "3056", "structured_street_address": {}},
        "customer_at_supply_address_from_date": "2024-05-01",
        "meter_points": [
            {"mpxn": "6407000002", "supply_type": "ELECTRICITY", "supply_start_date": "2024-05-01"},
            {"mpxn": "6407000003", "supply_type": "ELECTRICITY", "supply_start_date": "2024-03-01"},
        ],
    }]);
    let (_installation, _server, client) =
        Installation::with_accounts(&[billed("T-1"), supplied, small("T-3")]);
    for (number, day, open) in [
        ("T-1", "2025-06-30", false),
        ("T-1", "2025-07-01", true),
        ("T-2", "2024-02-29", false),
        ("T-2", "2024-03-01", true),
        ("T-3", "0001-01-01", true),
        ("T-3", "2999-01-01", false),
        ("T-3", &today(), true),
    ] {
        assert_eq!(is_open(&client, number, day), open, "{number} {day}");
    }
}

#[test]
fn the_last_day_is_today_in_the_suppliers_zone() {
    let (installation, _server, client) = Installation::serving();
    // The two zones never have the same date at this offset.
    for (zone, number) in [("Pacific/Kiritimati", "T-1"), ("Pacific/Pago_Pago", "T-2")] {
        installation.run_json(&["supplier", "set", "ACME", "--time-zone", zone]);
        client.import(&[small(number)]);
    }
    let mut moved = Vec::new();
    for (zone, number) in [("Pacific/Kiritimati", "T-1"), ("Pacific/Pago_Pago", "T-2")] {
        installation.run_json(&["supplier", "set", "ACME", "--time-zone", zone]);
        let answer = add(&client, number, "", json!([transaction("A", "2999-01-01", "1", "CREDIT")]));
        assert_eq!(answer.status, 201, "{}", answer.text());
        moved.push(text(&answer.json()["results"][0]["transaction_data"]["transaction_date"]));
    }
    assert!(moved[1] < moved[0], "{moved:?}");
}
