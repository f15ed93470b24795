use crate::laws::plain;
use cutover_model::rust_decimal::Decimal;
use cutover_model::tables::{RowsError, Tables};
use cutover_model::{Field, RowCounts, Totals, Zone, decode_account};
use cutover_testkit::payload::account_json;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

fn totals(body: &str) -> Totals {
    Totals::of(&plain(body.as_bytes()), Zone::UTC)
}

fn of_balance(balance: &str) -> Totals {
    Totals { ledger_balance: balance.parse().unwrap(), ..Totals::default() }
}

/// Total number of items of all arrays of these names, at any depth.
fn count(json: &Value, names: &[&str]) -> u64 {
    match json {
        Value::Array(items) => items.iter().map(|item| count(item, names)).sum(),
        Value::Object(members) => {
            let own = |(name, value): (&String, &Value)| match value {
                Value::Array(items) if names.contains(&name.as_str()) => items.len() as u64,
                _ => 0,
            };
            members.iter().map(own).sum::<u64>() + members.values().map(|v| count(v, names)).sum::<u64>()
        }
        _ => 0,
    }
}

#[test]
fn the_totals_of_an_account_are_those_of_its_import() {
    let body = r#"{
        "import_supplier": "ACME", "external_account_number": "A-1",
        "ledgers": [
            {"ledger_balance": "10.10"},
            {"ledger_balance": -3.05, "historical_statement_transactions": []},
            {"last_statement_balance": 900}
        ],
        "statements": [
            {"bill_period_from_date": "2024-01-01", "bill_period_to_date": "2024-02-01", "statement_id": "S-1",
             "statement_path": "/a.pdf"},
            {"bill_period_from_date": "2024-02-01", "bill_period_to_date": "2024-03-01", "statement_id": "S-2",
             "statement_path": " "},
            {"bill_period_from_date": "2024-03-01", "bill_period_to_date": "2024-04-01", "statement_id": "S-3"}
        ],
        "notes": [
            {"body": "called", "document_paths": [{"document_path": "a"}, {"document_path": "a"}]},
            {"body": " called ", "document_paths": [{"document_path": "b"}]},
            {"document_paths": [{"document_path": "c"}]},
            {"document_paths": [{"document_path": "/c"}], "created_at": "2024-01-01T00:00:00Z"},
            {"document_paths": [{"document_path": "c"}], "created_at": "2024-01-01T01:00:00+01:00"}
        ]
    }"#;
    let expected = Totals {
        accounts: 1,
        ledger_balance: Decimal::new(705, 2),
        readings: 0,
        transactions: 0,
        documents: 1 + 2 + 1 + 1,
        rows: RowCounts::of([
            ("accounts", 1),
            ("ledgers", 3),
            ("statements", 3),
            ("notes", 3),
            ("note_documents", 4),
        ]),
    };
    assert_eq!(totals(body), expected);
    assert_eq!(Totals::of(&plain(body.as_bytes()).completed(Zone::UTC), Zone::UTC), expected);
}

#[test]
fn every_table_of_payloads_is_counted() {
    let payload = Tables::payload();
    let names: Vec<&str> = payload.iter().map(|table| table.name).collect();
    assert_eq!(RowCounts::TABLES, names);
}

#[test]
fn an_empty_account_counts_as_one_account() {
    let body = r#"{"import_supplier": "ACME", "external_account_number": "A-1"}"#;
    let rows = RowCounts::of([("accounts", 1)]);
    assert_eq!(totals(body), Totals { accounts: 1, rows, ..Totals::default() });
}

#[test]
fn balances_add_up_exactly_or_not_at_all() {
    let sum = |a, b| of_balance(a).checked_add(of_balance(b)).map(|sum| sum.ledger_balance.to_string());
    assert_eq!(sum("9999999999.9999999999", "0.0000000001").unwrap(), "10000000000");
    assert_eq!(sum("0.10", "-0.1").unwrap(), "0");
    let most = "7922816251426433759.3543950335";
    assert_eq!(sum(most, "0").unwrap(), most);
    assert_eq!(sum(most, "0.0000000001"), None, "money is not rounded");
    let accounts = Totals { accounts: u64::MAX, ..Totals::default() };
    assert_eq!(accounts.checked_add(Totals { accounts: 1, ..Totals::default() }), None);
}

proptest! {
    #[test]
    fn every_reading_and_transaction_counts(seed: u64) {
        let sent = account_json(seed);
        let json: Value = serde_json::from_str(&sent).unwrap();
        let totals = totals(&sent);
        prop_assert_eq!(totals.readings, count(&json, &["transfer_readings", "reading_history"]));
        let transactions = ["current_statement_transactions", "historical_statement_transactions"];
        prop_assert_eq!(totals.transactions, count(&json, &transactions));
    }

    /// The numbers are those of the rows that the tables of accounts have.
    #[test]
    fn every_row_counts(seed: u64) {
        let sent = account_json(seed);
        let mut found = BTreeMap::<&str, u64>::new();
        Tables::payload().rows(sent.as_bytes(), |table, _| {
            *found.entry(table.name).or_default() += 1;
            Ok::<(), RowsError>(())
        }).unwrap();
        // Of equal notes one is imported.
        let own = |rows: &RowCounts| RowCounts::of(rows.iter().filter(|(table, _)| !table.starts_with("note")));
        let found = RowCounts::of(found);
        let rows = totals(&sent).rows;
        prop_assert_eq!(own(&rows), own(&found));
        prop_assert!(rows.get("notes") <= found.get("notes"));
    }

    /// A client counts the file and the service counts the imported account: both totals are equal.
    #[test]
    fn completing_an_account_changes_no_total(seed: u64) {
        let sent = account_json(seed);
        let account = plain(sent.as_bytes());
        let zone = "Australia/Melbourne".parse().unwrap();
        let without_rows = |totals| Totals { rows: RowCounts::default(), ..totals };
        let completed = Totals::of(&account.clone().completed(zone), zone);
        prop_assert_eq!(without_rows(completed), without_rows(Totals::of(&account, zone)));
    }

    /// The totals do not depend on the order of accounts.
    #[test]
    fn totals_add_up(sent in proptest::collection::vec((-9_999_999_999_i64..=9_999_999_999, 0_u32..10), 1..30)) {
        let add = |sum: Totals, (n, scale): &(i64, u32)| {
            let ledger_balance = Decimal::new(*n, *scale);
            sum.checked_add(Totals { accounts: 1, ledger_balance, ..Totals::default() }).unwrap()
        };
        let forwards = sent.iter().fold(Totals::default(), add);
        let backwards = sent.iter().rev().fold(Totals::default(), add);
        let places = |(n, scale): &(i64, u32)| i128::from(*n) * 10_i128.pow(10 - scale);
        let exact = sent.iter().map(places).sum::<i128>();
        prop_assert_eq!(forwards, backwards);
        prop_assert_eq!(forwards.ledger_balance, Decimal::from_i128_with_scale(exact, 10));
        prop_assert_eq!(forwards.accounts, sent.len() as u64);
    }
}

fn of_draft(body: &str) -> Result<Totals, Vec<String>> {
    let draft = decode_account(body.as_bytes(), Zone::UTC).unwrap().draft.unwrap();
    let Field::Value(account) = draft.account else { panic!("{body}") };
    let totals = Totals::of_draft(&account, Zone::UTC);
    totals.map_err(|paths| paths.iter().map(ToString::to_string).collect())
}

#[test]
fn faults_that_are_not_counted_leave_the_totals_as_they_are() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accounts/valid/dual_fuel.json");
    let whole: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let expected = totals(&whole.to_string());
    assert_eq!(of_draft(&whole.to_string()), Ok(expected));
    let mut faulty = whole;
    faulty["date_of_sale"] = "soon".into();
    faulty["customers"] = serde_json::json!([null, {"mobile": 7}]);
    faulty["ledgers"][0]["current_statement_transactions"][0]["amount"] = "much".into();
    faulty["supply_addresses"][0]["supply_address"] = Value::Null;
    faulty["CANARY"] = 1.into();
    let found = of_draft(&faulty.to_string()).unwrap();
    assert_eq!(found.rows.get("customers"), Some(2), "faulty items are rows too");
    let of_others = |totals: Totals| Totals {
        rows: RowCounts::of(totals.rows.iter().filter(|(table, _)| *table != "customers")),
        ..totals
    };
    assert_eq!(of_others(found), of_others(expected));
}

#[test]
fn faults_of_what_is_counted_are_named() {
    let body = serde_json::json!({
        "ledgers": [{"ledger_balance": "ten"}, {"current_statement_transactions": [null]}, 7],
        "supply_addresses": [{"meter_points": [{"supply_type": "STEAM"}]}, {"meter_points": 1}, {}],
        "statements": [{"statement_path": 1}],
        "notes": [{"body": 1}, {"body": 1, "document_paths": [{"document_path": "a"}]}]
    });
    let mut named = of_draft(&body.to_string()).unwrap_err();
    named.sort();
    assert_eq!(
        named,
        [
            "ledgers.0.ledger_balance",
            "ledgers.1.current_statement_transactions.0",
            "ledgers.2",
            "notes.1.body",
            "statements.0.statement_path",
            "supply_addresses.0.meter_points.0.supply_type",
            "supply_addresses.1.meter_points",
            "supply_addresses.2.meter_points",
        ]
    );
}

proptest! {
    #[test]
    fn the_totals_of_a_draft_without_faults_are_those_of_the_account(seed: u64) {
        let sent = account_json(seed);
        prop_assert_eq!(of_draft(&sent), Ok(totals(&sent)));
    }
}
