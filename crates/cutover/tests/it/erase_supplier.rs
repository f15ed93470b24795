//! The erasure of a supplier, and commands for businesses (contract D14).

use crate::harness::{BUSINESS, Client, Installation, business, items, text, wait_until};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};

const ERASE: [&str; 6] = ["supplier", "erase", "ACME", "--yes", "--because", "asked for"];

fn of(supplier: &str, number: &str) -> Value {
    let mut account = small(number);
    account["import_supplier"] = json!(supplier);
    account
}

/// Sends accounts that wait for years.
fn pending(client: &Client, count: usize) {
    for number in 0..count {
        let window = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
        assert_eq!(client.create(&wrapped(&format!("P-{number}"), window)).status, 201);
    }
}

fn pause(installation: &Installation) {
    installation.run_json(&["supplier", "set", "ACME", "--status", "paused"]);
}

#[test]
fn a_supplier_is_erased_while_the_service_runs() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "add", "OTHER"]);
    client.import(&[small("A-1"), small("A-2")]);
    pending(&client, 60);
    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    let mut faulty = small("R-1");
    faulty["CANARY"] = json!(1);
    assert_eq!(client.create(&faulty).status, 400);
    assert_eq!(client.create(&of("OTHER", "O-1")).status, 201);
    wait_until("the refused create is recorded", || {
        items(&installation.run_json(&["supplier", "refused", "ACME"])).len() == 1
    });
    let shown = installation.run_json(&ERASE[..3]);
    assert_eq!(shown["processes"], json!({"PENDING": 60, "PROCESSED": 2}));
    for (member, count) in [("imported_accounts", 2), ("refused_creates", 1), ("businesses", 1), ("jobs", 0)]
    {
        assert_eq!(shown[member], count, "{member}: {shown}");
    }
    let refused = installation.run_refused(&ERASE);
    assert!(refused.contains("pause it first"), "{refused}");
    pause(&installation);
    let erased = installation.run_json(&ERASE);
    assert_eq!((&erased["erased"], &erased["accounts"]), (&json!(true), &json!(62)));
    for (table, rows) in [
        ("processes", 62),
        ("payloads", 62),
        ("accounts", 2),
        ("refused_creates", 1),
        ("businesses", 1),
        ("suppliers", 1),
    ] {
        assert_eq!(erased["rows"][table], rows, "{table}: {erased}");
    }
    assert!(installation.run_refused(&["supplier", "show", "ACME"]).contains("ACME"));
    assert_eq!(client.get("/v2/data-import/accounts/ACME/A-1/").status, 404);
    assert_eq!(client.create(&small("A-1")).status, 400);
    assert_eq!(installation.failed_checks(), [""; 0]);
    let state = || client.get("/v2/data-import/accounts/OTHER/O-1/").json()["status"].clone();
    wait_until("accounts of other suppliers are imported", || state() == "PROCESSED");
    let events = client.get("/v2/data-import/events/?type=account.erased&page_size=1000").json();
    assert_eq!(items(&events).len(), 62);
    let trail = installation.run_json(&["audit", "--action", "supplier.erase"]);
    assert_eq!((items(&trail).len(), &trail[0]["detail"]["supplier"]), (1, &json!("ACME")));
    assert_eq!(trail[0]["detail"]["processes"], 62);
    let job = installation.run_json(&["job", "show", &text(&erased["job"])]);
    assert_eq!((&job["kind"], &job["state"]), (&json!("supplier.erase"), &json!("done")));

    installation.run_json(&["supplier", "add", "ACME"]);
    wait_until("the supplier is known", || client.create(&small("A-1")).status == 201);
    client.wait("A-1", "PROCESSED");
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// The command is killed after a batch; the server takes the job over once the lease has ended.
#[test]
fn an_erasure_survives_the_end_of_its_command() {
    let (mut installation, _server, client) = Installation::serving();
    pending(&client, 120);
    pause(&installation);
    installation.set_variable("FAILPOINTS", "job_batch_done=1*off->return(|abort)");
    assert!(!installation.run(&ERASE).status.success());
    installation.set_variable("FAILPOINTS", "");
    let refused = installation.run_refused(&["supplier", "set", "ACME", "--status", "ongoing"]);
    assert!(refused.contains("being erased"), "{refused}");
    wait_until("the server ends the job", || installation.run_json(&["job", "list"])[0]["state"] == "done");
    assert_eq!(installation.run_json(&["supplier", "list"]), json!([]));
    assert_eq!(items(&installation.run_json(&["audit", "--action", "supplier.erase"])).len(), 1);
    assert_eq!(installation.failed_checks(), [""; 0]);
}

#[test]
fn businesses_are_listed_shown_and_erased() {
    let (installation, _server, client) = Installation::serving();
    for (name, contract) in [("B-1", "C-1"), ("B-2", "C-2")] {
        assert_eq!(client.send_json(BUSINESS, &business(name, &[contract])).status, 201);
    }
    let mut account = small("A-1");
    account["business"] = json!({"business_contract_identifier": "C-1"});
    client.import(&[account]);
    let listed = installation.run_json(&["business", "list"]);
    let first = json!({"service_business_id": 1, "external_business_identifier": "B-1", "import_supplier": "ACME",
        "business_contracts": ["C-1"]});
    assert_eq!((items(&listed).len(), &listed[0]), (2, &first));
    let shown = installation.run_json(&["business", "show", " B-1 ", "--organisation", "Acme"]);
    assert_eq!(shown, client.get("/v2/data-import/businesses/B-1/").json());
    assert!(installation.run_refused(&["business", "show", "B-9"]).contains("B-9"));
    assert!(installation.run_refused(&["business", "erase", "B-1"]).contains("refer to its contracts"));
    let erased = installation.run_json(&["business", "erase", "B-2"]);
    assert_eq!((&erased["service_business_id"], &erased["rows"]["businesses"]), (&json!(2), &json!(1)));
    assert_eq!(client.get("/v2/data-import/businesses/B-2/").status, 404);
    let recorded = installation.run_json(&["audit", "--action", "business.erase"]);
    assert_eq!((items(&recorded).len(), &recorded[0]["detail"]["business"]), (1, &json!("2")));
    // Its contract is free, and its number is not used again.
    let again = client.send_json(BUSINESS, &business("B-3", &["C-2"]));
    assert_eq!((again.status, &again.json()["service_business_id"]), (201, &json!(3)));
}

/// `--organisation` may be left out if there is one.
#[test]
fn the_organisation_has_to_be_named_among_several() {
    let installation = Installation::new();
    let usage = |args: &[&str]| {
        let output = installation.run(args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(usage(&["business", "list"]).contains("organisation add"));
    installation.run_json(&["organisation", "add", "Acme"]);
    assert_eq!(installation.run_json(&["business", "list"]), json!([]));
    installation.run_json(&["supplier", "add", "ACME"]);
    installation.run_json(&["api-key", "issue"]);
    installation.run_json(&["organisation", "add", "Beta"]);
    for args in [
        &["business", "list"][..],
        &["business", "show", "B-1"],
        &["business", "erase", "B-1"],
        &["supplier", "add", "SECOND"],
        &["api-key", "issue"],
        &["webhook", "add", "--url", "http://127.0.0.1:9/"],
        &["vendor", "add", "PAY", "--kind", "http", "--base-url", "http://127.0.0.1:9"],
        &["vendor", "list"],
        &["vendor", "remove", "PAY"],
    ] {
        let said = usage(args);
        assert!(said.contains(r#"--organisation is needed, as there are several: "Acme", "Beta""#), "{said}");
    }
    assert_eq!(installation.run_json(&["business", "list", "--organisation", "Beta"]), json!([]));
    installation.run_json(&["organisation", "revoke", "Beta"]);
    assert_eq!(installation.run_json(&["business", "list"]), json!([]));
}
