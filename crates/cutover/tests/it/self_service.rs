//! Requests with which suppliers help themselves: settings, refused creates, cancellation.

use crate::harness::{BUSINESS, Installation, business, wait_until};
use crate::payloads::{small, wrapped};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

const SUPPLIER: &str = "/v2/data-import/import-suppliers/ACME/";

fn without_installation(mut settings: Value) -> (Value, Value) {
    let members = settings.as_object_mut().unwrap();
    let [installation, history] = ["installation", "history"].map(|name| members.remove(name).unwrap());
    assert_eq!(history.as_str().unwrap().len(), 32);
    (settings, installation)
}

/// The settings have the shape of the command, and the id of the installation outlives the server.
#[test]
fn suppliers_see_their_settings() {
    let (installation, server, client) = Installation::serving();
    let answer = client.get(SUPPLIER);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let (settings, id) = without_installation(answer.json());
    let mut shown = installation.run_json(&["supplier", "show", "ACME"]);
    // The command leaves out fractions of seconds.
    assert!(shown["created_at"].is_string());
    shown["created_at"] = settings["created_at"].clone();
    assert_eq!(settings, shown);
    assert_eq!(id.as_str().unwrap().len(), 32);
    let key = installation.run_json(&["api-key", "issue", "--organisation", "Acme"]);
    drop(server);
    let server = installation.serve();
    let again = server.client(key["api_key"].as_str().unwrap()).get(SUPPLIER).json();
    assert_eq!(without_installation(again).1, id);
}

#[test]
fn a_supplier_cancels_what_waits() {
    let (installation, _server, client) = Installation::serving();
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    assert_eq!(client.create(&wrapped("A-1", later)).status, 201);
    let path = |number: &str| format!("/v2/data-import/accounts/ACME/{number}/cancel/");
    for _ in 0..2 {
        let answer = client.post(&path("A-1"), "");
        assert_eq!((answer.status, answer.json()), (200, json!({})));
    }
    client.wait("A-1", "CANCELLED");
    assert_eq!(installation.history("ACME", "A-1").len(), 2);
    assert!(installation.show("A-1")["history"][1]["actor"].as_str().unwrap().starts_with("api:"));
    assert_eq!(client.create(&small("A-2")).status, 201);
    client.wait("A-2", "PROCESSED");
    let refused = client.post(&path("A-2"), "");
    let code = &refused.json()["non_field_errors"]["code"];
    assert_eq!((refused.status, code), (400, &json!("account_import_process_not_pending")));
    assert_eq!(client.post(&path("NONE"), "").code(), (404, "not_found".to_owned()));
}

/// Refusals are recorded, also if the server stops right afterwards, and removed once the account is accepted.
#[test]
fn refused_creates_are_listed_until_they_are_accepted() {
    let (installation, server, client) = Installation::serving();
    let mut faulty = small("A-1");
    faulty["CANARY"] = json!(1);
    for number in ["A-1", "A-2"] {
        faulty["external_account_number"] = json!(number);
        assert_eq!(client.create(&faulty).status, 400);
    }
    let refused = client.get(&format!("{SUPPLIER}refused/")).json();
    assert_eq!(refused.as_array().unwrap().len(), 2, "{refused}");
    assert_eq!(refused[0]["errors"], json!([{"code": "unknown_field", "attr": "*"}]));
    assert_eq!(client.create(&small("A-1")).status, 201);
    let figures = client.get(&format!("{SUPPLIER}progress/")).json()["refused"].clone();
    let top = json!([{"code": "unknown_field", "attr": "*", "count": 1}]);
    assert_eq!(figures, json!({"accounts": 1, "without_number": 0, "top_errors": top}));
    faulty["external_account_number"] = json!("A-3");
    assert_eq!(client.create(&faulty).status, 400);
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    let listed = installation.run_json(&["supplier", "refused", "ACME"]);
    let numbers: Vec<_> =
        listed.as_array().unwrap().iter().map(|refused| refused["external_account_number"].clone()).collect();
    assert_eq!(numbers, ["A-2", "A-3"]);
}

/// They are written while nobody asks, and a command beside the service says as of when it counts them.
#[test]
fn refused_creates_survive_a_kill() {
    let (installation, server, client) = Installation::serving();
    let mut faulty = small("A-1");
    faulty["CANARY"] = json!(1);
    assert_eq!(client.create(&faulty).status, 400);
    let listed = || installation.run_json(&["supplier", "refused", "ACME"]);
    wait_until("it is written", || listed().as_array().unwrap().len() == 1);
    let time = |text: &Value| text.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let refused_at = time(&listed()[0]["refused_at"]);
    let is_counted = |answer: Value, member: &str| time(&answer[member]) > refused_at;
    let readiness = || installation.run_json(&["supplier", "readiness", "ACME"]);
    wait_until("readiness is later", || is_counted(readiness(), "as_of"));
    let certificate = installation.run_json(&["supplier", "certificate", "ACME"]);
    assert_eq!(certificate["refused_accounts"], 1);
    assert!(is_counted(certificate, "refused_as_of"));
    server.kill();
    assert_eq!(listed().as_array().unwrap().len(), 1);
}

#[test]
fn a_business_is_replaced_unless_accounts_refer_to_what_goes() {
    let (_installation, _server, client) = Installation::serving();
    let all = "/v2/data-import/businesses/";
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1", "C-2"])).status, 201);
    let mut account = small("A-1");
    account["business"] = json!({"business_contract_identifier": "C-1"});
    assert_eq!(client.create(&account).status, 201);
    client.wait("A-1", "PROCESSED");
    let put = |body: &Value| {
        let headers = [("Content-Type", "application/json")];
        client.send("PUT", &format!("{all}B-1/"), &headers, body.to_string().as_bytes())
    };
    assert_eq!(put(&business("B-1", &["C-2"])).faults(), ["business.business_contracts contract_in_use"]);
    let replaced = put(&business("B-1", &["C-3", "C-1"]));
    assert_eq!((replaced.status, &replaced.json()["service_business_id"]), (200, &json!(1)));
    let stored = client.get(&format!("{all}B-1/")).json();
    let contracts = stored["business"]["business_contracts"].as_array().unwrap().clone();
    let names: Vec<_> = contracts.iter().map(|contract| contract["identifier"].clone()).collect();
    assert_eq!((names, &stored["service_business_id"]), (vec![json!("C-3"), json!("C-1")], &json!(1)));
    assert_eq!(client.get(all).json(), json!([stored]));
}
