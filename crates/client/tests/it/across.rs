//! Findings over many accounts.

use crate::harness::{NOW, RunResult, Sandbox, account, line};
use crate::stub::Stub;
use serde_json::Value;

/// The day that accounts share.
const SHARED: &str = "1985-05-05";

/// Accounts of which the first `shared` have the same date of birth, and each other one a date of its own.
fn accounts(all: u32, shared: u32) -> Vec<Vec<u8>> {
    let born = |n: u32| match n < shared {
        true => SHARED.to_owned(),
        false => format!("{}-{:02}-{:02}", 1950 + n / 336, n / 28 % 12 + 1, n % 28 + 1),
    };
    let one = |n: u32| {
        let mut value: Value = serde_json::from_slice(&account(&format!("N-{n}"))).unwrap();
        value["customers"][0]["date_of_birth"] = born(n).into();
        serde_json::to_vec(&value).unwrap()
    };
    (0..all).map(one).collect()
}

fn sandbox(lines: &[Vec<u8>]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.ndjson", lines.join(&b'\n'));
    sandbox
}

/// The code and the number of each row of `r.json`.
fn found(sandbox: &Sandbox) -> Vec<String> {
    let text = |row: &Value, member: &str| row[member].as_str().unwrap().to_owned();
    let rows = sandbox.rows("r.json");
    rows.iter().map(|row| [text(row, "code"), text(row, "external_account_number")].join(" ")).collect()
}

fn warnings(ran: &RunResult) -> [u64; 3] {
    let summary = ran.summary();
    ["warnings", "with_warnings", "warnings_across_accounts"].map(|name| summary[name].as_u64().unwrap())
}

#[test]
fn a_birth_date_of_more_than_one_percent_is_one_warning() {
    let sandbox = sandbox(&accounts(200, 3));
    let reports = ["a.ndjson", "--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    let ran = sandbox.validate(&reports);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("birth_date", ran.text());
    insta::assert_snapshot!("birth_date_in_report", sandbox.read("r.json"));
    for text in [&ran.out, &sandbox.read("r.json"), &sandbox.read("r.csv"), &sandbox.read("r.html")] {
        assert!(text.contains("3 of 200 accounts") && !text.contains(SHARED), "{text}");
    }
    assert_eq!(warnings(&sandbox.validate(&["a.ndjson", "--json"])), [1, 0, 1]);
}

#[test]
fn a_shared_birth_date_is_shown_if_asked_for() {
    let sandbox = sandbox(&accounts(200, 3));
    let ran = sandbox.validate(&["a.ndjson", "--show-values", "--json", "--report", "r.json"]);
    let sent = format!("\"{SHARED}\"");
    assert_eq!(ran.summary()["top_warnings"][0]["example"]["value"], *sent);
    let detail = sandbox.rows("r.json")[0]["detail"].as_str().unwrap().to_owned();
    assert!(detail.ends_with(&format!(" Sent: {sent}")), "{detail}");
}

#[test]
fn a_birth_date_of_fewer_accounts_is_no_warning() {
    let mut repeated = accounts(200, 2);
    repeated.push(repeated[0].clone());
    for (lines, expected) in [
        // Exactly 1 %.
        (accounts(200, 2), &[][..]),
        // Too few accounts.
        (accounts(199, 199), &[]),
        // A copy does not count.
        (repeated, &["repeated_in_input N-0"]),
    ] {
        let sandbox = sandbox(&lines);
        let ran = sandbox.validate(&["a.ndjson", "--json", "--report", "r.json"]);
        assert_eq!(
            (found(&sandbox), ran.code),
            (expected.iter().map(|row| row.to_string()).collect(), Some(0))
        );
    }
}

#[test]
fn numbers_that_look_alike_are_warnings_in_the_order_of_the_inputs() {
    let numbers = ["A-1001", "B-7", "a1001", "0012", "12", "A-1OO1", "OIL"].map(account);
    let sandbox = sandbox(&numbers);
    for jobs in ["1", "7"] {
        let ran = sandbox.validate(&["a.ndjson", "--json", "--jobs", jobs, "--report", "r.json"]);
        assert_eq!((ran.code, warnings(&ran)), (Some(0), [3, 3, 0]));
        insta::assert_snapshot!("similar_numbers", sandbox.read("r.json"));
    }
}

#[test]
fn values_that_belong_to_one_account_are_warnings_that_name_the_other() {
    let again = |fixture: &str, number: &str| {
        let mut value: Value = serde_json::from_slice(&line(fixture)).unwrap();
        value["external_account_number"] = number.into();
        serde_json::to_vec(&value).unwrap()
    };
    let (one, other) = (again("valid/electricity", "A-1"), again("valid/electricity", "B-2"));
    let sandbox = sandbox(&[one.clone(), other, one]);
    let ran = sandbox.validate(&["a.ndjson", "--json", "--report", "r.json"]);
    // The copy is compared with nothing.
    assert_eq!((ran.code, warnings(&ran)), (Some(0), [5, 2, 0]));
    insta::assert_snapshot!("shared_values", sandbox.read("r.json"));
}

#[test]
fn equal_numbers_are_copies_only() {
    let numbers = ["A-1", "A-1", " A-1", "A1", "A1"].map(account);
    let sandbox = sandbox(&numbers);
    sandbox.validate(&["a.ndjson", "--report", "r.json"]);
    let expected = [
        "repeated_in_input A-1",
        "differs_in_input A-1",
        "similar_number_in_input A1",
        "repeated_in_input A1",
    ];
    assert_eq!(found(&sandbox), expected);
}

#[test]
fn upload_finds_the_same() {
    let lines = [accounts(200, 3), accounts(1, 1), vec![account("n1")]].concat();
    let copy = "repeated_in_input N-0";
    let expected = [copy, "similar_number_in_input n1", "shared_date_of_birth_in_input N-0"];
    for (option, expected, counts) in
        [("--quiet", &expected[..], [3, 2, 1]), ("--no-validate", &[copy][..], [1, 1, 0])]
    {
        let (sandbox, stub) = (sandbox(&lines), Stub::start());
        let arguments = ["upload", "a.ndjson", "--now", NOW, "--json", "--report", "r.json", option];
        let ran = sandbox.run_with(&stub, &arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(found(&sandbox), expected);
        assert_eq!((warnings(&ran), stub.creations().len()), (counts, 201));
    }
}
