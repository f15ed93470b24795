//! What tests of ledger and transaction rules share.

use crate::testing::{facts, of, of_transactions};
use serde_json::{Value, json};

/// A transaction without anything that is not required.
pub(crate) fn transaction(kind: &str, date: &str, amount: &str) -> Value {
    json!({"transaction_id": format!("{kind} {date} {amount}"), "transaction_date": date, "amount": amount, "type": kind})
}

/// A payment of 1.00 on a day.
pub(crate) fn on(date: &str) -> Value {
    transaction("PAYMENT", date, "1.00")
}

/// Holds if the rule finds exactly this in an account with one ledger.
#[track_caller]
pub(crate) fn fires(rule: &str, ledger: &Value, expected: &[&str]) {
    assert_eq!(of(rule, json!({"ledgers": [ledger]})), expected, "{ledger}");
}

/// What a rule finds in a transactions request.
pub(crate) fn request_finds(rule: &str, transactions: &Value) -> Vec<String> {
    let body =
        json!({"import_supplier": "ACME", "external_account_number": "A", "transactions": transactions});
    of_transactions(rule, body, facts())
}
