//! Certificates of a real service, verified by `cutover-client` and by a second program (contract D17).
#![cfg(unix)]

use crate::after_import::additions;
use crate::harness::{Client, Installation};
use crate::manifests::run;
use crate::payloads::{fixture, small};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const KEYS: &str = "/v2/data-import/certificate-keys/";
const VERIFY: [&str; 5] =
    ["verify", "evidence/certificate.json", "exports", "--leaves", "evidence/leaves.ndjson"];

/// The public key that signs now.
fn public_key(client: &Client) -> String {
    let keys = client.get(KEYS).json();
    keys[0]["public_key"].as_str().unwrap().to_owned()
}

/// The second program; `None` if its library is not installed.
fn second(folder: &Path, key: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/tools/python/bin/python3");
    if !python.exists() {
        // Written directly: the test harness would capture it.
        let reported = b"NOT RUN: the second verification of certificates: no library cryptography\n";
        std::io::stderr().write_all(reported).unwrap();
        return None;
    }
    let mut command = Command::new(python);
    command.arg(root.join("xtask/python/verify_certificate.py"));
    command.args(["evidence/certificate.json", "evidence/leaves.ndjson", key, "exports/a.ndjson"]);
    let output = command.args(["--additions", "added.ndjson"]).current_dir(folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn two_programs_verify_what_the_service_certifies() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    let client = server.client(&key);
    let client_run = |words: &[&str]| run(&installation, &server, &key, words);
    let mut large = fixture("electricity", "E-1");
    large["import_supplier"] = json!("ACME");
    let mut accounts: Vec<Value> = ["A-1", "A-2", "A-3", "A-4"].map(small).into();
    accounts.push(large);
    let folder = installation.path();
    fs::create_dir(folder.join("exports")).unwrap();
    let write = |accounts: &[Value]| {
        let lines: Vec<String> = accounts.iter().map(ToString::to_string).collect();
        fs::write(folder.join("exports/a.ndjson"), lines.join("\n")).unwrap();
    };
    write(&accounts);
    assert_eq!(client_run(&["upload", "exports"]).0["accepted"], 5);
    assert_eq!(client_run(&["watch", "ACME", "--interval", "1"]).1, Some(0));
    let mut added = Vec::new();
    for (path, body) in additions("A-2") {
        let answer = client.send_json(path, &body);
        assert_eq!(answer.status, 201, "{path}: {}", answer.text());
        // A repeated request adds nothing.
        client.send_json(path, &body);
        added.extend([body.to_string(), body.to_string()]);
    }
    fs::write(folder.join("added.ndjson"), added.join("\n")).unwrap();
    let (issued, code) = client_run(&["certificate", "ACME", "--out", "evidence", "--issue"]);
    assert_eq!((&issued["accounts"], code), (&json!(5), Some(0)), "{issued}");
    let first_key = public_key(&client);
    let verify = |key: &str| {
        client_run(&[&VERIFY[..], &["--additions", "added.ndjson", "--public-key", key]].concat())
    };
    let (found, code) = verify(&first_key);
    assert_eq!((&found["agrees"], code), (&json!(true), Some(0)), "{found}");
    assert!(second(folder, &first_key).is_none_or(|said| said == "verified 5\n"));
    // A digit of one account.
    let mut changed = accounts.clone();
    changed[2]["ledgers"][0]["current_statement_transactions"][0]["amount"] = json!("10.11");
    write(&changed);
    let (found, code) = verify(&first_key);
    assert_eq!(found["differing"], json!([{"external_account_number": "A-3", "what": "content"}]));
    assert_eq!(code, Some(1));
    assert!(second(folder, &first_key).is_none_or(|said| said == "differs A-3\n"));
    write(&accounts);
    // Of an erased account a hash is left, in the certificate that was issued before.
    installation.run_json(&["account", "erase", "ACME", "A-4", "--yes", "--because", "asked for"]);
    let (fetched, _) = client_run(&["certificate", "ACME", "--out", "evidence"]);
    assert_eq!(fetched["certificate"], issued["certificate"]);
    let (found, code) = verify(&first_key);
    assert_eq!((&found["maybe_erased"], code), (&json!(["A-4"]), Some(0)), "{found}");
    assert!(second(folder, &first_key).is_none_or(|said| said == "verified 5\n"));
    // What an earlier key has signed stays valid; it signs no more.
    installation.run_json(&["certificate-key", "rotate"]);
    let next_key = public_key(&client);
    assert_ne!(next_key, first_key);
    assert_eq!(verify(&first_key).1, Some(0));
    assert_eq!(verify(&next_key).0["signature"], false);
    client_run(&["certificate", "ACME", "--out", "evidence", "--issue"]);
    assert_eq!(verify(&first_key).0["signature"], false);
    assert_eq!(verify(&next_key).0["missing"], json!(["A-4"]));
    accounts.remove(3);
    write(&accounts);
    assert_eq!(verify(&next_key).1, Some(0));
    assert!(second(folder, &next_key).is_none_or(|said| said == "verified 4\n"));
}
