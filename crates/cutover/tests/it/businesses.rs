use crate::harness::{BUSINESS, Installation, VALIDATE, business, members};
use crate::payloads::small;
use serde_json::{Value, json};

#[test]
fn a_business_is_created_once() {
    let (_installation, _server, client) = Installation::serving();
    let first = client.send_json(BUSINESS, &business("B-1", &["C-1", "C-2"]));
    assert_eq!(first.status, 201, "{}", first.text());
    let reported = first.json();
    assert_eq!(members(&reported), ["external_business_identifier", "service_business_id"]);
    assert_eq!(reported["external_business_identifier"], "B-1");
    assert!(reported["service_business_id"].as_i64().unwrap() > 0);
    let again = client.send_json(BUSINESS, &business(" B-1 ", &["C-1", "C-2"]));
    assert_eq!((again.status, again.json()), (201, reported.clone()), "the same payload has the same id");
    let second = client.send_json(BUSINESS, &business("B-2", &[]));
    assert_ne!(second.json()["service_business_id"], reported["service_business_id"]);
}

#[test]
fn different_content_under_the_same_identifier_is_refused() {
    let (_installation, _server, client) = Installation::serving();
    let plain = business("B-1", &["C-1"]);
    assert_eq!(client.send_json(BUSINESS, &plain).status, 201);
    let changes: [fn(&mut Value); 4] = [
        |b| b["business"]["company_name"] = json!("Another name"),
        |b| b["business"]["business_type"] = json!("LTD"),
        |b| b["business"]["company_number"] = json!("004085616"),
        |b| b["business"]["business_contracts"] = json!([]),
    ];
    for change in changes {
        let mut other = plain.clone();
        change(&mut other);
        let answer = client.send_json(BUSINESS, &other);
        assert_eq!(answer.faults(), ["external_business_identifier business_already_exists"], "{other}");
    }
    assert_eq!(client.send_json(BUSINESS, &plain).status, 201);
}

#[test]
fn contracts_belong_to_one_business() {
    let (_installation, _server, client) = Installation::serving();
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    let taken = client.send_json(BUSINESS, &business("B-2", &["C-2", " C-1 "]));
    assert_eq!(taken.faults(), ["business.business_contracts.1.identifier contract_with_identifier_exists"]);
    // Nothing was stored: its other contract is free.
    assert_eq!(client.send_json(BUSINESS, &business("B-3", &["C-2"])).status, 201);
}

#[test]
fn every_fault_is_reported() {
    let (_installation, _server, client) = Installation::serving();
    let mut faulty = business("", &["C-1", "C-1"]);
    faulty["import_supplier_code"] = json!("NOBODY");
    faulty["business"]["details"] = json!([{"key": "abn", "value": "1"}, {"key": "abn", "value": "2"}]);
    faulty["business"]["business_contracts"][0]["versions"] =
        json!([{"applicable_at_date": "2024-01-02", "terms": []}]);
    assert_eq!(
        client.send_json(BUSINESS, &faulty).faults(),
        [
            "business.business_contracts.0.versions contract_versions_does_not_include_current",
            "business.business_contracts.1.identifier duplicate_contract_identifiers",
            "business.details.1.key children_with_duplicate_values",
            "external_business_identifier blank",
            "import_supplier_code import_supplier_not_found",
        ]
    );
    assert_eq!(
        client.post(BUSINESS, r#"{"import_supplier": "ACME"}"#).faults(),
        [
            "business required",
            "external_business_identifier required",
            "import_supplier unknown_field",
            "import_supplier_code required",
        ]
    );
}

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
