//! Documents that suppliers bring into the storage.
#![cfg(unix)]

use crate::documents::PDF;
use crate::harness::{Client, Installation, VALIDATE, wait_until};
use crate::migration::Supplier;
use crate::payloads::documented;
use cutover_testkit_s3::{BUCKET, S3Server};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

const DOCUMENTS: &str = "/v2/data-import/import-suppliers/ACME/documents/";

fn put(client: &Client, path: &str, body: &[u8]) -> (u16, Value) {
    let kind = [("Content-Type", "application/octet-stream")];
    let answer = client.send("PUT", &format!("{DOCUMENTS}{path}"), &kind, body);
    (answer.status, answer.json())
}

/// The header with the token of a client.
fn token(client: &Client) -> String {
    format!("Authorization: Token {}\r\n", client.token.as_deref().unwrap())
}

/// Names in a folder, in order; none if there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_uploaded_document_is_the_one_that_accounts_name() {
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let server = installation.serve_with(&["--document-limit", "16MiB"]);
    let client = server.client(&key);
    let root = installation.documents("ACME");
    let account = documented("D-1");
    assert_eq!(client.send_json(VALIDATE, &account).status, 400);
    assert_eq!(put(&client, "notes/call.txt", b"x").0, 201);
    assert_eq!(put(&client, "statements/s-1.pdf", PDF).0, 201);
    assert_eq!(client.send_json(VALIDATE, &account).status, 200);

    assert_eq!(put(&client, "statements%2Fs-1.pdf", PDF).0, 200);
    let (status, other) = put(&client, "statements/s-1.pdf", b"%PDF-1.8");
    assert_eq!((status, &other["code"]), (409, &"document_already_exists".into()));
    assert_eq!(std::fs::read(root.join("statements/s-1.pdf")).unwrap(), PDF);
    for path in ["../OTHER/a.pdf", "a/%2e%2e/%2e%2e/b", "/etc/passwd", "a//b", "%00"] {
        let (status, refused) = put(&client, path, b"x");
        assert_eq!((status, &refused["errors"][0]["code"]), (400, &"invalid_document_path".into()), "{path}");
    }
    assert_eq!(put(&client, "large.pdf", &vec![0; (16 << 20) + 1]).0, 413);

    // The client goes in the middle of a body of several pieces.
    let mut connection = client.connect();
    let head = format!("PUT {DOCUMENTS}broken.pdf HTTP/1.1\r\nHost: x\r\n{}", token(&client));
    connection.write_all(format!("{head}Content-Length: 15000000\r\n\r\n").as_bytes()).unwrap();
    connection.write_all(&vec![b'x'; 11 << 20]).unwrap();
    wait_until("a part is there", || names(&root).iter().any(|name| name.starts_with(".upload-")));
    drop(connection);
    wait_until("the part is gone", || names(&root) == ["notes", "statements"]);
}

#[test]
fn a_large_document_reaches_a_bucket_in_parts() {
    let storage = S3Server::start().unwrap();
    let (mut installation, key) = Installation::with_supplier();
    storage.environment().iter().for_each(|(name, value)| installation.set_variable(name, value));
    let server = installation.serve_with(&["--documents-url", &format!("s3://{BUCKET}")]);
    let client = server.client(&key);
    let large: Vec<u8> = (0..12_000_000_u32).map(|at| (at % 251) as u8).collect();
    assert_eq!(put(&client, "s/large.pdf", &large).0, 201);
    assert!(std::fs::read(storage.bucket(BUCKET).join("ACME/s/large.pdf")).unwrap() == large);
    assert_eq!(put(&client, "s/large.pdf", &large).0, 200);
    assert_eq!(put(&client, "s/large.pdf", &large[1..]).0, 409);
    assert_eq!(put(&client, "s/small.pdf", PDF).0, 201);
    assert_eq!(put(&client, "s/small.pdf", b"x").0, 409);
}

#[test]
fn a_folder_is_uploaded_by_the_client_and_resumes() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let folder = installation.path().join("docs");
    for n in 0..40 {
        crate::documents::put(&folder, &format!("s/{n:02}.pdf"), format!("%PDF-1.7 {n}").as_bytes());
    }
    crate::documents::put(&folder, "100% of a#b?.pdf", &vec![7; 7_000_000]);
    let root = installation.documents("ACME");
    let arguments = ["documents", "upload", "docs", "--supplier", "ACME", "--connections", "2"];
    let mut first = supplier.command(&arguments).spawn().unwrap();
    wait_until("some are stored", || names(&root.join("s")).len() > 3);
    first.kill().unwrap();
    first.wait().unwrap();
    let (summary, code) = supplier.run(&arguments);
    assert_eq!(code, Some(0), "{summary}");
    let taken = summary["accepted"].as_u64().unwrap() + summary["already_there"].as_u64().unwrap();
    assert_eq!((taken, &summary["faulty"]), (41, &0.into()));
    wait_until("no part is left", || names(&root) == ["100% of a#b?.pdf", "s"]);
    for n in 0..40 {
        let name = format!("s/{n:02}.pdf");
        assert_eq!(std::fs::read(root.join(&name)).unwrap(), std::fs::read(folder.join(&name)).unwrap());
    }
    assert_eq!(std::fs::read(root.join("100% of a#b?.pdf")).unwrap().len(), 7_000_000);
    let (again, code) = supplier.run(&arguments);
    let before = &again["in_earlier_runs"];
    let before = before["accepted"].as_u64().unwrap() + before["already_there"].as_u64().unwrap();
    assert_eq!((before, code), (41, Some(0)));
}
