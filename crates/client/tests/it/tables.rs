//! Tables as inputs of commands that read accounts.

use crate::harness::{NOW, RunResult, Sandbox, account, fixture_text, gzip, line, zstd};
use crate::stub::Stub;
use crate::upload::{figures, upload};
use serde_json::{Value, json};

/// Three accounts as tables in `in/`: the first one has no faults.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let number = |fixture: &str, number: &str| {
        let mut account: Value = serde_json::from_slice(&line(fixture)).unwrap();
        account["external_account_number"] = number.into();
        account.to_string()
    };
    let accounts = ["valid/unmetered_gas", "faulty/CUS-01-not-a-phone-number", "valid/gas"]
        .into_iter()
        .zip(["A", "B", "C"]);
    let lines = accounts.map(|(fixture, name)| number(fixture, name) + "\n").collect::<String>();
    sandbox.write("sent.ndjson", lines);
    let run = sandbox.run(&["disassemble", "sent.ndjson", "--to", "in"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    sandbox
}

/// Adds a line to a file.
fn add(sandbox: &Sandbox, name: &str, line: &str) {
    sandbox.write(name, sandbox.read(name) + line + "\n");
}

fn validate(sandbox: &Sandbox, arguments: &[&str]) -> RunResult {
    sandbox.validate(&[&["--report", "r.json"], arguments].concat())
}

/// File, line and column of the source of each row of the report, with its code.
fn sources(sandbox: &Sandbox) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let source = |row: Value| {
        let place = ["file", "line", "column"].map(|name| text(&row["source"][name])).join(" ");
        format!("{place} {}", text(&row["code"]))
    };
    sandbox.rows("r.json").into_iter().map(source).collect()
}

#[test]
fn findings_about_accounts_name_file_line_and_column() {
    let sandbox = sandbox();
    let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    let ran = sandbox.validate(&[&["in"], &reports[..]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let rows = sandbox.rows("r.json");
    let found = rows.iter().find(|row| row["code"] == "invalid_phone_number").unwrap();
    let line = found["source"]["line"].as_u64().unwrap();
    let column = found["source"]["column"].as_str().unwrap();
    let customers = sandbox.read("in/customers.csv");
    assert!(customers.lines().nth(line as usize - 1).unwrap().starts_with("B,"), "{customers}");
    assert_eq!(found["attr"], format!("customers.0.{column}"));
    assert_eq!(found["source"]["file"], "in/customers.csv");
    assert_eq!((&found["file"], &found["line"]), (&json!("in/customers.csv"), &json!(line)));
    let place = format!("in/customers.csv:{line}:{column}");
    assert!(ran.out.contains(&place), "{}", ran.out);
    assert!(sandbox.read("r.html").contains(&place));
    let end = format!(",in/customers.csv,{line},{column}\r\n");
    assert!(sandbox.read("r.csv").contains(&end), "{}", sandbox.read("r.csv"));
    let tables = ran.out.lines().find(|line| line.starts_with("Tables")).unwrap();
    assert!(tables.ends_with(" rows, 0 findings"), "{tables}");
}

#[test]
fn what_is_lost_from_tables_is_a_finding_of_the_run() {
    let sandbox = sandbox();
    let accounts = sandbox.read("in/accounts.csv").lines().count();
    let customers = sandbox.read("in/customers.csv").lines().count();
    // A row without an account, a row of an account with the key of another, and a file of no table.
    let columns = |name: &str| sandbox.read(name).lines().next().unwrap().matches(',').count();
    add(&sandbox, "in/customers.csv", &format!("X,1{}", ",".repeat(columns("in/customers.csv") - 1)));
    add(&sandbox, "in/customers.csv", &format!("A,1{}", ",".repeat(columns("in/customers.csv") - 1)));
    sandbox.write("in/staff.csv", "a\n1\n");
    let ran = validate(&sandbox, &["in", "--json", "--rule", "CUS-01=off"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let found = sources(&sandbox);
    let found: Vec<_> = found.iter().filter(|found| !found.starts_with("null")).collect();
    let expected = [
        "in/staff.csv null null unread_file".to_owned(),
        format!("in/customers.csv {} null orphan_row", customers + 1),
        format!("in/customers.csv {} position duplicate_key", customers + 2),
    ];
    assert!(expected.iter().all(|one| found.contains(&one)), "{found:?}");
    // The account that lost a row is faulty; the others are not.
    assert_eq!(ran.counts(), (3, 1));
    assert_eq!(ran.summary()["tables"]["findings"], 3);
    assert!(accounts == 4 && ran.summary()["tables"]["files"].as_u64() > Some(10));
    // The accounts that were made are no file of their own.
    assert_eq!(ran.summary()["files"], ran.summary()["tables"]["files"]);
    let error = ran.summary()["top_errors"][0].clone();
    assert_eq!(error["example"]["source"]["file"], "in/customers.csv");
}

#[test]
fn accounts_as_json_are_read_beside_tables_whatever_their_name() {
    let sandbox = sandbox();
    sandbox.write("in/accounts.more.ndjson", account("N-1"));
    sandbox.write("in/customers.json", account("N-2"));
    let ran = sandbox.validate(&["in", "--json", "--rule", "CUS-01=off"]);
    assert_eq!((ran.code, ran.counts()), (Some(0), (5, 0)), "{}{}", ran.err, ran.out);
    // The rows of a table may be NDJSON too.
    let run = sandbox.run(&["disassemble", "sent.ndjson", "--to", "rows", "--format", "ndjson"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let ran = sandbox.validate(&["rows", "--json", "--rule", "CUS-01=off"]);
    assert_eq!((ran.code, ran.counts()), (Some(0), (3, 0)), "{}{}", ran.err, ran.out);
}

#[test]
fn copies_and_similar_numbers_name_their_rows() {
    let sandbox = sandbox();
    sandbox.write("more.ndjson", [&account("a")[..], b"\n", &account("A")[..]].concat());
    let ran = validate(&sandbox, &["more.ndjson", "in/", "--rule", "CUS-01=off"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = sandbox.rows("r.json");
    let copy = rows.iter().find(|row| row["code"] == "differs_in_input").unwrap();
    assert_eq!(
        copy["source"],
        json!({"file": "in/accounts.csv", "line": 2, "column": "external_account_number"})
    );
    assert!(copy["detail"].as_str().unwrap().contains("more.ndjson, line 2"), "{copy}");
}

#[test]
fn tables_are_uploaded_once() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let ran = upload(&sandbox, &stub, &["in", "--rule", "CUS-01=off", "--report", "r.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    assert_eq!(figures(&ran, ["accounts", "accepted"]), [3, 3]);
    let sent = stub.state().accounts["C"].0.clone();
    let expected: Value = serde_json::from_slice(&fixture_text("valid/gas")).unwrap();
    assert_eq!(sent["customers"], expected["customers"]);
    let again = upload(&sandbox, &stub, &["in", "--rule", "CUS-01=off"]);
    assert_eq!((again.code, figures(&again, ["accepted", "not_sent"])), (Some(0), [3, 0]));
    assert_eq!(again.summary()["in_earlier_runs"]["accepted"], 3);
    let journal = sandbox.read("in.cutover-journal");
    assert!(journal.contains("in/accounts.csv") && !journal.contains("the tables"), "{journal}");
}

#[test]
fn an_account_with_a_finding_is_not_sent() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let customers = sandbox.read("in/customers.csv");
    let row = customers.lines().find(|line| line.starts_with("A,")).unwrap();
    add(&sandbox, "in/customers.csv", row);
    let ran = upload(&sandbox, &stub, &["in", "--rule", "CUS-01=off"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [2, 1]), "{}", ran.out);
    assert!(!stub.state().accounts.contains_key("A"));
    let ran = upload(&sandbox, &stub, &["in", "--rule", "CUS-01=off", "--no-validate"]);
    assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(1), [3]), "{}", ran.out);
}

#[test]
fn a_manifest_is_computed_from_tables_that_lose_nothing() {
    let sandbox = sandbox();
    let manifest = |path| sandbox.run(&["manifest", path, "--offline", "--json"]);
    let (tables, accounts) = (manifest("in"), manifest("sent.ndjson"));
    assert_eq!((tables.code, accounts.code), (Some(0), Some(0)), "{}", tables.err);
    assert_eq!(tables.summary()["manifests"], accounts.summary()["manifests"]);
    sandbox.write("in/staff.csv", "a\n1\n");
    assert_eq!(manifest("in").code, Some(1));
    let text = sandbox.run(&["manifest", "in", "--offline"]).out;
    assert!(text.contains("1 findings about the tables") && text.contains("it is not complete"), "{text}");
}

#[test]
fn a_mapping_and_an_encoding_are_those_of_assemble() {
    let sandbox = sandbox();
    sandbox.write(
        "m.toml",
        "encoding = \"utf-16le\"\n[tables.accounts.columns]\nexternal_account_number = \"NR\"\n",
    );
    let accounts = sandbox.read("in/accounts.csv").replacen("external_account_number", "NR", 1);
    sandbox.write("in/accounts.csv", accounts);
    let arguments = ["in", "--json", "--mapping", "m.toml", "--encoding", "utf-8", "--rule", "CUS-01=off"];
    let ran = validate(&sandbox, &arguments);
    assert_eq!((ran.code, ran.counts()), (Some(0), (3, 0)), "{}{}", ran.err, ran.out);
    let ran = sandbox.run(&["assemble", "in", "--mapping", "m.toml"]);
    assert!(ran.code == Some(1) && ran.err.contains("UTF-16LE"), "{}", ran.err);
    let ran = validate(&sandbox, &["in", "--encoding", "latin-47"]);
    assert!(ran.code == Some(2) && ran.err.contains("no encoding"), "{}", ran.err);
}

#[test]
fn compressed_tables_are_read() {
    let sandbox = sandbox();
    let (accounts, customers) = (sandbox.read("in/accounts.csv"), sandbox.read("in/customers.csv"));
    for name in ["in/accounts.csv", "in/customers.csv"] {
        std::fs::remove_file(sandbox.path(name)).unwrap();
    }
    sandbox.write("in/accounts.csv.gz", gzip(accounts.as_bytes()));
    sandbox.write("in/customers.csv.zst", zstd(customers.as_bytes()));
    let ran = sandbox.validate(&["in", "--json", "--rule", "CUS-01=off"]);
    assert_eq!((ran.code, ran.counts()), (Some(0), (3, 0)), "{}{}", ran.err, ran.out);
    sandbox.write("in/customers.csv.zst", &customers);
    let ran = validate(&sandbox, &["in"]);
    assert!(ran.code == Some(1), "{}", ran.err);
    assert!(sources(&sandbox).contains(&"in/customers.csv.zst null null unreadable_input".to_owned()));
}

/// Rows of lists that only other kinds of meter points have are undocumented members.
#[test]
fn rows_of_another_kind_of_meter_point_are_found_in_their_file() {
    let sandbox = sandbox();
    let meter_points = sandbox.read("in/meter_points.csv");
    let point = meter_points.lines().nth(1).unwrap();
    let number = point.split(',').next().unwrap();
    sandbox.write("in/distributors.csv", format!("external_account_number,lnsp_id\n{number},X\n"));
    let ran = validate(&sandbox, &["in", "--rule", "CUS-01=off"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let found = sources(&sandbox);
    assert!(found.iter().any(|found| found.starts_with("in/distributors.csv 2 ")), "{found:?}");
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// Interrupts a command that reads a table from a pipe, which goes on until nobody reads it.
    fn interrupted(arguments: &[&str]) -> RunResult {
        let sandbox = Sandbox::new();
        assert_eq!(sandbox.shell("mkfifo customers.csv").code, Some(0));
        let mut child = sandbox.command(arguments);
        let child = child.stdin(Stdio::null()).spawn().unwrap();
        let mut pipe = std::fs::OpenOptions::new().write(true).open(sandbox.path("customers.csv")).unwrap();
        pipe.write_all(b"external_account_number,given_name\n").unwrap();
        let rows = "A,Ann\n".repeat(10_000);
        // More than a pipe holds: the program reads, and handles signals.
        (0..20).for_each(|_| pipe.write_all(rows.as_bytes()).unwrap());
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(status.success());
        while pipe.write_all(rows.as_bytes()).is_ok() {}
        child.wait_with_output().unwrap().into()
    }

    #[test]
    fn assembling_ends_with_what_was_read() {
        let ran = interrupted(&["assemble", "customers.csv"]);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        assert!(ran.err.ends_with("; interrupted, so not all of them\n"), "{}", ran.err);
    }

    #[test]
    fn validating_tables_ends_with_a_summary() {
        let ran = interrupted(&["validate", "customers.csv", "--now", NOW]);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        assert!(ran.out.contains("\nInterrupted: "), "{}", ran.out);
    }
}
