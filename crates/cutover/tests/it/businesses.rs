use crate::harness::{BUSINESS, Installation, VALIDATE, business};
use crate::payloads::small;
use serde_json::json;

#[test]
fn terms_are_any_json() {
    let (_installation, _server, client) = Installation::serving();
    let body = |rate: &str| {
        format!(
            r#"{{"import_supplier_code":"ACME","external_business_identifier":"B-1","business":{{
            "business_contracts":[{{"identifier":"C-1","valid_from_date":"2024-01-01","signed_at_date":"2024-01-01",
            "versions":[{{"applicable_at_date":"2024-01-01","terms":[{{"term_type":"PRODUCT_RATE_OVERRIDE_SCHEDULE",
            "rate":{rate}}},null,"é",[[true]],1e400]}}]}}]}}}}"#
        )
    };
    let first = client.post(BUSINESS, body("0.1125"));
    assert_eq!(first.status, 201, "{}", first.text());
    assert_eq!(client.post(BUSINESS, body("0.1125")).json(), first.json());
    assert_eq!(
        client.post(BUSINESS, body("0.1126")).faults(),
        ["external_business_identifier business_already_exists"]
    );
}

#[test]
fn an_account_is_linked_to_a_contract_that_exists() {
    let (installation, _server, client) = Installation::serving();
    let mut account = small("L-1");
    account["business"] = json!({"business_contract_identifier": "C-1"});
    let before = client.send_json(VALIDATE, &account);
    assert_eq!(before.code(), (400, "account_failed_validation".to_owned()));
    assert_eq!(before.errors(), ["business.business_contract_identifier business_contract_not_found"]);
    assert_eq!(client.create(&account).code(), (400, "import_process_failed_validation".to_owned()));
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    assert_eq!(client.send_json(VALIDATE, &account).status, 200);
    // Another supplier of the organisation may refer to it too.
    installation.run_json(&["supplier", "add", "SECOND", "--organisation", "Acme"]);
    let mut second = account.clone();
    second["import_supplier"] = json!("SECOND");
    assert_eq!(client.send_json(VALIDATE, &second).status, 200);
    client.import(&[account]);
    assert_eq!(installation.account("L-1")["business"], json!({"business_contract_identifier": "C-1"}));
}
