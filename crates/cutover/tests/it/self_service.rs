//! Requests with which suppliers help themselves: settings, refused creates, cancellation.

use crate::harness::{Installation, wait_until};
use crate::payloads::small;
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
    // Only commands say which settings they have seen, and what sets each level.
    assert_eq!(shown.as_object_mut().unwrap().remove("levels"), Some(json!([])));
    assert_eq!(shown.as_object_mut().unwrap().remove("revision"), Some(json!(0)));
    assert_eq!(settings, shown);
    assert_eq!(id.as_str().unwrap().len(), 32);
    let key = installation.run_json(&["api-key", "issue", "--organisation", "Acme"]);
    drop(server);
    let server = installation.serve();
    let again = server.client(key["api_key"].as_str().unwrap()).get(SUPPLIER).json();
    assert_eq!(without_installation(again).1, id);
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
    let others = json!({"kinds": 0, "count": 0});
    assert_eq!(
        figures,
        json!({"accounts": 1, "without_number": 0, "top_errors": top, "other_errors": others})
    );
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
