//! The version 1 status of an import.

use crate::harness::{Installation, TRANSFER_STATUS, members};
use crate::payloads::{small, wrapped};
use serde_json::json;

#[test]
fn a_status_for_every_state() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    assert_eq!(client.create(&wrapped("PENDING", later.clone())).status, 201);
    assert_eq!(client.create(&wrapped("CANCELLED", later)).status, 201);
    installation.run_json(&["process", "cancel", "ACME", "CANCELLED"]);
    assert_eq!(client.create(&wrapped("DRY_RUN_SUCCEEDED", json!({"is_dry_run": true}))).status, 201);
    assert_eq!(client.create(&small("PROCESSED")).status, 201);
    for (number, expected) in [
        ("PENDING", "IN_PROGRESS"),
        ("CANCELLED", "UNKNOWN"),
        ("DRY_RUN_SUCCEEDED", "UNKNOWN"),
        ("PROCESSED", "COMPLETED"),
    ] {
        let account = client.wait(number, number)["service_identifier"].clone();
        let answer = client.get(&format!("{TRANSFER_STATUS}ACME/{number}/"));
        let expected = json!({"status": expected, "service_account_number": account.as_str().unwrap_or("")});
        assert_eq!((answer.status, answer.json()), (200, expected));
        assert_eq!(client.get(&format!("{TRANSFER_STATUS}ACME/{number}")).json(), answer.json());
        let head = client.send("HEAD", &format!("{TRANSFER_STATUS}ACME/{number}/"), &[], b"");
        assert_eq!((head.status, head.body), (200, Vec::new()));
    }
}

#[test]
fn an_import_that_ended_in_error_is_unknown() {
    let (installation, key) = Installation::with_supplier();
    {
        let api = installation.serve_with(&["--role", "api"]);
        let mut account = small("E-1");
        account["customers"][0].as_object_mut().unwrap().remove("family_name");
        assert_eq!(api.client(&key).create(&account).status, 201);
    }
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
    let server = installation.serve();
    let client = server.client(&key);
    client.wait("E-1", "ERRORED");
    let answer = client.get(&format!("{TRANSFER_STATUS}ACME/E-1/"));
    assert_eq!(answer.json(), json!({"status": "UNKNOWN", "service_account_number": ""}));
}

#[test]
fn an_unknown_account_is_not_found() {
    let (_installation, _server, client) = Installation::with_accounts(&[small("P/1 é")]);
    for path in ["ACME/none/", "NOBODY/P-1/", "no%20code/P-1/", "ACME/%20/", "ACME//"] {
        let answer = client.get(&format!("{TRANSFER_STATUS}{path}"));
        assert_eq!(answer.code(), (404, "not_found".to_owned()), "{path}");
        assert_eq!(members(&answer.json()), ["code", "detail"]);
    }
    let found = client.get(&format!("{TRANSFER_STATUS}%20ACME/P%2F1%20%C3%A9/"));
    assert_eq!(found.json()["status"], "COMPLETED");
}
