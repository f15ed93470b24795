//! Accounts from the fixtures, for the supplier `ACME`.

use serde_json::{Value, json};

/// An account of each kind of meter point, and one with two.
pub(crate) const KINDS: [(&str, &str); 8] = [
    ("electricity", include_str!("../../../../fixtures/accounts/valid/electricity.json")),
    ("gas", include_str!("../../../../fixtures/accounts/valid/gas.json")),
    ("dual_fuel", include_str!("../../../../fixtures/accounts/valid/dual_fuel.json")),
    ("unmetered_electricity", include_str!("../../../../fixtures/accounts/valid/unmetered_electricity.json")),
    ("unmetered_gas", include_str!("../../../../fixtures/accounts/valid/unmetered_gas.json")),
    ("embedded_electricity", include_str!("../../../../fixtures/accounts/valid/embedded_electricity.json")),
    ("embedded_gas", include_str!("../../../../fixtures/accounts/valid/embedded_gas.json")),
    ("embedded_water", include_str!("../../../../fixtures/accounts/valid/embedded_water.json")),
];

/// A fixture with another number.
pub(crate) fn fixture(kind: &str, number: &str) -> Value {
    let (_, text) = KINDS.iter().find(|(name, _)| *name == kind).unwrap();
    let mut account: Value = serde_json::from_str(text).unwrap();
    account["import_supplier"] = json!("ACME");
    account["external_account_number"] = json!(number);
    account
}

/// A small account.
pub(crate) fn small(number: &str) -> Value {
    json!({
        "import_supplier": "ACME",
        "external_account_number": number,
        "customers": [{"given_name": "Mei", "family_name": "Tran", "email": "mei.tran@inbox.test"}],
        "billing_address1": "PO Box 12",
        "billing_postcode": "3000",
        "ledgers": [{
            "ledger_balance": "10.10",
            "current_statement_transactions": [
                {"transaction_id": "T1", "transaction_date": "2026-10-01", "amount": "10.10", "type": "CREDIT"}
            ],
            "last_statement_balance": "0.00"
        }]
    })
}

/// A small account without a family name: the rule CUS-08 warns of that by default.
pub(crate) fn nameless(number: &str) -> Value {
    let mut account = small(number);
    account["customers"][0].as_object_mut().unwrap().remove("family_name");
    account
}

/// A small account without customers: the rule ACC-04 warns of that by default.
pub(crate) fn without_customers(number: &str) -> Value {
    let mut account = small(number);
    account["customers"] = json!([]);
    account
}

/// A small account in its envelope.
pub(crate) fn wrapped(number: &str, task_params: Value) -> Value {
    json!({"payload": small(number), "task_params": task_params})
}

/// A small account whose last statement was closed on 30 June 2025, with the later credit `T1` of 10.10.
pub(crate) fn billed(number: &str) -> Value {
    let mut account = small(number);
    account["ledgers"][0]["last_statement_closing_date"] = json!("2025-06-30");
    account["ledgers"][0]["current_statement_transactions"][0]["transaction_date"] = json!("2025-07-01");
    account
}

/// A small account with a note and a statement that name documents.
pub(crate) fn documented(number: &str) -> Value {
    let mut account = small(number);
    account["notes"] =
        json!([{"body": "See there.", "document_paths": [{"document_path": "notes/call.txt"}]}]);
    account["statements"] = json!([{"bill_period_from_date": "2025-04-01", "bill_period_to_date": "2025-06-30",
        "statement_id": "S-1", "statement_path": "/statements/s-1.pdf"}]);
    account
}
