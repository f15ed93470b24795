//! Bulk operations as jobs (contract D14).

use crate::harness::{Installation, items, text, wait_until};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};
use std::fs;

/// Sends accounts that wait for years.
fn pending(client: &crate::harness::Client, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let window = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
        client.create(&wrapped(&format!("P-{number}"), window));
    }
}

#[test]
fn processes_are_counted_and_then_changed() {
    let (installation, _server, client) = Installation::serving();
    pending(&client, 0..120);
    client.create(&small("I-1"));
    client.wait("I-1", "PROCESSED");
    let cancel = ["process", "cancel", "ACME"];
    assert_eq!(installation.run_json(&cancel), json!({"matched": 120}));
    assert_eq!(client.status("P-0")["status"], "PENDING");
    let numbers = installation.path().join("numbers").display().to_string();
    fs::write(&numbers, "P-0\nI-1\n\nP-1\nP-0\nNOBODY\n").unwrap();
    let listed = [&cancel[..], &["--numbers-file", &numbers]].concat();
    for rest in [&[][..], &["--yes"]] {
        let refused = installation.run_refused(&[&listed[..], rest].concat());
        assert_eq!(refused, "error: ACME has no account with the number \"NOBODY\"");
    }
    fs::write(&numbers, "P-0\nI-1\n\nP-1\nP-0\n").unwrap();
    assert_eq!(installation.run_json(&listed), json!({"matched": 3}));
    let counts = installation.run_json(&[&listed[..], &["--yes"]].concat());
    assert_eq!(counts, json!({"matched": 3, "changed": 2, "skipped": 1}));
    assert_eq!(client.status("P-0")["status"], "CANCELLED");

    let counts = installation.run_json(&[&cancel[..], &["--yes"]].concat());
    assert_eq!(counts, json!({"matched": 118, "changed": 118, "skipped": 0}));
    let retry = ["process", "retry", "ACME", "--status", "CANCELLED", "--before", "2999-01-01"];
    assert_eq!(installation.run_json(&retry), json!({"matched": 120}));
    let counts = installation.run_json(&[&retry[..], &["--yes"]].concat());
    assert_eq!(counts, json!({"matched": 120, "changed": 120, "skipped": 0}));

    let jobs = installation.run_json(&["job", "list"]);
    let of = |member: &str| items(&jobs).iter().map(|job| job[member].clone()).collect::<Vec<Value>>();
    assert_eq!(of("kind"), ["process.retry", "process.cancel", "process.cancel"]);
    assert_eq!(of("state"), ["done", "done", "done"]);
    let id = text(&jobs[0]["id"]);
    assert_eq!(installation.run_json(&["job", "show", &id]), jobs[0]);
    assert_eq!(installation.run_refused(&["job", "stop", &id]), "error: the job has ended");
    assert!(installation.run_refused(&["job", "show", "job_0"]).contains("job_0"));
    let trail = installation.run_json(&["audit", "--action", "process.cancel"]);
    assert_eq!(items(&trail).len(), 2);
    assert_eq!(trail[0]["detail"]["changed"], 118);
}

#[test]
fn several_accounts_can_be_named() {
    let (installation, _server, client) = Installation::serving();
    pending(&client, 0..3);
    let both = installation.run_json(&["process", "cancel", "ACME", "P-0", "P-1"]);
    assert_eq!(items(&both).len(), 2);
    assert_eq!(both[1]["status"], "CANCELLED");
    let partly = installation.run(&["process", "cancel", "ACME", "P-0", "P-2"]);
    assert_eq!(partly.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&partly.stderr).starts_with("P-0: "));
    assert_eq!(client.status("P-2")["status"], "CANCELLED");
    let usage = installation.run(&["process", "cancel", "ACME", "P-0", "--status", "PENDING"]);
    assert_eq!(usage.status.code(), Some(2));
    let refused = installation.run_refused(&["process", "retry", "ACME", "--status", "PROCESSED"]);
    assert!(refused.contains("PROCESSED"), "{refused}");
}

/// The command is killed in the middle of a batch; the server takes the job over once the lease has ended.
#[test]
fn a_job_survives_the_end_of_its_command() {
    let (mut installation, _server, client) = Installation::serving();
    pending(&client, 0..250);
    installation.set_variable("FAILPOINTS", "job_batch_done=1*off->return(|abort)");
    let killed = installation.run(&["process", "cancel", "ACME", "--yes"]);
    assert!(!killed.status.success());
    installation.set_variable("FAILPOINTS", "");
    wait_until("the server ends the job", || installation.run_json(&["job", "list"])[0]["state"] == "done");
    let job = &installation.run_json(&["job", "list"])[0];
    assert_eq!((&job["matched"], &job["changed"], &job["skipped"]), (&json!(250), &json!(250), &json!(0)));
    let trail = installation.run_json(&["audit", "--action", "process.cancel"]);
    assert_eq!(items(&trail).len(), 1);
    let history = installation.show("P-0")["history"].clone();
    assert_eq!(items(&history).len(), 2, "{history}");
}

/// Text has times in the zone that the suppliers share, else in UTC, and names it; JSON has UTC.
#[test]
fn texts_of_several_suppliers_name_their_zone() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    pending(&server.client(&key), 0..1);
    installation.run_json(&["supplier", "set", "ACME", "--time-zone", "Australia/Brisbane"]);
    installation.run_json(&["process", "cancel", "ACME", "--yes"]);
    let said = |args: &[&str]| String::from_utf8(installation.run(args).stdout).unwrap();
    let job = text(&installation.run_json(&["job", "list"])[0]["id"]);
    for list in [&["job", "list"][..], &["audit"], &["audit", "--supplier", "ACME"], &["job", "show", &job]] {
        let said = said(list);
        assert!(said.contains("Australia/Brisbane") && said.contains("+10:00"), "{said}");
    }
    let add = ["supplier", "add", "WEST", "--organisation", "Acme", "--time-zone", "Australia/Perth"];
    installation.run_json(&add);
    for list in [&["job", "list"][..], &["audit"]] {
        let said = said(list);
        assert!(said.contains("(UTC)") && !said.contains("+10:00"), "{said}");
    }
    assert!(said(&["job", "show", &job]).contains("+10:00"), "that of its supplier");
    let created = text(&installation.run_json(&["job", "show", &job])["created_at"]);
    assert!(created.ends_with("+00:00"), "{created}");
}
