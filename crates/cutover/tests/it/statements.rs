use crate::harness::{Installation, STATEMENTS, items};
use crate::payloads::small;
use serde_json::Value;

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
