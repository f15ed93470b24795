//! Undoing imports (contract D18).

use crate::after_import::additions;
use crate::harness::{Client, Installation, items, text, wait_until};
use crate::payloads::{KINDS, fixture, small, wrapped};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use serde_json::{Value, json};
use std::fs;

const IMPORTED: &str = "/v2/data-import/imported-accounts/ACME/";

fn undo(installation: &Installation, rest: &[&str]) -> Value {
    installation.run_json(&[&["supplier", "undo", "ACME"], rest].concat())
}

/// The numbers of all accounts that are streamed.
fn streamed(reader: &Client) -> Vec<String> {
    let lines = reader.get(IMPORTED);
    let lines =
        lines.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>();
    let numbers = lines.iter().filter_map(|line| line["account"]["external_account_number"].as_str());
    numbers.map(str::to_owned).collect()
}

#[test]
fn unchanged_accounts_are_undone_and_the_others_are_kept() {
    let accounts: Vec<Value> = (1..=5).map(|n| small(&format!("A-{n}"))).collect();
    let (installation, server, client) = Installation::with_accounts(&accounts);
    let reader = server.client(&installation.reader_key());
    let (path, body) = additions("A-2")[0].clone();
    assert_eq!(client.send_json(path, &body).status, 201);
    for _ in 0..2 {
        let billed = reader.post(&format!("{IMPORTED}A-3/billed/"), "");
        assert_eq!((billed.status, billed.json()), (200, json!({})));
    }
    let shown = undo(&installation, &["--since", "2020-01-01"]);
    let expected = json!({
        "undo": {"count": 3, "examples": ["A-1", "A-4", "A-5"]},
        "kept": {"count": 2, "reasons": [
            {"reason": "account_already_billed", "count": 1, "examples": ["A-3"]},
            {"reason": "account_changed", "count": 1, "examples": ["A-2"]},
        ]},
        "unknown": {"count": 0, "examples": []},
    });
    let mut sorted = shown.clone();
    let examples = sorted["undo"]["examples"].as_array_mut().unwrap();
    examples.sort_by_key(|number| number.as_str().unwrap().to_owned());
    assert_eq!(sorted, expected);
    assert_eq!(client.status("A-1")["status"], "PROCESSED", "nothing is changed without --yes");

    let before = client.status("A-1")["service_identifier"].clone();
    let counts = undo(
        &installation,
        &["--number", "A-1", "A-2", "--number", "A-3", "--yes", "--because", "asked for"],
    );
    assert_eq!(counts, json!({"undone": 1, "kept": 2, "failed": 0}));
    let status = client.status("A-1");
    assert_eq!((&status["status"], &status["service_identifier"]), (&json!("CANCELLED"), &Value::Null));
    assert_eq!(reader.get(&format!("{IMPORTED}A-1/")).status, 404);
    assert_eq!(reader.post(&format!("{IMPORTED}A-1/billed/"), "").status, 404);
    let mut left = streamed(&reader);
    left.sort();
    assert_eq!(left, ["A-2", "A-3", "A-4", "A-5"]);
    assert_eq!(client.progress()["totals"]["accounts"], 4);
    assert_eq!(installation.history("ACME", "A-1").last().unwrap(), "undone");

    assert_eq!(client.create(&small("A-1")).status, 201);
    let again = client.wait("A-1", "PROCESSED");
    assert_ne!(again["service_identifier"], before);
    let numbers = installation.path().join("numbers");
    fs::write(&numbers, "A-1\nA-4\n").unwrap();
    let counts = undo(
        &installation,
        &["--numbers-file", numbers.to_str().unwrap(), "--yes", "--because", "asked for"],
    );
    assert_eq!(counts, json!({"undone": 2, "kept": 0, "failed": 0}));

    let events =
        reader.get("/v2/data-import/events/?type=account_import_process.undone,account.billed").json();
    let line = |event: &Value| {
        let word = event["type"].as_str().unwrap().rsplit('.').next().unwrap();
        format!("{} {word}", event["external_account_number"].as_str().unwrap())
    };
    let mut lines: Vec<_> = items(&events).iter().map(line).collect();
    lines[2..].sort();
    assert_eq!(lines, ["A-3 billed", "A-1 undone", "A-1 undone", "A-4 undone"]);
    let first = items(&events).iter().find(|event| line(event) == "A-1 undone").unwrap();
    assert_eq!(first["service_account_number"], before);

    let trail = installation.run_json(&["audit", "--action", "supplier.undo"]);
    assert_eq!((items(&trail).len(), &trail[0]["detail"]["undone"]), (2, &json!(2)));
    let jobs = installation.run_json(&["job", "list"]);
    assert_eq!((&jobs[0]["kind"], &jobs[0]["state"]), (&json!("supplier.undo"), &json!("done")));
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// One account is undone, another one cancelled. Lists, counts and retries tell them apart.
#[test]
fn what_was_undone_is_told_from_what_was_cancelled() {
    let (installation, _server, client) = Installation::with_accounts(&[small("A-1"), small("A-2")]);
    let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
    assert_eq!(client.create(&wrapped("B-1", later)).status, 201);
    installation.run_json(&["process", "cancel", "ACME", "B-1"]);
    undo(&installation, &["--number", "A-1", "--yes", "--because", "wrong tariffs"]);
    let list = |rest: &[&str]| {
        let listed = installation.run_json(&[&["process", "list", "ACME"], rest].concat());
        items(&listed).iter().map(|item| text(&item["external_account_number"])).collect::<Vec<_>>()
    };
    assert_eq!(list(&["--undone"]), ["A-1"]);
    assert_eq!(list(&["--status", "CANCELLED", "--undone=false"]), ["B-1"]);
    assert_eq!(list(&["--undone=false"]), ["A-2", "B-1"]);
    assert_eq!(list(&["--status", "CANCELLED"]), ["A-1", "B-1"]);
    let shown = installation.run(&["process", "list", "ACME", "--undone"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.lines().any(|line| line.contains("A-1") && line.contains("Undone")), "{shown}");
    let progress = client.progress();
    assert_eq!((&progress["counts"]["CANCELLED"], &progress["undone"]), (&json!(2), &json!(1)));

    let retry = |rest: &[&str]| installation.run_json(&[&["process", "retry", "ACME"], rest].concat());
    assert_eq!(retry(&["--status", "CANCELLED"]), json!({"matched": 1}));
    assert_eq!(retry(&["--undone"]), json!({"matched": 1}));
    assert_eq!(retry(&["--status", "CANCELLED", "--yes"])["changed"], 1);
    assert_eq!(
        (&client.status("B-1")["status"], list(&["--undone"])),
        (&json!("PENDING"), vec!["A-1".into()])
    );
    assert_eq!(retry(&["--undone", "--yes"])["changed"], 1);
    client.wait("A-1", "PROCESSED");
    assert_eq!((list(&["--undone"]), client.progress()["undone"].clone()), (vec![], json!(0)));
    let jobs = installation.run_json(&["job", "list"]);
    let undone: Vec<_> = items(&jobs).iter().map(|job| job["undone"].clone()).collect();
    assert_eq!(undone, [json!(true), json!(false), Value::Null]);
    assert_eq!(jobs[2]["because"], "wrong tariffs");
    for refused in [
        &["--undone", "--status", "ERRORED"][..],
        &["--undone", "--error-code", "required", "--status", "PENDING"],
    ] {
        installation.run_refused(&[&["process", "retry", "ACME"], refused].concat());
    }
    installation.run_refused(&["process", "cancel", "ACME", "--undone"]);
}

/// Accounts of every kind, with all that an account can have.
#[test]
fn an_account_that_is_undone_and_sent_again_is_like_one_that_was_not() {
    let accounts: Vec<Value> = KINDS.iter().map(|(kind, _)| fixture(kind, &format!("U-{kind}"))).collect();
    let (installation, server, client) = Installation::with_accounts(&accounts);
    let reader = server.client(&installation.reader_key());
    let seen = || {
        let read = |account: &Value| {
            let number = account["external_account_number"].as_str().unwrap();
            let mut seen = reader.get(&format!("{IMPORTED}{number}/")).json();
            seen.as_object_mut().unwrap().remove("service_account_number");
            let issues = client.get(&format!("/v2/data-import/accounts/ACME/{number}/issues/")).json();
            (seen, issues["warnings"].clone())
        };
        accounts.iter().map(read).collect::<Vec<_>>()
    };
    let totals = || client.progress()["totals"].clone();
    let (before, totals_before) = (seen(), totals());
    let counts = undo(&installation, &["--since", "2020-01-01", "--yes", "--because", "asked for"]);
    assert_eq!(counts, json!({"undone": accounts.len(), "kept": 0, "failed": 0}));
    assert_eq!((&totals()["accounts"], &totals()["readings"]), (&json!(0), &json!(0)));
    for account in &accounts {
        assert_eq!(client.create(account).status, 201, "{account}");
    }
    for account in &accounts {
        client.wait(account["external_account_number"].as_str().unwrap(), "PROCESSED");
    }
    for (after, before) in seen().iter().zip(&before) {
        assert_eq!(without_times(&after.0), without_times(&before.0));
        assert_eq!(after.1, before.1);
    }
    assert_eq!(totals(), totals_before);
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// Notes without a time get that of their import.
fn without_times(account: &Value) -> Value {
    let mut account = account.clone();
    for note in account["notes"].as_array_mut().into_iter().flatten() {
        note.as_object_mut().unwrap().remove("created_at");
    }
    account
}

/// The command is killed at each point of a batch; the server takes the job over once the lease has ended.
#[test]
fn an_undo_survives_the_end_of_its_command() {
    let numbers: Vec<String> = (0..70).map(|n| format!("K-{n}")).collect();
    let accounts: Vec<Value> = numbers.iter().map(|number| small(number)).collect();
    let (mut installation, _server, client) = Installation::with_accounts(&accounts);
    for order in
        ["event_written=return(undone|abort)", "job_stepped=return(|abort)", "job_batch_done=return(|abort)"]
    {
        installation.set_variable("FAILPOINTS", order);
        let killed = installation.run(&[
            "supplier",
            "undo",
            "ACME",
            "--since",
            "2020-01-01",
            "--yes",
            "--because",
            "asked for",
        ]);
        assert!(!killed.status.success());
        installation.set_variable("FAILPOINTS", "");
        // The server may have begun: whatever it has done, batches of 50 are whole or gone.
        let whole = client.progress()["totals"]["accounts"].clone();
        assert!([70, 20, 0].contains(&whole.as_u64().unwrap()), "{order}: {whole}");
        wait_until("the server ends the job", || {
            installation.run_json(&["job", "list"])[0]["state"] == "done"
        });
        let job = &installation.run_json(&["job", "list"])[0];
        assert_eq!(
            (&job["matched"], &job["changed"], &job["failed"]),
            (&json!(70), &json!(70), &json!(0)),
            "{order}"
        );
        for number in &numbers {
            assert_eq!(client.create(&small(number)).status, 201, "{order}");
        }
        numbers.iter().for_each(|number| drop(client.wait(number, "PROCESSED")));
        assert_eq!(client.progress()["totals"]["accounts"], 70);
    }
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// Changes rows of the database behind the program's back.
fn change_rows(installation: &Installation, statement: &str) {
    if installation.is_on_postgres() {
        installation.sql(statement);
        return;
    }
    let file = installation.path().join("cutover.db");
    let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    conn.batch_execute(statement).unwrap();
}

/// One account that cannot be read costs no other account its undo.
#[test]
fn an_account_that_cannot_be_undone_is_counted() {
    let accounts: Vec<Value> = (1..=5).map(|n| small(&format!("A-{n}"))).collect();
    let (installation, server, client) = Installation::with_accounts(&accounts);
    let break_it = "UPDATE ledgers SET balance = 'x' WHERE account_id = \
                    (SELECT id FROM accounts WHERE external_account_number = 'A-3')";
    change_rows(&installation, break_it);
    let output = installation.run(&[
        "supplier",
        "undo",
        "ACME",
        "--since",
        "2020-01-01",
        "--yes",
        "--because",
        "asked for",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts, json!({"undone": 4, "kept": 0, "failed": 1}));
    assert_eq!(client.status("A-3")["status"], "PROCESSED");
    drop(server);
}

#[test]
fn an_undo_needs_a_selection() {
    let (installation, _) = Installation::with_supplier();
    let without_reason = ["--since", "2026-01-01", "--yes"];
    for rest in [&[][..], &["--yes"], &without_reason, &["--since", "2026-01-01", "--number", "A-1"]] {
        let output = installation.run(&[&["supplier", "undo", "ACME"], rest].concat());
        assert_eq!(output.status.code(), Some(2), "{rest:?}");
    }
    let refused = installation.run_refused(&["supplier", "undo", "NOBODY", "--since", "2026-01-01"]);
    assert!(refused.contains("NOBODY"), "{refused}");
    for rest in [&[][..], &["--yes", "--because", "asked for"]] {
        let named = ["supplier", "undo", "ACME", "--number", "none-such"];
        let refused = installation.run_refused(&[&named[..], rest].concat());
        assert_eq!(refused, "error: ACME has no account with the number \"none-such\"");
        for (option, name) in [("--run", "no-run"), ("--wave", "7")] {
            let refused =
                installation.run_refused(&[&["supplier", "undo", "ACME", option, name], rest].concat());
            assert!(refused.contains(name), "{refused}");
        }
    }
}

/// A copy in another system, made by exports, loses undone accounts.
#[test]
fn an_export_names_accounts_that_were_undone() {
    let accounts: Vec<Value> = (1..=3).map(|n| small(&format!("A-{n}"))).collect();
    let (installation, _server, client) = Installation::with_accounts(&accounts);
    let export = |name: &str, rest: &[&str]| -> Value {
        let folder = installation.path().join(name);
        let to = folder.to_str().unwrap().to_owned();
        installation.run_json(&[&["export", "ACME", "--to", &to, "--format", "ndjson"], rest].concat());
        serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
    };
    let first = export("first", &[]);
    undo(&installation, &["--number", "A-1", "A-2", "--yes", "--because", "asked for"]);
    assert_eq!(client.create(&small("A-2")).status, 201);
    client.wait("A-2", "PROCESSED");
    let second = export("second", &["--after", &text(&first["events_after"])]);
    assert_eq!((&second["erased"], &second["accounts"]), (&json!(["A-1"]), &json!(1)));
}
