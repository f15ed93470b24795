use crate::harness::{Installation, TRANSACTIONS, adding, members, text};
use crate::payloads::billed;
use crate::transactions::transaction;
use serde_json::json;

/// The two shapes of the contract together: a failing transaction, and an error object.
const SHAPE: [&str; 6] = ["code", "detail", "error_detail", "errors", "status", "transaction_data"];

#[test]
fn the_first_failing_transaction_is_shown_as_it_would_be_stored() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let before = installation.account("T-1");
    let answer = client.post(
        &format!("{TRANSACTIONS}?force_add_to_current_statement=0"),
        r#"{"import_supplier":"ACME","external_account_number":"T-1","transactions":[
            {"transaction_id":"A","transaction_date":"2025-07-15","amount":1,"type":"CREDIT"},
            {"transaction_id":"B","transaction_date":"2025-06-30","amount":10.10,"type":"CREDIT","note":"N"},
            {"transaction_id":"C","transaction_date":"2999-01-01","amount":3,"type":"CREDIT"}]}"#,
    );
    assert_eq!(
        answer.faults(),
        [
            "transactions.1.transaction_date transaction_outside_open_statement_period",
            "transactions.2.transaction_date transaction_outside_open_statement_period",
        ]
    );
    let refusal = answer.json();
    assert_eq!(members(&refusal), SHAPE);
    assert_eq!(refusal["status"], "TRANSACTION_IMPORT_ERROR");
    assert!(text(&refusal["error_detail"]).contains("open statement period"), "{refusal}");
    let mut shown = transaction("B", "2025-06-30", "10.10", "CREDIT");
    shown["note"] = json!("N");
    assert_eq!(refusal["transaction_data"], shown);
    assert_eq!(installation.account("T-1"), before);
}

#[test]
fn a_faulty_item_is_echoed_as_sent() {
    let (installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let before = installation.account("T-1");
    for (item, fault) in [
        (
            r#"{"transaction_id": "F", "transaction_date":"2025-02-30", "amount":10.10,"type":"CREDIT"}"#,
            "transactions.1.transaction_date invalid",
        ),
        (
            r#"{"transaction_id":"F","transaction_date":"2025-07-15","amount":"ten","type":"CREDIT","x":[1.0]}"#,
            "transactions.1.amount invalid",
        ),
        ("7.0", "transactions.1 invalid"),
        (r#"{"amount":1.50}"#, "transactions.1.transaction_date required"),
    ] {
        let good = r#"{"transaction_id":"A","transaction_date":"2025-07-15","amount":1,"type":"CREDIT"}"#;
        let answer = client.post(
            TRANSACTIONS,
            format!(
                r#"{{"transactions":[{good},{item}],"import_supplier":"ACME","external_account_number":"T-1"}}"#
            ),
        );
        assert_eq!(answer.faults()[0], fault);
        assert_eq!(members(&answer.json()), SHAPE);
        assert!(answer.text().contains(&format!("\"transaction_data\":{item}")), "{}", answer.text());
    }
    assert_eq!(installation.account("T-1"), before, "half a batch is never stored");
}

#[test]
fn every_fault_of_every_item_is_reported() {
    let (_installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let mut charge = transaction("C", "2025-07-15", "5", "SUPPLY_CHARGE");
    charge["line_items"] = json!([]);
    let mut typo = transaction("D", "2025-07-15", "5", "credit");
    typo["typo"] = json!(1);
    let answer = client.send_json(TRANSACTIONS, &adding("T-1", "transactions", json!([charge, typo])));
    assert_eq!(
        answer.faults(),
        [
            "transactions.0.line_items required",
            "transactions.0.product_code required",
            "transactions.1.type invalid_choice",
            "transactions.1.typo unknown_field",
        ]
    );
}

#[test]
fn faults_of_the_wrapper_have_the_shape_of_other_requests() {
    let (_installation, _server, client) = Installation::serving();
    let answer = client.post(TRANSACTIONS, r#"{"transactions": [], "x": 1}"#);
    assert_eq!(
        answer.faults(),
        [
            "external_account_number required",
            "import_supplier required",
            "transactions too_few_items",
            "x unknown_field",
        ]
    );
    assert_eq!(members(&answer.json()), ["code", "detail", "errors"]);
    let many = json!(vec![transaction("A", "2025-07-15", "1", "CREDIT"); 1_001]);
    let many = client.send_json(TRANSACTIONS, &adding("T-1", "transactions", many));
    assert_eq!(many.faults(), ["transactions too_many_items"]);
}

#[test]
fn booleans_of_the_query_are_words_or_digits() {
    let (_installation, _server, client) = Installation::with_accounts(&[billed("T-1")]);
    let add = |query: &str| {
        let items = json!([transaction("T1", "2025-07-01", "10.10", "CREDIT")]);
        client.send_json(&format!("{TRANSACTIONS}?{query}"), &adding("T-1", "transactions", items))
    };
    for good in
        ["check_previously_added=TRUE", "check_previously_added=1&force_add_to_current_statement=false"]
    {
        assert_eq!(add(good).status, 201, "{good}");
    }
    for bad in ["maybe", "", "2", "yes", "%00"] {
        let answer = add(&format!("check_previously_added={bad}"));
        assert_eq!(answer.faults(), ["check_previously_added invalid"], "{bad}");
        assert_eq!(members(&answer.json()), ["code", "detail", "errors"]);
    }
    assert_eq!(
        add("force_add_to_current_statement=x&check_previously_added=x").faults(),
        ["check_previously_added invalid", "force_add_to_current_statement invalid"]
    );
    let both = client.post(&format!("{TRANSACTIONS}?check_previously_added=x"), r#"{"transactions": [7]}"#);
    assert_eq!(
        both.faults(),
        [
            "check_previously_added invalid",
            "external_account_number required",
            "import_supplier required",
            "transactions.0 invalid",
        ]
    );
    assert_eq!(both.json()["transaction_data"], 7);
}
