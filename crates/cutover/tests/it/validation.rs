use crate::harness::{Installation, VALIDATE};
use crate::payloads::{nameless, small};
use serde_json::json;

#[test]
fn every_fault_is_reported_at_once_in_order() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let mut account = small("V-1");
    account["customers"][0]["landline"] = json!("abcde");
    account["customers"][0]["date_of_birth"] = json!("2001-02-30");
    account["ledgers"][0]["ledger_balance"] = json!("10.11");
    account["ledgers"][0]["typo"] = json!(1);
    account["import_supplier"] = json!("NOBODY");
    let answer = client.post(VALIDATE, account.to_string());
    assert_eq!(answer.code(), (400, "account_failed_validation".into()));
    assert_eq!(
        answer.errors(),
        [
            "customers.0.date_of_birth invalid",
            "customers.0.landline invalid_phone_number",
            "import_supplier import_supplier_not_found",
            "ledgers.0.ledger_balance balance_mismatch_on_ledger_balance",
            "ledgers.0.typo unknown_field",
        ]
    );
    let item = &answer.json()["errors"][0];
    assert_eq!(item.as_object().unwrap().keys().collect::<Vec<_>>(), ["attr", "code", "detail"]);
}

#[test]
fn levels_follow_the_suppliers_profile() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let account = nameless("V-1");
    assert_eq!(client.post(VALIDATE, account.to_string()).status, 200);
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
    assert_eq!(
        client.post(VALIDATE, account.to_string()).errors(),
        ["customers.0.family_name customer_family_name_required"]
    );
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=default"]);
    assert_eq!(client.post(VALIDATE, account.to_string()).status, 200);
    assert!(
        installation.run_refused(&["supplier", "set", "ACME", "--rule", "LED-11=off"]).contains("LED-11")
    );
}
