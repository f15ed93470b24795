//! Retention: ended processes move to a file.

use crate::harness::{Installation, items, text};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};
use std::fs;

const LATER: &str = "2999-01-01";

fn lines(file: &str) -> Vec<Value> {
    let lines = fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn ended_processes_move_to_a_file() {
    let (installation, _server, client) = Installation::serving();
    let file = installation.path().join("archive.ndjson").display().to_string();
    let archive = ["process", "archive", "--before", LATER, "--to", &file];
    client.create(&small("I-1"));
    client.create(&wrapped("D-1", json!({"is_dry_run": true})));
    client.create(&wrapped("W-1", json!({"schedule_window_start": "2099-01-01T00:00:00Z"})));
    let imported = client.wait("I-1", "PROCESSED");
    client.wait("D-1", "DRY_RUN_SUCCEEDED");
    let (account, history) = (installation.account("I-1"), installation.show("I-1")["history"].clone());

    assert_eq!(installation.run_json(&archive), json!({"archivable": 2}));
    assert!(!fs::exists(&file).unwrap());
    assert_eq!(
        installation.run_json(&["process", "archive", "--before", "2020-01-01", "--to", &file])["archivable"],
        0
    );

    let really = [&archive[..], &["--yes"]].concat();
    assert_eq!(installation.run_json(&really), json!({"archived": 2, "stayed": 0}));
    let found = lines(&file);
    let numbers: Vec<_> = found.iter().map(|line| text(&line["external_account_number"])).collect();
    assert_eq!(numbers, ["I-1", "D-1"]);
    assert_eq!(found[0]["payload"], small("I-1"));
    assert_eq!(found[0]["history"], history);
    assert_eq!(found[0]["service_account_number"], imported["service_identifier"]);
    assert_eq!((&found[1]["status"], &found[1]["version"]), (&json!("DRY_RUN_SUCCEEDED"), &json!(3)));
    assert_eq!(text(&found[1]["fingerprint"]).len(), 64);

    let shown = installation.show("I-1");
    assert!(shown["archived_at"].is_string());
    assert_eq!((items(&shown["history"]).len(), &shown["account"]), (0, &account));
    assert_eq!(client.status("I-1"), imported);
    let refused = installation.run_refused(&["process", "retry", "ACME", "D-1"]);
    assert!(refused.ends_with(": send it again"), "{refused}");

    assert_eq!(client.create(&small("D-1")).status, 201);
    client.wait("D-1", "PROCESSED");
    assert_eq!(installation.show("D-1").get("archived_at"), None);
    assert_eq!(
        installation.run_json(&[&really[..], &["--supplier", "ACME", "--limit", "9"]].concat())["archived"],
        1
    );
    assert_eq!(lines(&file)[2]["version"], 6);
    assert_eq!(installation.run_json(&archive), json!({"archivable": 0}));
}

#[test]
fn other_files_are_not_overwritten() {
    let (installation, _key) = Installation::with_supplier();
    let file = installation.path().join("notes.txt").display().to_string();
    fs::write(&file, "mine").unwrap();
    installation.run_refused(&["process", "archive", "--before", LATER, "--to", &file, "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
