use crate::harness::{Client, Installation, TRANSACTIONS, adding, items, text};
use crate::payloads::{billed, small};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::cell::Cell;

const CASES: u32 = 30;
const KINDS: [&str; 5] = ["PAYMENT", "CREDIT", "CHARGE", "SUPPLY_CHARGE", "REPAYMENT"];
/// The day of the last closing, days around it, and a future day.
const DAYS: [&str; 5] = ["2025-06-30", "2025-07-01", "2025-08-15", "2024-02-29", "2999-01-01"];

/// Generates a transaction with one of few ids, days and amounts, so that equal and conflicting ones repeat.
fn any_transaction() -> impl Strategy<Value = Value> {
    let amount = prop_oneof![Just(0_i64), Just(1), Just(1_010), -500..500_i64, 0..100_000_000_i64];
    (0..6_u8, 0..KINDS.len(), 0..DAYS.len(), amount).prop_map(|(id, kind, day, cents)| {
        let sign = if cents < 0 { "-" } else { "" };
        let amount = format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
        let mut transaction = json!({"transaction_id": format!("G-{id}"), "transaction_date": DAYS[day],
            "amount": amount, "type": KINDS[kind]});
        if KINDS[kind] == "SUPPLY_CHARGE" {
            transaction["product_code"] = json!("P");
            transaction["line_items"] = json!([{"start_date": "2025-01-01", "end_date": "2025-01-02",
                "number_of_units": "1", "net_amount": transaction["amount"]}]);
        }
        transaction
    })
}

#[derive(Debug, Clone)]
struct Call {
    transactions: Vec<Value>,
    checks: bool,
    forces: bool,
}

fn any_call() -> impl Strategy<Value = Call> {
    let transactions = prop::collection::vec(any_transaction(), 1..5);
    (transactions, prop::bool::weighted(0.8), prop::bool::weighted(0.7))
        .prop_map(|(transactions, checks, forces)| Call { transactions, checks, forces })
}

impl Call {
    fn make(&self, client: &Client, number: &str) -> crate::harness::Answer {
        let query =
            format!("check_previously_added={}&force_add_to_current_statement={}", self.checks, self.forces);
        let body = adding(number, "transactions", json!(self.transactions));
        client.send_json(&format!("{TRANSACTIONS}?{query}"), &body)
    }
}

/// Parses a decimal with at most two places to hundredths.
fn cents(value: &Value) -> i64 {
    let text = text(value);
    let (whole, places) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{places:0<2}").parse().unwrap()
}

/// The signed sum of the amounts that the results of a call report as added.
fn added(results: &Value) -> i64 {
    let was_added = |result: &&Value| result["status"] == "TRANSACTION_ADDED_TO_ACCOUNT";
    let signed = |result: &Value| {
        let data = &result["transaction_data"];
        let credit = matches!(data["type"].as_str(), Some("PAYMENT" | "CREDIT"));
        if credit { cents(&data["amount"]) } else { -cents(&data["amount"]) }
    };
    items(results).iter().filter(was_added).map(signed).sum()
}

/// Accounts of three kinds, with their balances in cents before the first call.
fn account(case: u32) -> (Value, i64) {
    let number = format!("G-{case}");
    match case % 3 {
        0 => (billed(&number), 1_010),
        1 => {
            let mut account = billed(&number);
            account["ledgers"][0].as_object_mut().unwrap().remove("ledger_balance");
            account["ledgers"][0]["last_statement_balance"] = json!("-20.00");
            (account, -990)
        }
        _ => {
            let mut account = small(&number);
            account.as_object_mut().unwrap().remove("ledgers");
            (account, 0)
        }
    }
}

/// After any series of calls the balance equals the sum of the results; repeating accepted calls changes
/// nothing.
#[test]
fn balances_match_the_results() {
    let accounts: Vec<(Value, i64)> = (0..CASES).map(account).collect();
    let payloads: Vec<Value> = accounts.iter().map(|(payload, _)| payload.clone()).collect();
    let (installation, _server, client) = Installation::with_accounts(&payloads);
    let (next, taken, refused) = (Cell::new(0), Cell::new(0), Cell::new(0));
    // A failing case has changed its account, so there is no shrinking.
    let config = Config { max_shrink_iters: 0, failure_persistence: None, ..Config::with_cases(CASES) };
    let series = prop::collection::vec(any_call(), 1..8);
    TestRunner::new(config)
        .run(&series, |calls| {
            let case = next.replace(next.get() + 1);
            let (number, mut balance) = (format!("G-{case}"), accounts[case].1);
            let mut accepted = Vec::new();
            for call in &calls {
                let answer = call.make(&client, &number);
                prop_assert!(matches!(answer.status, 201 | 400), "{answer:?}");
                if answer.status == 201 {
                    balance += added(&answer.json()["results"]);
                    accepted.push(call);
                }
            }
            taken.set(taken.get() + accepted.len());
            refused.set(refused.get() + calls.len() - accepted.len());
            let stored = installation.account(&number);
            let reported = &stored["ledgers"][0]["ledger_balance"];
            // Without a sent balance there is none until something is added.
            prop_assert_eq!(if reported.is_null() { accounts[case].1 } else { cents(reported) }, balance);
            for call in accepted.into_iter().filter(|call| call.checks) {
                let answer = call.make(&client, &number);
                prop_assert_eq!((answer.status, added(&answer.json()["results"])), (201, 0));
            }
            prop_assert_eq!(installation.account(&number), stored, "repeating changes nothing");
            Ok(())
        })
        .unwrap();
    assert!(taken.get() > 20 && refused.get() > 10, "{} taken, {} refused", taken.get(), refused.get());
}
