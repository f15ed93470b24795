//! Documents in a local folder, for a supplier that verifies them.

use crate::harness::{Client, Installation, NOTES, STATEMENTS, Server, VALIDATE, adding, items};
use crate::payloads::{documented, small};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) const PDF: &[u8] = b"%PDF-1.7\n%%EOF\n";

pub(crate) fn put(root: &Path, path: &str, content: &[u8]) {
    let file = root.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

fn verifying(options: &[&str]) -> (Installation, String, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let server = installation.serve_with(options);
    let client = server.client(&key);
    (installation, key, server, client)
}

pub(crate) fn statement(path: &str) -> Value {
    json!([{"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-03-31", "statement_id": "Q1",
        "statement_path": path}])
}

pub(crate) fn note(path: &str) -> Value {
    json!([{"body": "B", "document_paths": [{"document_path": path}]}])
}

const MISSING: [&str; 2] = [
    "notes.0.document_paths.0.document_path path_does_not_exist_in_file_store",
    "statements.0.statement_path path_does_not_exist_in_file_store",
];

#[test]
fn validate_and_create_verify_documents_alike() {
    let (installation, _key, _server, client) = verifying(&[]);
    let root = installation.documents("ACME");
    let account = documented("D-1");
    let refused = |expected: &[&str]| {
        assert_eq!(client.send_json(VALIDATE, &account).errors(), expected);
        assert_eq!(client.create(&account).code(), (400, "import_process_failed_validation".to_owned()));
    };
    refused(&MISSING);
    put(&root, "notes/call.txt", b"");
    put(&root, "statements/s-1.pdf", b"<html>");
    refused(&["statements.0.statement_path document_not_pdf"]);
    put(&root, "statements/s-1.pdf", b"");
    refused(&["statements.0.statement_path document_not_pdf"]);
    put(&root, "statements/s-1.pdf", PDF);
    assert_eq!(client.send_json(VALIDATE, &account).status, 200);
    client.import(&[account]);
    assert_eq!(installation.account("D-1")["statements"][0]["statement_path"], "/statements/s-1.pdf");
}

#[test]
fn documents_removed_before_the_import_reject_it() {
    let (installation, key, server, client) = verifying(&["--role", "api"]);
    let root = installation.documents("ACME");
    put(&root, "notes/call.txt", b"x");
    put(&root, "statements/s-1.pdf", PDF);
    assert_eq!(client.create(&documented("D-1")).status, 201);
    assert_eq!(client.create(&documented("D-2")).status, 201);
    drop((client, server));
    std::fs::remove_file(root.join("notes/call.txt")).unwrap();
    put(&root, "statements/s-1.pdf", b"no longer");
    let server = installation.serve();
    let client = server.client(&key);
    for number in ["D-1", "D-2"] {
        let status = client.wait(number, "ERRORED");
        assert_eq!(status["latest_error"]["code"], "import_process_failed_validation");
        assert_eq!(status["latest_error"]["domain"], "import_process");
        let shown = installation.show(number);
        let errors: Vec<String> = items(&shown["errors"])
            .iter()
            .map(|e| format!("{} {}", e["attr"].as_str().unwrap(), e["code"].as_str().unwrap()))
            .collect();
        assert_eq!(errors, [MISSING[0], "statements.0.statement_path document_not_pdf"]);
        assert!(shown.get("account").is_none_or(Value::is_null));
        assert_eq!(installation.history("ACME", number), ["created", "claimed", "rejected"]);
    }
    put(&root, "notes/call.txt", b"x");
    put(&root, "statements/s-1.pdf", PDF);
    client.import(&[documented("D-1")]);
    installation.run_json(&["process", "retry", "ACME", "D-2"]);
    client.wait("D-2", "PROCESSED");
}

#[test]
fn notes_and_statements_verify_documents_too() {
    let (installation, _key, _server, client) = verifying(&[]);
    client.import(&[small("D-1")]);
    let root = installation.documents("ACME");
    let add_note = |path: &str| client.send_json(NOTES, &adding("D-1", "notes", note(path)));
    let add_statement =
        |path: &str| client.send_json(STATEMENTS, &adding("D-1", "statements", statement(path)));
    assert_eq!(add_note("a.txt").faults(), [MISSING[0]]);
    assert_eq!(add_statement("/q/1.pdf").faults(), [MISSING[1]]);
    put(&root, "a.txt", b"x");
    put(&root, "q/1.pdf", b"x");
    for path in ["a.txt", "/a.txt"] {
        assert_eq!(add_note(path).status, 201, "{path}");
    }
    assert_eq!(add_statement("q/1.pdf").faults(), ["statements.0.statement_path document_not_pdf"]);
    put(&root, "q/1.pdf", PDF);
    assert_eq!(add_statement("q/1.pdf").status, 201);
    let stored = installation.account("D-1");
    assert_eq!(items(&stored["notes"]).len(), 1);
    assert_eq!(items(&stored["historical_statements"]).len(), 1);
    // A missing account is reported after the faults, and a folder is not a document.
    let nobody = client.send_json(NOTES, &adding("NONE", "notes", note("q")));
    assert_eq!(nobody.faults(), [MISSING[0]]);
}

#[test]
fn many_documents_in_one_call() {
    let (installation, _key, _server, client) = verifying(&[]);
    client.import(&[small("D-1")]);
    let root = installation.documents("ACME");
    (0..1_000).for_each(|i| put(&root, &format!("{i}.txt"), b""));
    let notes = |n: usize| -> Vec<Value> {
        let body = |i: usize| json!({"document_paths": [{"document_path": format!("{i}.txt")}]});
        (n..n + 1_000).map(body).collect()
    };
    let answer = client.send_json(NOTES, &adding("D-1", "notes", json!(notes(0))));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let answer = client.send_json(NOTES, &adding("D-1", "notes", json!(notes(1))));
    let missing = "notes.999.document_paths.0.document_path path_does_not_exist_in_file_store";
    assert_eq!(answer.faults(), [missing]);
}
