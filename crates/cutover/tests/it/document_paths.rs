//! No path leads out of a supplier's root. The canaries outside are valid PDFs, so that any answer other than "missing"
//! or "no such path" would reveal that they were read. Links are tested in `cutover-outbound`.

use crate::documents::{PDF, note, statement};
use crate::harness::{Client, Installation, NOTES, STATEMENTS, Server, adding};
use crate::payloads::small;
use std::fs;
use std::path::PathBuf;

/// A canary next to the root, one above the storage, and one in the sibling `/ACME2`.
fn dangerous() -> (Installation, Server, Client, PathBuf) {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let root = installation.documents("ACME");
    let storage = root.parent().unwrap().to_owned();
    fs::create_dir_all(storage.join("ACME2")).unwrap();
    fs::create_dir_all(root.join("in")).unwrap();
    for folder in [installation.path(), &storage, &storage.join("ACME2")] {
        fs::write(folder.join("canary.pdf"), PDF).unwrap();
    }
    fs::write(root.join("in/good.pdf"), PDF).unwrap();
    let server = installation.serve();
    let client = server.client(&key);
    client.import(&[small("D-1")]);
    (installation, server, client, storage.join("canary.pdf"))
}

fn faults(client: &Client, path: &str) -> (String, String) {
    let code = |faults: Vec<String>| {
        assert_eq!(faults.len(), 1, "{path:?}: {faults:?}");
        faults[0].split_once(' ').unwrap().1.to_owned()
    };
    let statement = client.send_json(STATEMENTS, &adding("D-1", "statements", statement(path)));
    let note = client.send_json(NOTES, &adding("D-1", "notes", note(path)));
    (code(statement.faults()), code(note.faults()))
}

/// Failure 20.
#[test]
fn no_path_leads_out_of_the_root() {
    let (_installation, _server, client, canary) = dangerous();
    for path in [
        "../canary.pdf",
        "/../canary.pdf",
        "in/../../canary.pdf",
        "in/../in/good.pdf",
        "./in/good.pdf",
        "%2e%2e/canary.pdf",
        "%2E./canary.pdf",
        "..%2fcanary.pdf",
        "..\\canary.pdf",
        "../ACME2/canary.pdf",
        "//in/good.pdf",
        "in//good.pdf",
        "in/good.pdf/",
        "/",
        "file:///canary.pdf",
        "C:/canary.pdf",
        "in/good.pdf\u{1}",
        "in/good\n.pdf",
        "in/\u{7f}good.pdf",
    ] {
        let invalid = "invalid_document_path".to_owned();
        assert_eq!(faults(&client, path), (invalid.clone(), invalid), "{path:?}");
    }
    let absolute = canary.to_str().unwrap();
    for path in [
        absolute,
        "%252e%252e/canary.pdf",
        "canary.pdf",
        "ACME2/canary.pdf",
        ".../canary.pdf",
        "~/canary.pdf",
        "in/GOOD.pdf",
        "in/good.pdf%00",
        "in/good.pdf?x",
        "in/good.pdf#x",
        "in/*.pdf",
        "in",
        "x/".repeat(400).trim_end_matches('/'),
        &"x".repeat(1_000),
    ] {
        let missing = "path_does_not_exist_in_file_store".to_owned();
        assert_eq!(faults(&client, path), (missing.clone(), missing), "{path:?}");
    }
    let nul = client.send_json(NOTES, &adding("D-1", "notes", note("in/good.pdf\u{0}")));
    assert_eq!(nul.faults(), ["notes.0.document_paths.0.document_path null_characters_not_allowed"]);
    let inside = client.send_json(STATEMENTS, &adding("D-1", "statements", statement("/in/good.pdf")));
    assert_eq!(inside.status, 201, "the root itself works: {}", inside.text());
}
