//! Runs: rehearsals, their comparison, and undoing one (contract D15, D18).

use crate::harness::{Client, Installation, items, text, wait_until};
use crate::payloads::{KINDS, fixture, small};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// An account that fails once the rule ACC-04 is an error.
fn faulty(account: &Value) -> Value {
    let mut account = account.clone();
    account["customers"] = json!([]);
    account
}

fn run(installation: &Installation, rest: &[&str]) -> Value {
    installation.run_json(&[&["run"], rest].concat())
}

fn waiting(client: &Client) -> u64 {
    let counts = &client.progress()["counts"];
    ["PENDING", "IN_PROGRESS"].iter().map(|state| counts[state].as_u64().unwrap()).sum()
}

/// Sends accounts in a run of this name, in which ACC-04 is an error of the import.
fn rehearse(installation: &Installation, client: &Client, name: &str, accounts: &[Value]) -> Value {
    installation.run_json(&["supplier", "hold", "ACME"]);
    installation.set(&["--dry-run", "true", "--rule", "ACC-04=default"]);
    run(installation, &["start", "ACME", name]);
    for account in accounts {
        let answer = client.create(account);
        assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.text());
    }
    installation.set(&["--rule", "ACC-04=error"]);
    installation.release(&[]);
    wait_until("all accounts have ended", || waiting(client) == 0);
    run(installation, &["end", "ACME"])
}

fn counts_of(run: &Value) -> [u64; 4] {
    ["PROCESSED", "ERRORED", "DRY_RUN_SUCCEEDED", "DRY_RUN_ERRORED"]
        .map(|state| run["counts"][state].as_u64().unwrap())
}

/// The numbers of a group, in the order of their first create.
fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("A-{n}")).collect()
}

/// The second rehearsal of 240 accounts has planted differences, and the comparison shows exactly those.
#[test]
fn a_comparison_shows_the_planted_differences() {
    let (installation, _server, client) = Installation::serving();
    let account = |n: usize| small(&format!("A-{n}"));
    // Accounts 0 to 11 fail.
    let first: Vec<Value> = (0..240).map(|n| if n < 12 { faulty(&account(n)) } else { account(n) }).collect();
    let a = rehearse(&installation, &client, "one", &first);
    assert_eq!(counts_of(&a), [0, 0, 228, 12]);
    let second = |n: usize| match n {
        // Fixed, and so changed.
        0..5 => Some(account(n)),
        // Broken, and so changed.
        20..23 => Some(faulty(&account(n))),
        // Changed alone.
        30..47 => {
            let mut account = account(n);
            account["ledgers"][0]["ledger_balance"] = json!("11.10");
            account["ledgers"][0]["current_statement_transactions"][0]["amount"] = json!("11.10");
            Some(account)
        }
        // Gone.
        50..57 => None,
        _ if n < 12 => Some(faulty(&account(n))),
        _ => Some(account(n)),
    };
    let accounts: Vec<Value> = (0..251).filter_map(second).collect();
    let b = rehearse(&installation, &client, "two", &accounts);
    assert_eq!(counts_of(&b), [0, 0, 234, 10]);

    let group =
        |numbers: Vec<String>| json!({"count": numbers.len(), "examples": numbers[..numbers.len().min(10)]});
    let changed = [numbers(0..5), numbers(20..23), numbers(30..47)].concat();
    let customers = ["customers", "customers.#.email", "customers.#.family_name", "customers.#.given_name"];
    let amounts = ["ledgers.#.current_statement_transactions.#.amount", "ledgers.#.ledger_balance"];
    let attrs = |number: &String| {
        let attrs = if numbers(30..47).contains(number) { json!(amounts) } else { json!(customers) };
        json!({"external_account_number": number, "attrs": attrs})
    };
    let code = &run(&installation, &["show", "ACME", "one"])["top_errors"][0];
    assert_eq!(code["count"], 12, "{code}");
    let mut expected = json!({
        "new": group(numbers(240..251)),
        "gone": group(numbers(50..57)),
        "changed": group(changed.clone()),
        "fixed": group(numbers(0..5)),
        "broken": group(numbers(20..23)),
        "changed_accounts": changed[..10].iter().map(attrs).collect::<Vec<_>>(),
        "changed_attrs": [
            {"attr": amounts[0], "count": 17},
            {"attr": amounts[1], "count": 17},
            {"attr": customers[0], "count": 8},
            {"attr": customers[1], "count": 8},
            {"attr": customers[2], "count": 8},
            {"attr": customers[3], "count": 8},
        ],
        "codes": [{"code": code["code"], "attr": code["attr"], "a": 12, "b": 10}],
        "totals": {
            "accounts": {"a": 228, "b": 234, "difference": 6},
            "ledger_balance": {"a": "2302.80", "b": "2380.40", "difference": "77.60"},
            "readings": {"a": 0, "b": 0, "difference": 0},
            "transactions": {"a": 228, "b": 234, "difference": 6},
            "documents": {"a": 0, "b": 0, "difference": 0},
        },
    });
    assert_eq!(run(&installation, &["diff", "ACME", "one", "two"]), expected);
    // The supplier sees the same.
    let runs = "/v2/data-import/import-suppliers/ACME/runs/";
    assert_eq!(client.get(&format!("{runs}one/diff/two/")).json(), expected);
    for member in ["counts", "totals", "top_errors", "refused", "rate_per_minute"] {
        assert_eq!(client.get(&format!("{runs}one/")).json()[member], a[member], "{member}");
    }
    let same = run(&installation, &["diff", "ACME", "two", "two"]);
    assert!(["new", "gone", "changed", "fixed", "broken"].iter().all(|of| same[of]["count"] == 0), "{same}");
    expected["new"]["examples"] = json!(numbers(240..251));
    expected["changed"]["examples"] = json!(changed);
    expected["changed_accounts"] = changed.iter().map(attrs).collect();
    assert_eq!(run(&installation, &["diff", "ACME", "one", "two", "--all"]), expected);
    let printed = installation.run(&["run", "diff", "ACME", "one", "two", "--all"]);
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("new 11\n  A-240\n") && printed.contains("ledger balance"), "{printed}");
    assert!(printed.contains("  A-30: ledgers.#.current_statement_transactions.#.amount, "), "{printed}");

    // A dry run writes nothing of an account.
    assert_eq!(client.progress()["totals"]["accounts"], 0);
    let listed = run(&installation, &["list", "ACME"]);
    assert_eq!(listed, json!([b, a]));
    // An erased account leaves the runs.
    installation.run_json(&["account", "erase", "ACME", "A-30", "--yes", "--because", "asked for"]);
    let left = run(&installation, &["diff", "ACME", "one", "two"]);
    assert_eq!(left["changed"]["count"], changed.len() - 1);
    assert_eq!(counts_of(&run(&installation, &["show", "ACME", "two"])), [0, 0, 233, 10]);
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// One run is open at a time, a name is used once, and both are in the audit trail.
#[test]
fn runs_are_started_and_ended_once() {
    let (installation, _server, client) = Installation::serving();
    let refused = |args: &[&str]| installation.run_refused(&[&["run"], args].concat());
    assert!(refused(&["end", "ACME"]).contains("no run"));
    let started = run(&installation, &["start", "ACME", "night 1"]);
    let none = json!({"kinds": 0, "count": 0});
    let mut expected = json!({"name": "night 1", "started_at": started["started_at"], "ended_at": null,
        "counts": {"PROCESSED": 0, "ERRORED": 0, "DRY_RUN_SUCCEEDED": 0, "DRY_RUN_ERRORED": 0},
        "totals": {"accounts": 0, "ledger_balance": "0.00", "readings": 0, "transactions": 0, "documents": 0},
        "top_errors": [], "other_errors": none, "refused": {"accounts": 0, "top_errors": [], "other_errors": none},
        "first_at": null, "last_at": null, "rate_per_minute": "0.0"});
    assert_eq!(started, expected);
    assert!(refused(&["start", "ACME", "night 2"]).contains("night 1"));
    client.create(&small("A-1"));
    client.wait("A-1", "PROCESSED");
    let ended = run(&installation, &["end", "ACME"]);
    for member in ["ended_at", "first_at", "last_at", "rate_per_minute"] {
        assert!(ended[member].is_string(), "{ended}");
        expected[member] = ended[member].clone();
    }
    expected["counts"]["PROCESSED"] = json!(1);
    expected["totals"] =
        json!({"accounts": 1, "ledger_balance": "10.10", "readings": 0, "transactions": 1, "documents": 0});
    assert_eq!(ended, expected);
    assert_eq!(run(&installation, &["show", "ACME", "night 1"]), expected);
    // Nothing is kept without an open run.
    client.create(&small("A-2"));
    client.wait("A-2", "PROCESSED");
    assert_eq!(run(&installation, &["show", "ACME", "night 1"]), expected);
    assert!(refused(&["start", "ACME", "night 1"]).contains("exists"));
    assert!(refused(&["start", "ACME", " "]).contains("1 to 100"));
    assert!(refused(&["show", "ACME", "night 9"]).contains("night 9"));
    assert!(refused(&["diff", "ACME", "night 1", "night 9"]).contains("night 9"));
    for command in [&["start", "NOBODY", "x"][..], &["end", "NOBODY"], &["list", "NOBODY"]] {
        assert!(refused(command).contains("NOBODY"));
    }
    for action in ["run.start", "run.end"] {
        let trail = installation.run_json(&["audit", "--action", action]);
        assert_eq!((items(&trail).len(), &trail[0]["detail"]["run"]), (1, &json!("night 1")));
    }
}

fn undo(installation: &Installation, rest: &[&str]) -> Value {
    installation.run_json(&[&["supplier", "undo", "ACME"], rest].concat())
}

/// The imports of a run are undone, not those before, after or again since.
#[test]
fn the_imports_of_a_run_are_undone() {
    let (installation, _server, client) = Installation::serving();
    let import = |number: &str| {
        assert_eq!(client.create(&small(number)).status, 201);
        client.wait(number, "PROCESSED");
    };
    import("BEFORE");
    run(&installation, &["start", "ACME", "night"]);
    ["A-1", "A-2", "A-3"].iter().for_each(|number| import(number));
    undo(&installation, &["--number", "A-1", "--yes", "--because", "asked for"]);
    // An account that is undone during a run has no outcome in it.
    assert_eq!(counts_of(&run(&installation, &["show", "ACME", "night"])), [2, 0, 0, 0]);
    run(&installation, &["end", "ACME"]);
    run(&installation, &["start", "ACME", "day"]);
    undo(&installation, &["--number", "A-2", "--yes", "--because", "asked for"]);
    ["A-1", "A-2"].iter().for_each(|number| import(number));
    let night = undo(&installation, &["--run", "night"]);
    assert_eq!(night["undo"], json!({"count": 1, "examples": ["A-3"]}));
    assert_eq!(undo(&installation, &["--run", "day"])["undo"]["count"], 2);
    let undone = undo(&installation, &["--run", "night", "--yes", "--because", "asked for"]);
    assert_eq!(undone, json!({"undone": 1, "kept": 0, "failed": 0}));
    for (number, status) in [("BEFORE", "PROCESSED"), ("A-1", "PROCESSED"), ("A-3", "CANCELLED")] {
        assert_eq!(client.status(number)["status"], status, "{number}");
    }
    // An ended run stays as it was.
    assert_eq!(counts_of(&run(&installation, &["show", "ACME", "night"])), [2, 0, 0, 0]);
    let undone = undo(&installation, &["--run", "day", "--yes", "--because", "asked for"]);
    assert_eq!(undone, json!({"undone": 2, "kept": 0, "failed": 0}));
    assert_eq!(counts_of(&run(&installation, &["show", "ACME", "day"])), [0, 0, 0, 0]);
    let jobs = installation.run_json(&["job", "list"]);
    assert_eq!(jobs[0]["run"], "day");
    let trail = installation.run_json(&["audit", "--action", "supplier.undo"]);
    assert_eq!(trail[0]["detail"]["run"], "day");
    let missing = installation.run_refused(&["supplier", "undo", "ACME", "--run", "noon"]);
    assert!(missing.contains("noon"), "{missing}");
    assert_eq!(installation.failed_checks(), [""; 0]);
}

/// A wave can be undone after the release that ended it.
#[test]
fn the_imports_of_a_wave_are_undone() {
    let (installation, _server, client) = Installation::serving();
    installation.set(&["--waves", "3,2,rest"]);
    for n in 0..9 {
        assert_eq!(client.create(&small(&format!("W-{n}"))).status, 201);
    }
    let imported = |count: u64| {
        wait_until("the wave has ended", || client.progress()["counts"]["PROCESSED"] == count);
    };
    let held = || !client.progress()["hold"].is_null();
    for count in [3, 5] {
        imported(count);
        wait_until("the supplier is held", held);
        installation.release(&[]);
    }
    imported(9);
    let mut all = Vec::new();
    for (wave, count) in [("1", 3), ("2", 2), ("3", 4)] {
        let shown = undo(&installation, &["--wave", wave]);
        assert_eq!(shown["undo"]["count"], count, "wave {wave}: {shown}");
        all.extend(items(&shown["undo"]["examples"]).iter().map(text));
    }
    all.sort();
    assert_eq!(all, (0..9).map(|n| format!("W-{n}")).collect::<Vec<_>>());
    let second: Vec<String> =
        items(&undo(&installation, &["--wave", "2"])["undo"]["examples"]).iter().map(text).collect();
    let undone = undo(&installation, &["--wave", "2", "--yes", "--because", "asked for"]);
    assert_eq!(undone, json!({"undone": 2, "kept": 0, "failed": 0}));
    for n in 0..9 {
        let number = format!("W-{n}");
        let expected = if second.contains(&number) { "CANCELLED" } else { "PROCESSED" };
        assert_eq!(client.status(&number)["status"], expected, "{number}");
    }
    assert_eq!(installation.run_json(&["job", "list"])[0]["wave"], 2);
    // New waves begin with the first one, which has imported nothing yet.
    installation.set(&["--waves", "1,rest"]);
    assert_eq!(undo(&installation, &["--wave", "1"])["undo"]["count"], 0);
    installation.set(&["--waves", "none"]);
    assert_eq!(undo(&installation, &["--wave", "3"])["undo"]["count"], 4);
    let missing = installation.run_refused(&["supplier", "undo", "ACME", "--wave", "4"]);
    assert!(missing.contains("wave"), "{missing}");
}

fn what_if(installation: &Installation, rest: &[&str]) -> Value {
    installation.run_json(&[&["supplier", "what-if", "ACME"], rest].concat())
}

/// The faulty fixtures that are accepted, because their findings are warnings.
fn accepted_fixtures(client: &Client) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/faulty");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut accepted = Vec::new();
    for (n, file) in files.iter().enumerate() {
        let Ok(mut account) = serde_json::from_slice::<Value>(&fs::read(file).unwrap()) else { continue };
        if !account["external_account_number"].is_string() {
            continue;
        }
        account["import_supplier"] = json!("ACME");
        account["external_account_number"] = json!(format!("F-{n}"));
        if client.create(&account).status == 201 {
            accepted.push(format!("F-{n}"));
        }
    }
    accepted
}

fn by_cause(entries: &Value) -> BTreeMap<String, u64> {
    let cause =
        |entry: &Value| (format!("{} {}", entry["code"], entry["attr"]), entry["count"].as_u64().unwrap());
    items(entries).iter().map(cause).collect()
}

/// A check of what is stored says what a dry run under the same settings decides.
#[test]
fn what_if_agrees_with_a_dry_run() {
    let (installation, _server, client) = Installation::serving();
    // The meter points of the others are taken by this account.
    assert_eq!(client.create(&fixture("electricity", "TAKER")).status, 201);
    client.wait("TAKER", "PROCESSED");
    installation.set(&["--dry-run", "true"]);
    installation.run_json(&["supplier", "hold", "ACME"]);
    let mut sent: Vec<String> = Vec::new();
    for (kind, _) in KINDS {
        assert_eq!(client.create(&fixture(kind, &format!("V-{kind}"))).status, 201);
        sent.push(format!("V-{kind}"));
    }
    sent.extend(accepted_fixtures(&client));
    assert!(sent.len() > 12, "{sent:?}");
    let mut rules: Vec<String> = Vec::new();
    for number in &sent {
        let issues = client.get(&format!("/v2/data-import/accounts/ACME/{number}/issues/")).json();
        rules.extend(
            items(&issues["warnings"]).iter().map(|warning| format!("{}=error", text(&warning["rule"]))),
        );
    }
    rules.push("PST-12=error".to_owned());
    rules.sort();
    rules.dedup();
    let levels: Vec<&str> = rules.iter().flat_map(|rule| ["--rule", rule]).collect();

    let calm = what_if(&installation, &[]);
    assert_eq!((&calm["checked"], &calm["failing"]), (&json!(sent.len() + 1), &json!(0)), "{calm}");
    let strict = what_if(&installation, &levels);
    assert_eq!(strict["not_kept"], 0);
    assert_eq!(strict["newly_failing"]["count"], strict["failing"]);
    assert_eq!(what_if(&installation, &levels), strict, "it changes nothing");
    assert_eq!(client.status("V-electricity")["status"], "PENDING");

    installation.set(&levels);
    run(&installation, &["start", "ACME", "strict"]);
    installation.release(&[]);
    wait_until("all accounts have ended", || waiting(&client) == 0);
    let dry = run(&installation, &["end", "ACME"]);
    let failed = dry["counts"]["DRY_RUN_ERRORED"].as_u64().unwrap();
    assert!(failed > 3, "{dry}");
    // The account that was imported passes both.
    assert_eq!(
        (&strict["failing"], &strict["passing"]),
        (&json!(failed), &json!(sent.len() as u64 + 1 - failed))
    );
    let causes = by_cause(&strict["codes"]);
    for (cause, count) in by_cause(&dry["top_errors"]) {
        assert_eq!(causes.get(&cause), Some(&count), "{cause}");
    }
    for of in items(&strict["codes"]) {
        for number in items(&of["examples"]) {
            let issues =
                client.get(&format!("/v2/data-import/accounts/ACME/{}/issues/", text(number))).json();
            let found = items(&issues["errors"]).iter().any(|error| error["code"] == of["code"]);
            assert!(found, "{of} {issues}");
        }
    }

    // Back to the levels of before, from a file.
    let same = what_if(&installation, &[]);
    assert_eq!((&same["failing"], &same["newly_failing"]["count"]), (&json!(failed), &json!(0)));
    let profile = installation.path().join("profile.json");
    fs::write(&profile, r#"{"code": "ACME", "time_zone": "Australia/Sydney", "rules": {}}"#).unwrap();
    let profile = profile.to_str().unwrap();
    let relaxed = what_if(&installation, &["--profile", profile]);
    assert_eq!((&relaxed["failing"], &relaxed["newly_passing"]["count"]), (&json!(0), &json!(failed)));
    let early = what_if(&installation, &["--profile", profile, "--now", "2001-01-01"]);
    assert!(early["failing"].as_u64().unwrap() > 0, "dates of the payloads lie in the future then: {early}");
    let refused =
        |rest: &[&str]| installation.run_refused(&[&["supplier", "what-if", "ACME"], rest].concat());
    assert!(refused(&["--rule", "NONE-01=error"]).contains("NONE-01"));
    assert!(refused(&["--rule", "STR-01=off"]).contains("fixed"));
    assert!(refused(&["--profile", "/nowhere.json"]).contains("nowhere"));
}

/// Archived accounts are counted, and documents are looked up if the supplier verifies them.
#[test]
fn what_if_counts_archived_accounts_and_looks_documents_up() {
    let accounts: Vec<Value> = (0..5).map(|n| small(&format!("A-{n}"))).collect();
    let (installation, _server, client) = Installation::with_accounts(&accounts);
    let archive = installation.path().join("archive.ndjson");
    let before = ["process", "archive", "--before", "2999-01-01", "--to", archive.to_str().unwrap(), "--yes"];
    let archived = installation.run(&before);
    assert!(archived.status.success(), "{}", String::from_utf8_lossy(&archived.stderr));
    assert_eq!(client.create(&crate::payloads::documented("D-1")).status, 201);
    client.wait("D-1", "PROCESSED");
    let shown = what_if(&installation, &[]);
    assert_eq!((&shown["checked"], &shown["not_kept"], &shown["failing"]), (&json!(1), &json!(5), &json!(0)));
    let profile = installation.path().join("profile.json");
    fs::write(&profile, r#"{"verify_documents": true}"#).unwrap();
    let shown = what_if(&installation, &["--profile", profile.to_str().unwrap()]);
    assert_eq!((&shown["checked"], &shown["failing"]), (&json!(1), &json!(1)), "{shown}");
}
