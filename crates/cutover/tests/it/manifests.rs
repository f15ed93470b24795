//! Manifests: what is declared, sent and imported (contract D17), with `cutover-client` and without.
#![cfg(unix)]

use crate::after_import::additions;
use crate::harness::{Client, Installation, Server};
use crate::migration::program;
use crate::payloads::{fixture, small};
use serde_json::{Value, json};
use std::process::Command;

const MANIFEST: &str = "/v2/data-import/import-suppliers/ACME/manifest/";
const CANCEL: &str = "/v2/data-import/accounts/ACME/";

/// The manifest of progress, without the numbers of rows.
fn manifest(client: &Client) -> Value {
    let mut manifest = client.progress()["manifest"].clone();
    for figures in manifest.as_object_mut().into_iter().flat_map(|members| members.values_mut()) {
        figures.as_object_mut().unwrap().remove("counts");
    }
    manifest
}

/// Numbers of rows that were sent, their difference from the manifest, and those that are imported.
fn assert_rows(client: &Client, sent: &Value, difference: &Value, imported: &Value) {
    let manifest = client.progress()["manifest"].clone();
    let of = |figures: &str| &manifest[figures]["counts"];
    assert_eq!((of("sent"), of("difference"), of("imported")), (sent, difference, imported));
}

fn figures(accounts: u64, balance: &str, transactions: u64) -> Value {
    json!({"accounts": accounts, "documents": 0, "ledger_balance": balance, "readings": 0, "transactions": transactions})
}

/// A small account with another balance.
fn account(number: &str, balance: &str) -> Value {
    let mut account = small(number);
    account["ledgers"][0]["ledger_balance"] = json!(balance);
    account["ledgers"][0]["current_statement_transactions"][0]["amount"] = json!(balance);
    account
}

/// Resubmissions, cancels, imports, retries, undos and erasures.
#[test]
fn what_was_sent_is_known_at_any_time() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    assert_eq!(client.get(MANIFEST).code(), (404, "manifest_not_declared".to_owned()));
    installation.run_json(&["supplier", "hold", "ACME"]);
    let declared = client.put_json(MANIFEST, &figures(3, "30.30", 3));
    assert_eq!(declared.status, 200, "{}", declared.text());
    for number in ["A-1", "A-2", "A-3"] {
        assert_eq!(client.create(&small(number)).status, 201);
    }
    let now = manifest(&client);
    assert_eq!((&now["sent"], &now["imported"]), (&figures(3, "30.30", 3), &figures(0, "0.00", 0)));
    assert_eq!(now["difference"], figures(0, "0.00", 0));
    assert_eq!(
        now["imported_difference"],
        json!({"accounts": -3, "documents": 0, "ledger_balance": "-30.30",
        "readings": 0, "transactions": -3})
    );
    // Another payload, the same again, and a cancelled one.
    for _ in 0..2 {
        assert_eq!(client.create(&account("A-1", "-0.0000000001")).status, 201);
    }
    assert_eq!(manifest(&client)["sent"], figures(3, "20.1999999999", 3));
    assert_eq!(client.post(&format!("{CANCEL}A-2/cancel/"), "").status, 200);
    assert_eq!(manifest(&client)["sent"], figures(2, "10.0999999999", 2));
    installation.run_json(&["process", "retry", "ACME", "A-2"]);
    assert_eq!(manifest(&client)["difference"]["ledger_balance"], "-10.1000000001");
    // The difference from the manifest refuses an ordinary release.
    installation.run_json(&installation.releasing(&["--force", "--because", "agreed"]));
    for number in ["A-1", "A-2", "A-3"] {
        client.wait(number, "PROCESSED");
    }
    let now = manifest(&client);
    assert_eq!(now["sent"], now["imported"]);
    // What is added is imported, not sent as part of an account.
    let (path, body) = additions("A-3").into_iter().find(|(path, _)| path.contains("transactions")).unwrap();
    assert_eq!(client.send_json(path, &body).status, 201);
    let after = manifest(&client);
    assert_eq!(after["sent"], now["sent"]);
    assert_ne!(after["imported"], now["imported"]);
    installation.run_json(&[
        "supplier",
        "undo",
        "ACME",
        "--number",
        "A-2",
        "--yes",
        "--because",
        "asked for",
    ]);
    assert_eq!(manifest(&client)["sent"]["accounts"], 2);
    installation.run_json(&["account", "erase", "ACME", "A-3", "--yes", "--because", "asked for"]);
    assert_eq!(manifest(&client)["sent"], figures(1, "-0.0000000001", 1));
}

/// The rows of each table follow what becomes of an account, as the other figures do.
#[test]
fn rows_are_compared_table_by_table() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    installation.run_json(&["supplier", "hold", "ACME"]);
    let mut declared = figures(2, "20.20", 2);
    declared["counts"] = json!({"accounts": 2, "customers": 2, "notes": 1});
    assert_eq!(client.put_json(MANIFEST, &declared).json()["counts"], declared["counts"]);
    let rows = |accounts: u64, notes: u64| json!({"accounts": accounts, "customers": accounts, "ledgers": accounts, "notes": notes, "transactions": accounts});
    let differing =
        |accounts: i64, notes: i64| json!({"accounts": accounts, "customers": accounts, "notes": notes});
    let none = json!({"accounts": 0, "customers": 0, "notes": 0});
    let mut with_notes = small("A-1");
    with_notes["notes"] = json!([{"body": "One."}, {"body": "Two."}]);
    for account in [&with_notes, &small("A-2"), &small("A-3")] {
        assert_eq!(client.create(account).status, 201);
    }
    assert_rows(&client, &rows(3, 2), &differing(1, 1), &none);
    assert_eq!(client.create(&small("A-1")).status, 201);
    assert_rows(&client, &rows(3, 0), &differing(1, -1), &none);
    assert_eq!(client.create(&with_notes).status, 201);
    assert_eq!(client.post(&format!("{CANCEL}A-3/cancel/"), "").status, 200);
    assert_rows(&client, &rows(2, 2), &differing(0, 1), &none);
    let shown = installation.run(&["supplier", "manifest", "ACME"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("rows of notes      1 declared, 2 sent (1), 0 imported"), "{shown}");
    let readiness = installation.run_json(&["supplier", "readiness", "ACME"]);
    let checks = readiness["checks"].as_array().unwrap();
    let detail = &checks.iter().find(|check| check["name"] == "manifest").unwrap()["detail"];
    assert_eq!(detail, "What was sent differs from what is declared: +1 rows of notes.");
    installation.run_json(&installation.releasing(&["--force", "--because", "agreed"]));
    for number in ["A-1", "A-2"] {
        client.wait(number, "PROCESSED");
    }
    assert_rows(&client, &rows(2, 2), &differing(0, 1), &rows(2, 2));
    for (path, body) in additions("A-2") {
        assert!(client.send_json(path, &body).status < 300, "{path}");
    }
    let sum = client.progress()["manifest"]["imported"]["counts"].clone();
    let certificate = client.post("/v2/data-import/import-suppliers/ACME/certificate/", "").json();
    assert_eq!((&certificate["manifest"]["imported"]["counts"], &sum["notes"]), (&sum, &json!(3)));
    installation.run_json(&["account", "erase", "ACME", "A-2", "--yes", "--because", "asked for"]);
    assert_rows(&client, &rows(1, 2), &differing(-1, 1), &rows(1, 2));
    let undo = ["supplier", "undo", "ACME", "--number", "A-1", "--yes", "--because", "asked for"];
    installation.run_json(&undo);
    assert_rows(&client, &none, &differing(-2, -1), &none);
}

#[test]
fn an_operator_sees_and_removes_a_manifest() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let shown = installation.run_json(&["supplier", "manifest", "ACME"]);
    assert_eq!((&shown["manifest"], &shown["sent"]), (&json!(null), &figures(0, "0.00", 0)));
    client.put_json(MANIFEST, &figures(7, "1.50", 2));
    let shown = installation.run_json(&["supplier", "manifest", "ACME"]);
    assert_eq!(shown["manifest"]["difference"]["accounts"], -7);
    let text = installation.run(&["supplier", "manifest", "ACME"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("7 declared, 0 sent (-7), 0 imported"), "{text}");
    installation.run_json(&["supplier", "manifest", "ACME", "--remove"]);
    assert_eq!(client.get(MANIFEST).code(), (404, "manifest_not_declared".to_owned()));
    assert_eq!(manifest(&client), json!(null));
    let trail = installation.run_json(&["audit", "--action", "supplier.remove-manifest"]);
    assert_eq!(trail.as_array().unwrap().len(), 1, "{trail}");
    assert_eq!(installation.run(&["supplier", "manifest", "ACME", "--remove"]).status.code(), Some(1));
}

pub(crate) fn run(
    installation: &Installation,
    server: &Server,
    key: &str,
    words: &[&str],
) -> (Value, Option<i32>) {
    let mut command = Command::new(program());
    command.args(words).arg("--json").current_dir(installation.path());
    command.env("CUTOVER_BASE_URL", format!("http://{}", server.address));
    let output = command.env("CUTOVER_API_KEY", key).env("NO_PROXY", "*").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    (serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{err}")), output.status.code())
}

/// The client counts the files as the service counts what it is sent.
#[test]
fn the_client_declares_what_it_sends() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let mut large = fixture("electricity", "E-1");
    large["import_supplier"] = json!("ACME");
    let lines: Vec<String> =
        [small("A-1"), account("A-2", "-3.125"), large].iter().map(ToString::to_string).collect();
    std::fs::create_dir(installation.path().join("exports")).unwrap();
    std::fs::write(installation.path().join("exports/a.ndjson"), lines.join("\n")).unwrap();
    let (made, code) = run(&installation, &server, &key, &["manifest", "exports"]);
    assert_eq!((&made["declared"], code), (&json!(true), Some(0)), "{made}");
    assert_eq!(manifest(&client)["declared"]["accounts"], 3);
    let (sent, code) = run(&installation, &server, &key, &["upload", "exports"]);
    assert_eq!((&sent["accepted"], code), (&json!(3), Some(0)), "{sent}");
    let now = client.progress()["manifest"].clone();
    assert_eq!(now["sent"], now["declared"], "{now}");
    let (seen, code) = run(&installation, &server, &key, &["watch", "ACME", "--interval", "1"]);
    assert_eq!((&seen["counts"]["PROCESSED"], code), (&json!(3), Some(0)), "{seen}");
    let (report, _) = run(&installation, &server, &key, &["report", "ACME", "exports"]);
    assert_eq!((&report["declared"]["accounts"], &report["declared"]["agrees"]), (&json!(3), &json!(true)));
    assert_eq!(client.progress()["manifest"]["imported"], now["declared"]);
}

/// What is missing and what is too many is named: in the commands, in readiness, and before a supplier is completed.
#[test]
fn accounts_beside_the_declared_numbers_are_named() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("A-1"), small("X-1")]);
    assert_eq!(client.put_json(MANIFEST, &figures(2, "20.20", 2)).status, 200);
    let show = || installation.run_json(&["supplier", "manifest", "ACME"]);
    assert_eq!(show()["account_numbers"], Value::Null);
    let numbers = json!({"part": 1, "is_last": true, "account_numbers": ["A-1", "A-2"]});
    assert_eq!(client.put_json(&format!("{MANIFEST}numbers/"), &numbers).status, 200);
    let expected = json!({"declared": 2, "missing": ["A-2"], "unexpected": ["X-1"]});
    assert_eq!(show()["account_numbers"], expected);
    for (option, number) in [("--missing", "A-2"), ("--unexpected", "X-1")] {
        let listed = installation.run_json(&["supplier", "manifest", "ACME", option]);
        assert_eq!(listed, json!([number]), "{option}");
    }
    let readiness = installation.run_json(&["supplier", "readiness", "ACME"]);
    let checks = readiness["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "manifest").unwrap();
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.contains("A-2") && detail.contains("X-1") && check["level"] == "stop", "{check}");
    let refused = installation.run_refused(&["supplier", "set", "ACME", "--status", "complete"]);
    assert!(refused.contains("1 account of the manifest was not sent (A-2)"), "{refused}");
    // An erased account stays declared: the list is the supplier's.
    installation.run_json(&["account", "erase", "ACME", "A-1", "--yes", "--because", "asked for"]);
    assert_eq!(show()["account_numbers"]["missing"], json!(["A-1", "A-2"]));
}
