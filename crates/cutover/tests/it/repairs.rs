//! A supplier repairs what its upload was refused for, and runs the same command again.
#![cfg(unix)]

use crate::documents::{PDF, note, put};
use crate::harness::{BUSINESS, Installation, business};
use crate::migration::Supplier;
use crate::payloads::{documented, small};
use serde_json::{Value, json};

/// Members of a summary.
fn figures(summary: &Value) -> [u64; 5] {
    ["accepted", "refused", "faulty", "refused_again", "errored_again"]
        .map(|name| summary[name].as_u64().unwrap_or_else(|| panic!("{name}: {summary}")))
}

/// A contract, documents, and the data: one command, three repairs, then everything is imported.
#[test]
fn the_same_command_sends_what_a_repair_lets_pass() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let root = installation.documents("ACME");
    put(&root, "notes/call.txt", b"x");
    put(&root, "statements/s-1.pdf", PDF);
    let mut of_contract = small("C-1");
    of_contract["business"] = json!({"business_contract_identifier": "C-1"});
    let mut of_document = small("D-1");
    of_document["notes"] = note("notes/later.txt");
    let mut faulty = small("F-1");
    faulty["customers"][0]["mobile"] = json!("nonsense");
    let write = |faulty: &Value| {
        let lines = [&of_contract, &of_document, &documented("D-2"), faulty].map(Value::to_string);
        std::fs::create_dir_all(installation.path().join("exports")).unwrap();
        std::fs::write(installation.path().join("exports/a.ndjson"), lines.join("\n")).unwrap();
    };
    write(&faulty);

    // Nothing is imported before the document of an accepted account is gone.
    let server = installation.serve_with(&["--role", "api"]);
    let (sent, code, _) = Supplier { installation: &installation, server: &server, key: &key }.upload();
    assert_eq!((figures(&sent), code), ([1, 2, 1, 0, 0], Some(1)), "{sent}");
    std::fs::remove_file(root.join("notes/call.txt")).unwrap();
    drop(server);
    let server = installation.serve();
    let client = server.client(&key);
    client.wait("D-2", "ERRORED");
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let (report, code) = supplier.run(&["report", "ACME", "exports"]);
    assert_eq!((&report["not_imported"]["refused"], code), (&json!(2), Some(1)), "{report}");

    assert_eq!(client.send_json(BUSINESS, &business("B-1", &["C-1"])).status, 201);
    let (sent, code, _) = supplier.upload();
    assert_eq!((figures(&sent), code), ([1, 2, 1, 2, 1], Some(1)), "{sent}");

    put(&root, "notes/call.txt", b"x");
    put(&root, "notes/later.txt", b"x");
    let (sent, code, _) = supplier.upload();
    assert_eq!((figures(&sent), code), ([3, 0, 1, 2, 0], Some(1)), "{sent}");

    write(&small("F-1"));
    let (sent, code, _) = supplier.upload();
    assert_eq!((figures(&sent), code), ([4, 0, 0, 0, 0], Some(0)), "{sent}");

    assert_eq!(supplier.run(&["watch", "ACME", "--interval", "1"]).1, Some(0));
    let (report, code) = supplier.run(&["report", "ACME", "exports"]);
    assert_eq!((&report["sent"]["accounts"], code), (&json!(4), Some(0)), "{report}");
}

/// A refused account and a failed one say what is wrong with them.
#[test]
fn the_status_says_what_is_wrong() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let mut refused = small("R-1");
    refused["business"] = json!({"business_contract_identifier": "C-1"});
    assert_eq!(client.create(&refused).status, 400);
    let (status, code) = supplier.run(&["status", "ACME", "R-1"]);
    assert_eq!(
        (&status["errors"][0]["code"], code),
        (&json!("business_contract_not_found"), Some(1)),
        "{status}"
    );
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let root = installation.documents("ACME");
    put(&root, "notes/later.txt", b"x");
    installation.run_json(&["supplier", "hold", "ACME"]);
    let mut failed = small("D-1");
    failed["notes"] = note("notes/later.txt");
    assert_eq!(client.create(&failed).status, 201);
    std::fs::remove_file(root.join("notes/later.txt")).unwrap();
    installation.run_json(&installation.releasing(&["--force", "--because", "tried"]));
    client.wait("D-1", "ERRORED");
    let (status, code) = supplier.run(&["status", "ACME", "D-1"]);
    let missing = json!("path_does_not_exist_in_file_store");
    assert_eq!((&status["errors"][0]["code"], code), (&missing, Some(1)), "{status}");
}
