//! Comparing the inputs with what the source system counted.

use crate::harness::{NOW, RunResult, Sandbox, line};
use crate::stub::Stub;
use serde_json::{Value, json};

/// Accounts, their tables, and expectations with the rows of each table.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let accounts = ["valid/electricity", "valid/dual_fuel", "valid/unmetered_gas"].map(line);
    sandbox.write("a.ndjson", accounts.join(&b'\n'));
    let ran = sandbox.run(&["disassemble", "a.ndjson", "--to", "tables", "--format", "ndjson"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut lines = vec!["table,rows".to_owned()];
    for entry in std::fs::read_dir(sandbox.path("tables")).unwrap() {
        let path = entry.unwrap().path();
        let rows = std::fs::read_to_string(&path).unwrap().lines().count();
        lines.push(format!("{},{rows}", path.file_stem().unwrap().to_str().unwrap()));
    }
    sandbox.write("rows.csv", lines.join("\n"));
    sandbox
}

fn differences(ran: &RunResult) -> Vec<Value> {
    let all = ran.summary()["differences"].as_array().unwrap().clone();
    all.iter().map(|one| json!([one["table"], one["column"], one["expected"], one["found"]])).collect()
}

#[test]
fn the_rows_of_accounts_are_those_of_their_tables() {
    let sandbox = sandbox();
    let ran = sandbox.validate(&["a.ndjson", "--expect", "rows.csv"]);
    assert!(ran.out.contains("\nThe inputs have what the source system counted.\n"), "{}", ran.out);
    assert_eq!(ran.code, Some(0));
    let ran = sandbox.run(&["assemble", "tables", "--out", "b.ndjson", "--expect", "rows.csv"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn each_difference_is_named_and_the_exit_code_is_1() {
    let sandbox = sandbox();
    sandbox.write(
        "counts.toml",
        "[tables.customers]\nrows = 1_234\n\n[tables.transactions]\nsums.amount = \"1.10\"\n\
         [tables.ledgers]\nrows = 4\n",
    );
    let reports = ["--report", "r.json", "--report", "r.html"];
    let ran = sandbox.validate(&[&["a.ndjson", "--expect", "counts.toml"][..], &reports].concat());
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!("differences", ran.text());
    let last = sandbox.rows("r.json").pop().unwrap();
    assert_eq!((&last["code"], &last["file"]), (&json!("not_as_expected"), &json!("counts.toml")));
    assert!(sandbox.read("r.html").contains("customers: 1,234 rows expected"));
    let ran = sandbox.validate(&["a.ndjson", "--expect", "counts.toml", "--json"]);
    let found = differences(&ran);
    assert_eq!(found[0], json!(["customers", null, "1234", "4"]));
    let stub = Stub::start();
    let upload = ["upload", "a.ndjson", "--now", NOW, "--json", "--expect", "counts.toml"];
    let ran = sandbox.run_with(&stub, &upload);
    assert_eq!((differences(&ran), ran.code), (found, Some(1)));
    let ran = sandbox.run(&["assemble", "tables", "--out", "b.ndjson", "--expect", "counts.toml"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("error: counts.toml: customers: 1,234 rows expected, 4 found\n"), "{}", ran.err);
}

#[test]
fn a_copy_counts_once_and_what_is_no_account_is_named() {
    let sandbox = sandbox();
    let account = line("valid/unmetered_gas");
    let odd = br#"{"import_supplier": "A", "customers": 7}"#;
    sandbox.write("b.ndjson", [&account[..], &account, b"{", odd].join(&b'\n'));
    sandbox.write("counts.csv", "table,rows\naccounts,1\n");
    let ran = sandbox.validate(&["b.ndjson", "--expect", "counts.csv", "--json"]);
    let all = ran.summary()["differences"].as_array().unwrap().clone();
    let detail = "2 accounts are not written as documented, so they cannot be counted";
    assert_eq!((all.len(), &all[0]["detail"]), (1, &json!(detail)));
}

#[test]
fn an_account_in_an_envelope_counts() {
    let sandbox = Sandbox::new();
    let account: Value = serde_json::from_slice(&line("valid/unmetered_gas")).unwrap();
    sandbox.write("a.json", json!({"task_params": {}, "payload": account}).to_string());
    sandbox.write("counts.csv", "table,rows,column,sum\naccounts,1,,\ntransactions,2,amount,25.00\n");
    let ran = sandbox.validate(&["a.json", "--expect", "counts.csv", "--json"]);
    assert_eq!((differences(&ran), ran.code), (Vec::new(), Some(0)));
}

#[test]
fn a_file_that_makes_no_sense_ends_the_run_before_it_begins() {
    let sandbox = sandbox();
    sandbox.write("counts.csv", "table,rows\nkunden,1\n");
    let ran = sandbox.validate(&["a.ndjson", "--expect", "counts.csv"]);
    let why = "error: counts.csv is no file of expectations: there is no table \"kunden\"\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), why));
}
