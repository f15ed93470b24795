use crate::harness::{House, VALIDATE};
use crate::payloads::small;
use serde_json::json;

/// Canaries in every corner of requests are found in no log.
#[test]
fn nothing_of_a_payload_or_a_credential_is_logged() {
    let (house, key) = House::furnished();
    let server = house.serve_with(&["--log-level", "trace"]);
    let client = server.client(&key);
    let mut account = small("CANARY-NUMBER");
    account["customers"][0]["family_name"] = json!("CANARYNAME\u{1b}[31m\r\nINJECTED");
    account["customers"][0]["date_of_birth"] = json!("1971-03-17");
    account["payment_instructions"] = json!([{"vendor": "V", "type": "DIRECT_DEBIT", "reference": "CANARYREF", "valid_from": "2020-01-01",
        "bank_account": {"account_holder": "CANARYHOLDER", "account_number": "999888777", "bsb": "062-000"}}]);
    assert_eq!(client.create(&account).status, 201);
    client.wait("CANARY-NUMBER", "PROCESSED");
    account["payment_instructions"][0]["bank_account"]["bsb"] = json!("CANARYBSB");
    assert_eq!(client.post(VALIDATE, account.to_string()).status, 400);
    client.post(VALIDATE, "{\"CANARYJSON");
    client.get("/CANARYPATH?CANARYQUERY=1");
    let token = client.token.clone().unwrap();
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains("/v2/data-import/accounts/validate/"), "requests are logged: {log}");
    for secret in ["CANARY", "999888777", "1971-03-17", "062-000", "INJECTED", &key, &token] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
