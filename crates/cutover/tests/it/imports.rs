use crate::harness::{Client, Installation, Server, wait_until};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};

fn open() -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    (installation, server, client)
}

#[test]
fn an_imported_account_is_not_created_again() {
    let (_installation, _server, client) = open();
    client.create(&small("I-1"));
    let status = client.wait("I-1", "PROCESSED");
    let answer = client.create(&small("I-1"));
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["non_field_errors"]["code"], "account_import_process_already_imported");
    assert_eq!(answer.json()["account_id"], status["service_identifier"]);
    assert_eq!(client.status("I-1"), status);
}

#[test]
fn a_dry_run_leaves_no_account_and_can_be_followed_by_a_real_one() {
    let (installation, _server, client) = open();
    assert_eq!(client.create(&wrapped("I-1", json!({"is_dry_run": true}))).status, 201);
    let status = client.wait("I-1", "DRY_RUN_SUCCEEDED");
    assert_eq!(status["service_identifier"], Value::Null);
    assert_eq!(status["latest_event"]["event"], "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED");
    assert!(installation.show("I-1").get("account").is_none_or(Value::is_null));
    assert_eq!(client.create(&small("I-1")).status, 201);
    client.wait("I-1", "PROCESSED");
    assert_eq!(installation.show("I-1")["attempt"], 2);
}

#[test]
fn the_dry_run_setting_applies_to_staged_accounts() {
    let (installation, key) = Installation::with_supplier();
    {
        let api = installation.serve_with(&["--role", "api"]);
        assert_eq!(api.client(&key).create(&small("I-1")).status, 201);
    }
    installation.run_json(&["supplier", "set", "ACME", "--dry-run", "true"]);
    let server = installation.serve();
    server.client(&key).wait("I-1", "DRY_RUN_SUCCEEDED");
}

#[test]
fn a_cancelled_process_can_be_retried() {
    let (installation, _server, client) = open();
    client.create(&wrapped("I-1", json!({"schedule_window_start": "2099-01-01T00:00:00Z"})));
    assert_eq!(installation.run_json(&["process", "cancel", "ACME", "I-1"])["status"], "CANCELLED");
    assert_eq!(client.status("I-1")["status"], "CANCELLED");
    let refused = installation.run_refused(&["process", "cancel", "ACME", "I-1"]);
    assert!(refused.contains("CANCELLED") && refused.contains("cancelled"), "{refused}");
    assert_eq!(client.create(&small("I-1")).status, 201);
    client.wait("I-1", "PROCESSED");
    assert!(installation.run_refused(&["process", "retry", "ACME", "I-1"]).contains("PROCESSED"));
}

#[test]
fn a_missed_window_ends_in_error_and_resubmission_corrects_it() {
    let (installation, key) = Installation::with_supplier();
    let number = "I-1";
    {
        let api = installation.serve_with(&["--role", "api"]);
        // Windows may have closed up to five minutes ago.
        let ago = house_clock(-120);
        let params = json!({"schedule_window_start": house_clock(-240), "schedule_window_end": ago});
        assert_eq!(api.client(&key).create(&wrapped(number, params)).status, 201);
    }
    let server = installation.serve();
    let client = server.client(&key);
    let status = client.wait(number, "ERRORED");
    let error = json!({"code": "schedule_window_missed", "detail": status["latest_error"]["detail"], "domain": "import_process"});
    assert_eq!(status["latest_error"], error);
    assert_eq!(status["latest_event"]["event"], "EVENT_ACCOUNT_IMPORT_PROCESS_ERRORED");
    assert_eq!(status["latest_event"]["data"], error);
    assert_eq!(client.create(&small(number)).status, 201);
    assert_eq!(client.wait(number, "PROCESSED")["latest_error"], Value::Null);
}

/// A number of seconds from now, as a datetime.
#[expect(clippy::disallowed_methods, reason = "the server under test has the system's clock")]
fn house_clock(seconds: i64) -> String {
    (chrono::Utc::now() + chrono::Duration::seconds(seconds))
        .to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

#[test]
fn a_small_supplier_does_not_wait_for_a_big_one() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "add", "SMALL", "--organisation", "Acme"]);
    {
        let api = installation.serve_with(&["--role", "api"]);
        let client = api.client(&key);
        (0..600).for_each(|i| assert_eq!(client.create(&small(&format!("B-{i}"))).status, 201));
        for i in 0..3 {
            let mut account = small(&format!("S-{i}"));
            account["import_supplier"] = json!("SMALL");
            assert_eq!(client.create(&account).status, 201);
        }
    }
    let server = installation.serve_with(&["--workers", "1"]);
    server.client(&key);
    let processed = |supplier: &str| {
        let list = installation.run_json(&["process", "list", supplier, "--status", "PROCESSED"]);
        list.as_array()
            .unwrap()
            .iter()
            .map(|p| p["modified_at"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    wait_until("both are done", || processed("SMALL").len() == 3 && processed("ACME").len() == 600);
    let last_small = processed("SMALL").into_iter().max().unwrap();
    let before = processed("ACME").into_iter().filter(|at| *at < last_small).count();
    assert!(before < 60, "{before} of the big supplier's came first");
}

#[test]
fn emails_are_sent_unless_the_payload_suppresses_them() {
    let (installation, _server, client) = open();
    installation.run_json(&["supplier", "set", "ACME", "--send-customer-emails", "true"]);
    let mut quiet = small("I-2");
    quiet["events"] = json!([{"event_type": "SUPPRESS_MIGRATION_COMMS", "category": "communications",
        "subcategory": "migration_comms", "occurred_at": "2026-10-01T00:00:00Z", "description": "x"}]);
    client.create(&small("I-1"));
    client.create(&quiet);
    for (number, emails) in [("I-1", true), ("I-2", false)] {
        client.wait(number, "PROCESSED");
        assert_eq!(installation.show(number)["account"]["customer_emails"], emails);
    }
}

#[test]
fn the_history_carries_the_id_of_the_request() {
    let (installation, _server, client) = open();
    let body = small("I-1").to_string();
    let answer =
        client.send("POST", crate::harness::ACCOUNTS, &[("X-Request-Id", "my-request-7")], body.as_bytes());
    assert_eq!((answer.status, answer.header("X-Request-Id")), (201, Some("my-request-7")));
    let actor = installation.show("I-1")["history"][0]["actor"].as_str().unwrap().to_owned();
    assert!(actor.starts_with("api:cut_live_") && actor.ends_with("#my-request-7"), "{actor}");
}
