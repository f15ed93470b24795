use crate::harness::{Answer, Client, Installation, TRANSACTIONS, adding, text, today};
use crate::payloads::{billed, small};
use crate::transactions::transaction;
use serde_json::{Value, json};

fn add(client: &Client, number: &str, query: &str, transactions: Value) -> Answer {
    client.send_json(&format!("{TRANSACTIONS}{query}"), &adding(number, "transactions", transactions))
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
            {"mpxn": "6407000003", "supply_type": "ELECTRICITY", "supply_start_date": "2024-03-01",
                "agreements": [{"tariff_code": "HOME", "effective_from": "2024-03-01"}]},
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
