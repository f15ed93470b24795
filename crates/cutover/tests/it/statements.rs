use crate::harness::{Installation, STATEMENTS, adding, items};
use crate::payloads::{documented, small};
use serde_json::{Value, json};

fn statement(id: &str, amount: &str) -> Value {
    json!({"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-03-31", "statement_id": id,
        "issued_date": "2025-04-02", "number": "0004912", "gross_amount": amount,
        "statement_path": "/statements/q1.pdf"})
}

#[test]
fn the_answer_is_the_request_as_validated() {
    let (installation, _server, client) = Installation::with_accounts(&[small("S-1")]);
    let sent = r#"{"import_supplier":"ACME","external_account_number":"S-1","statements":[
        {"bill_period_from_date":"2025-01-01","bill_period_to_date":"2025-03-31","statement_id":"Q1",
         "gross_amount":61210.50,"issued_date":null,"statement_path":"/statements/q1.pdf"},
        {"bill_period_from_date":"2025-04-01","bill_period_to_date":"2025-06-30","statement_id":"Q2",
         "gross_amount":"10.10","number":"0004912","issued_date":"2025-07-02"}]}"#;
    let answer = client.post(STATEMENTS, sent);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let mut expected: Value = serde_json::from_str(sent).unwrap();
    expected["statements"][0].as_object_mut().unwrap().remove("issued_date");
    assert_eq!(answer.json(), expected);
    assert!(answer.text().contains(r#""gross_amount":61210.50"#), "digits as sent: {}", answer.text());
    let stored = installation.account("S-1");
    assert_eq!(items(&stored["historical_statements"]).len(), 2);
    assert_eq!(stored["historical_statements"][1]["gross_amount"], "10.10");
}

#[test]
fn equal_content_is_accepted_again_and_different_content_is_refused() {
    let (installation, _server, client) = Installation::with_accounts(&[small("S-1")]);
    let add = |statements: Value| client.send_json(STATEMENTS, &adding("S-1", "statements", statements));
    assert_eq!(add(json!([statement("Q1", "10.10"), statement("Q2", "1")])).status, 201);
    let before = installation.account("S-1");
    let again = add(json!([statement(" Q1 ", "10.10"), statement("Q2", "1")]));
    assert_eq!(again.status, 201, "{}", again.text());
    assert_eq!(installation.account("S-1"), before);
    let other = add(json!([statement("Q3", "1"), statement("Q1", "10.11"), statement("Q2", "2")]));
    assert_eq!(
        other.faults(),
        [
            "statements.1.statement_id historical_statement_already_exists",
            "statements.2.statement_id historical_statement_already_exists",
        ]
    );
    assert_eq!(installation.account("S-1"), before, "half a batch is never stored");
}

#[test]
fn statements_of_the_payload_are_separate_from_historical_ones() {
    let (installation, _server, client) = Installation::with_accounts(&[documented("S-1")]);
    let answer = client.send_json(STATEMENTS, &adding("S-1", "statements", json!([statement("S-1", "1")])));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let stored = installation.account("S-1");
    let ids = |list: &str| items(&stored[list]).iter().map(|s| s["statement_id"].clone()).collect::<Vec<_>>();
    assert_eq!((ids("statements"), ids("historical_statements")), (vec![json!("S-1")], vec![json!("S-1")]));
}

#[test]
fn every_fault_is_reported_and_nothing_is_stored() {
    let (installation, _server, client) = Installation::with_accounts(&[small("S-1")]);
    let before = installation.account("S-1");
    let mut turned = statement("Q3", "1");
    turned["bill_period_to_date"] = json!("2024-12-31");
    let mut odd = statement("Q4", "1e3");
    odd["statement_path"] = json!("a/../b.pdf");
    odd["is_reversed"] = json!(false);
    let answer = client.send_json(
        STATEMENTS,
        &adding("S-1", "statements", json!([statement("Q1", "1"), statement("Q1 ", "1"), turned, odd])),
    );
    assert_eq!(
        answer.faults(),
        [
            "statements.1.statement_id duplicate_statement_ids",
            "statements.2.bill_period_to_date start_date_later_than_end_date",
            "statements.3.gross_amount invalid",
            "statements.3.is_reversed unknown_field",
            "statements.3.statement_path invalid_document_path",
        ]
    );
    assert_eq!(installation.account("S-1"), before);
    let wrapper = client.post(STATEMENTS, r#"{"import_supplier": null, "statements": {}}"#);
    assert_eq!(
        wrapper.faults(),
        ["external_account_number required", "import_supplier null", "statements not_a_list"]
    );
}
