//! Progress of a migration (contract D12): the figures match the sent accounts.

use crate::harness::{Client, Installation, NOTES, STATEMENTS, TRANSACTIONS, adding, items, text};
use crate::payloads::{documented, fixture, nameless, small, wrapped};
use crate::transactions::transaction;
use serde_json::{Value, json};

/// Counts the items of all arrays with these names.
fn items_of(json: &Value, names: &[&str]) -> u64 {
    match json {
        Value::Array(items) => items.iter().map(|item| items_of(item, names)).sum(),
        Value::Object(members) => {
            let own = members.iter().filter(|(name, _)| names.contains(&name.as_str()));
            let own: usize = own.filter_map(|(_, value)| Some(value.as_array()?.len())).sum();
            own as u64 + members.values().map(|value| items_of(value, names)).sum::<u64>()
        }
        _ => 0,
    }
}

/// Parses a decimal with two places to hundredths.
fn cents(value: &Value) -> i64 {
    text(value).replace('.', "").parse().unwrap()
}

#[test]
fn progress_matches_the_sent_accounts() {
    let (installation, key) = Installation::with_supplier();
    let electricity = fixture("electricity", "E-1");
    {
        let api = installation.serve_with(&["--role", "api"]);
        let client = api.client(&key);
        let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
        let rehearsed = json!({"is_dry_run": true});
        for account in ["F-3", "F-1", "F-4", "F-2"].map(nameless) {
            assert_eq!(client.create(&account).status, 201);
        }
        let many = ["P-1", "P-2", "P-3"].map(small).into_iter();
        let others = [
            documented("P-4"),
            electricity.clone(),
            wrapped("D-1", rehearsed),
            wrapped("L-1", later.clone()),
            wrapped("C-1", later),
        ];
        for account in many.chain(others) {
            let answer = client.create(&account);
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        installation.run_json(&["process", "cancel", "ACME", "C-1"]);
        let waiting = client.progress();
        assert_eq!((&waiting["counts"]["PENDING"], &waiting["counts"]["CANCELLED"]), (&json!(11), &json!(1)));
        assert_eq!((&waiting["rate_per_minute"], &waiting["top_errors"]), (&json!("0.0"), &json!([])));
    }
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
    let server = installation.serve();
    let client = server.client(&key);
    for (number, state) in
        [("P-1", "PROCESSED"), ("P-2", "PROCESSED"), ("P-3", "PROCESSED"), ("P-4", "PROCESSED")]
            .into_iter()
            .chain([("E-1", "PROCESSED"), ("D-1", "DRY_RUN_SUCCEEDED")])
            .chain(["F-1", "F-2", "F-3", "F-4"].map(|number| (number, "ERRORED")))
    {
        client.wait(number, state);
    }
    add_to_accounts(&client);

    let reported = client.progress();
    let expected = json!({"PENDING": 1, "IN_PROGRESS": 0, "PROCESSED": 5, "ERRORED": 4, "CANCELLED": 1,
        "DRY_RUN_SUCCEEDED": 1, "DRY_RUN_ERRORED": 0});
    assert_eq!(reported["counts"], expected);
    let top = &reported["top_errors"][0];
    assert_eq!((items(&reported["top_errors"]).len(), &top["count"]), (1, &json!(4)), "{reported}");
    assert_eq!(top["examples"], json!(["F-3", "F-1", "F-4"]));
    assert_eq!(top["attr"], "customers.#.family_name");
    assert_ne!(reported["rate_per_minute"], "0.0");
    assert!(reported["estimated_finish_at"].is_string());

    let sent = |names: &[&str]| items_of(&electricity, names);
    let balance: i64 =
        electricity["ledgers"].as_array().unwrap().iter().map(|l| cents(&l["ledger_balance"])).sum();
    let current = ["current_statement_transactions", "historical_statement_transactions"];
    let totals = &reported["totals"];
    assert_eq!(totals["accounts"], 5);
    assert_eq!(totals["transactions"], 4 + sent(&current) + 2);
    assert_eq!(totals["readings"], sent(&["transfer_readings", "reading_history"]));
    let statements = electricity["statements"].as_array().into_iter().flatten();
    let documents = statements.filter(|statement| statement["statement_path"].is_string()).count() as u64;
    assert_eq!(totals["documents"], 2 + documents + sent(&["document_paths"]) + 2 + 1);
    assert_eq!(cents(&totals["ledger_balance"]), 4 * 1_010 + balance + 525 - 1);

    // Folding meanwhile changes nothing.
    drop(server);
    let server = installation.serve();
    let again = server.client(&key).progress();
    for figures in ["counts", "top_errors", "totals"] {
        assert_eq!(again[figures], reported[figures]);
    }
}

/// Two transactions, two documents of one note and one of a statement, each sent twice.
fn add_to_accounts(client: &Client) {
    let transactions = json!([
        transaction("X-1", "2026-10-01", "5.25", "CREDIT"),
        transaction("X-2", "2026-10-01", "0.01", "CHARGE")
    ]);
    let note = json!([{"body": "B", "document_paths": [{"document_path": "a"}, {"document_path": "b"}]}]);
    let statement = |id: &str, path: Value| {
        json!({"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-02-01", "statement_id": id,
            "statement_path": path})
    };
    let statements = json!([statement("Y-1", json!("/y-1.pdf")), statement("Y-2", json!(" "))]);
    for _ in 0..2 {
        for (path, member, items) in [
            (TRANSACTIONS, "transactions", &transactions),
            (NOTES, "notes", &note),
            (STATEMENTS, "statements", &statements),
        ] {
            let answer = client.send_json(path, &adding("P-1", member, items.clone()));
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
    }
}
