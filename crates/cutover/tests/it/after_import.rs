//! Common behaviour of requests after the import: the account must exist, whatever the status of its
//! supplier.

use crate::harness::{
    Action, BUSINESS, BUSINESS_INSTRUCTION, Client, INSTRUCTION, Installation, NOTES, STATEMENTS,
    TRANSACTIONS, Vendor, adding, business, business_instruction, instruction,
};
use crate::payloads::{billed, wrapped};
use crate::transactions::transaction;
use serde_json::{Value, json};

/// A valid request to each of the three endpoints that answer 404.
pub(crate) fn additions(number: &str) -> [(&'static str, Value); 3] {
    let statement = json!({"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-03-31", "statement_id": "Q1"});
    [
        (NOTES, adding(number, "notes", json!([{"body": "B"}]))),
        (
            TRANSACTIONS,
            adding(number, "transactions", json!([transaction("A", "2025-08-01", "1", "CREDIT")])),
        ),
        (STATEMENTS, adding(number, "statements", json!([statement]))),
    ]
}

/// The 404 code of all three endpoints.
fn absence(client: &Client, number: &str, supplier: &str) -> String {
    let mut codes = additions(number).map(|(path, mut body)| {
        body["import_supplier"] = json!(supplier);
        let answer = client.send_json(path, &body);
        assert_eq!(crate::harness::members(&answer.json()), ["code", "detail"]);
        let (status, code) = answer.code();
        assert_eq!(status, 404, "{path} {number}");
        code
    });
    codes.sort();
    assert_eq!(codes[0], codes[2]);
    codes[0].clone()
}

#[test]
fn a_staged_account_is_not_found() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let later = wrapped("W-1", json!({"schedule_window_start": "2099-01-01T00:00:00Z"}));
    assert_eq!(client.create(&later).status, 201);
    assert_eq!(absence(&client, "W-1", "ACME"), "account_not_found");
    let dry = wrapped("W-2", json!({"is_dry_run": true}));
    assert_eq!(client.create(&dry).status, 201);
    client.wait("W-2", "DRY_RUN_SUCCEEDED");
    assert_eq!(absence(&client, "W-2", "ACME"), "account_not_found");
    installation.run_json(&["process", "cancel", "ACME", "W-1"]);
    assert_eq!(absence(&client, "W-1", "ACME"), "account_not_found");
}

#[test]
fn a_supplier_that_is_not_ongoing_can_add_to_imported_accounts() {
    let vendor = Vendor::start(|asked| {
        let reference = asked.path.rsplit('/').next().unwrap();
        Action::Json(200, json!({"reference": reference, "type": "CARD"}))
    });
    let (installation, _server, client) = Installation::with_accounts(&[billed("K-1")]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    for (status, run) in [("paused", "1"), ("complete", "2")] {
        installation.run_json(&["supplier", "set", "ACME", "--status", status]);
        for (path, body) in additions("K-1") {
            assert_eq!(client.send_json(path, &body).status, 201, "{status} {path}");
        }
        let pay = instruction("K-1", "PAY", "CARD", run);
        assert_eq!(client.send_json(INSTRUCTION, &pay).status, 201, "{status}");
        let firm = format!("B-{run}");
        assert_eq!(client.send_json(BUSINESS, &business(&firm, &[])).status, 201, "{status}");
        let pay = business_instruction(&firm, "PAY", "CARD", run);
        assert_eq!(client.send_json(BUSINESS_INSTRUCTION, &pay).status, 201, "{status}");
    }
}

#[test]
fn tokens_methods_and_bodies_are_refused_as_everywhere() {
    let (_installation, server, client) = Installation::serving();
    let paths = [NOTES, TRANSACTIONS, STATEMENTS, INSTRUCTION, BUSINESS, BUSINESS_INSTRUCTION];
    for path in paths {
        assert_eq!(
            server.anonymous().post(path, "{").code(),
            (401, "not_authenticated".to_owned()),
            "{path}"
        );
        assert_eq!(client.get(path).code(), (405, "method_not_allowed".to_owned()), "{path}");
        assert_eq!(client.post(path, "{").code(), (400, "parse_error".to_owned()), "{path}");
        assert_eq!(client.post(path, "[]").faults(), ["non_field_errors invalid"], "{path}");
        assert_eq!(client.post(path.trim_end_matches('/'), "[]").status, 400, "without the slash: {path}");
        let plain = client.send("POST", path, &[("Content-Type", "text/plain")], b"{}");
        assert_eq!(plain.code(), (415, "unsupported_media_type".to_owned()), "{path}");
        assert_eq!(
            client.announce(path, (8 << 20) + 1).code(),
            (413, "payload_too_large".to_owned()),
            "{path}"
        );
    }
}

#[test]
fn limits_of_arrays_are_settings() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--batch-limit", "2", "--list-limit", "3"]);
    let client = server.client(&key);
    client.import(&[billed("K-1")]);
    let notes = |n: usize| adding("K-1", "notes", json!(vec![json!({"body": "B"}); n]));
    assert_eq!(client.send_json(NOTES, &notes(2)).status, 201);
    assert_eq!(client.send_json(NOTES, &notes(3)).faults(), ["notes too_many_items"]);
    let contracts = |n: usize| business("B-1", &["C-1", "C-2", "C-3", "C-4"][..n]);
    assert_eq!(
        client.send_json(BUSINESS, &contracts(4)).faults(),
        ["business.business_contracts too_many_items"]
    );
    assert_eq!(client.send_json(BUSINESS, &contracts(3)).status, 201);
}
