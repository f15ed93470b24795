//! `documents check`.

use crate::harness::{RunResult, Sandbox, account};
use serde_json::{Value, json};

fn with_documents(number: &str, statement: &str, note: &str) -> String {
    let mut value: Value = serde_json::from_slice(&account(number)).unwrap();
    value["statements"] = json!([{"statement_path": statement}]);
    value["notes"] = json!([{"document_paths": [{"document_path": note}]}]);
    value.to_string()
}

fn check(sandbox: &Sandbox, more: &[&str]) -> RunResult {
    sandbox.run(&[&["documents", "check", "docs", "--accounts", "a.ndjson"], more].concat())
}

#[test]
fn missing_documents_are_named_with_their_places() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/s/1.pdf", "%PDF-1.7 …");
    sandbox.write("docs/s/2.pdf", "<html>");
    sandbox.write("docs/n/1.txt", "x");
    let accounts = [
        with_documents("N-1", "/s/1.pdf", "n/1.txt"),
        with_documents("N-2", "s/2.pdf", "n/1.txt"),
        with_documents("N-3", "s/3.pdf", "../n/1.txt"),
        String::from_utf8(account("N-4")).unwrap(),
    ];
    sandbox.write("a.ndjson", accounts.join("\n"));
    let ran = check(&sandbox, &["--report", "r.csv", "--report", "r.html"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("documents_people", ran.out);
    insta::assert_snapshot!("documents_report", sandbox.read("r.csv"));
    let summary = check(&sandbox, &["--json"]).summary();
    assert_eq!([&summary["documents"], &summary["missing"], &summary["faulty"]], [4, 1, 2]);
    sandbox.write("a.ndjson", &accounts[0]);
    assert_eq!(check(&sandbox, &[]).code, Some(0));
}

/// What cannot be read may name documents.
#[test]
fn values_that_hide_documents_are_faults() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/s/1.pdf", "%PDF-1.7 …");
    let with = |member: &str, value: Value| {
        let mut account: Value = serde_json::from_slice(&account("N-1")).unwrap();
        account[member] = value;
        account.to_string()
    };
    let faulty = [
        "7".to_owned(),
        json!({"payload": []}).to_string(),
        with("statements", json!({})),
        with("notes", json!(["x"])),
        with("notes", json!([{"body": "x", "document_paths": "n/1.txt"}])),
        with("notes", json!([{"body": "x", "document_paths": [{"document_path": 7}]}])),
        with("statements", json!([{"statement_path": null}])),
    ];
    let others = [with("customers", json!(7)), with("notes", json!([{"body": 7}]))];
    sandbox.write("a.ndjson", [&faulty[..], &others].concat().join("\n"));
    let ran = check(&sandbox, &["--report", "r.json", "--json"]);
    assert_eq!((ran.code, &ran.summary()["faulty"]), (Some(1), &json!(7)));
    let shown = |row: &Value| format!("{} {} {}", row["line"], row["attr"], row["code"]);
    insta::assert_snapshot!(sandbox.rows("r.json").iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_cannot_be_read_exits_with_2() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ndjson", account("N-1"));
    let ran = check(&sandbox, &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("docs cannot be read"), "{}", ran.err);
    sandbox.write("docs/x", "");
    sandbox.write("a.ndjson", b"PK\x03\x04");
    assert_eq!(check(&sandbox, &[]).code, Some(2));
}
