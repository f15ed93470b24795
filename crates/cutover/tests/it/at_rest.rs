//! Encryption at rest, and rotation of its keys.

use crate::harness::{Client, Installation, StopOnDrop, items, text, wait_until};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const VARIABLE: &str = "CUTOVER_ENCRYPTION_KEYS";
const BANK: &str = "999888777";

/// Generates a key; returns its line and its name.
fn key(installation: &Installation) -> (String, String) {
    let output = installation.run(&["encryption-key", "generate"]);
    assert!(output.status.success());
    let line = String::from_utf8(output.stdout).unwrap().trim_end().to_owned();
    let name = line.split(':').next().unwrap().to_owned();
    (line, name)
}

fn with_bank(number: &str) -> Value {
    let mut account = small(number);
    account["payment_instructions"] = json!([{"vendor": "V", "type": "DIRECT_DEBIT", "reference": "R",
        "valid_from": "2020-01-01",
        "bank_account": {"account_holder": "M Tran", "account_number": BANK, "bsb": "062-000"}}]);
    account
}

/// An account that is scheduled far in the future.
fn waiting(number: &str) -> Value {
    wrapped(number, json!({"schedule_window_start": "2099-01-01T00:00:00Z"}))
}

/// Searches the stored bytes, of all files of the folder or of all rows on the server, for a payload and for
/// a bank account number.
fn lies_open(installation: &Installation) -> (bool, bool) {
    if std::env::var_os("CUTOVER_TEST_ON").is_some() {
        let rows = rows(installation);
        return (rows.contains("28b52ffd"), rows.contains(BANK));
    }
    let (mut payload, mut bank) = (false, false);
    each_file(installation.path(), &mut |bytes| {
        payload |= has(bytes, b"\x28\xb5\x2f\xfd");
        bank |= has(bytes, BANK.as_bytes());
    });
    (payload, bank)
}

fn rows(installation: &Installation) -> String {
    let tables = installation.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    let all = |table: &str| {
        installation.sql(&format!("SELECT coalesce(string_agg(t::text, ' '), '') FROM {table} t"))
    };
    tables.lines().map(all).collect()
}

fn each_file(folder: &Path, look: &mut dyn FnMut(&[u8])) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => each_file(&entry.path(), look),
            false => match fs::read(entry.path()) {
                Ok(bytes) => look(&bytes),
                // The server tries the disk with a file that it removes at once.
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}"),
            },
        }
    }
}

fn has(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
}

/// The doctor's finding on encryption.
fn at_rest(installation: &Installation) -> String {
    checked(installation, "at rest")
}

/// The doctor's finding of a check.
fn checked(installation: &Installation, what: &str) -> String {
    let output = installation.run(&["doctor", "--json"]);
    let diagnosis: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = items(&diagnosis["checks"]).iter().find(|check| check["check"] == what).unwrap();
    format!("{} {}", text(&check["result"]), text(&check["detail"]))
}

fn send(client: &Client) {
    client.import(&[with_bank("R-1")]);
    assert_eq!(client.create(&waiting("R-2")).status, 201);
}

#[test]
fn without_a_key_payloads_and_bank_details_are_unencrypted_and_the_doctor_warns() {
    let (installation, api_key) = Installation::with_supplier();
    assert_eq!(
        at_rest(&installation),
        "ok no key is configured: payloads, bank details and signing keys will not be encrypted"
    );
    let server = installation.serve();
    let client = server.client(&api_key);
    send(&client);
    assert_eq!(lies_open(&installation), (true, true));
    assert_eq!(
        at_rest(&installation),
        "warn no key is configured; unencrypted: 2 payloads, 1 payment_instructions, 1 signing_keys, 1 search_keys"
    );
    assert!(installation.run_refused(&["encryption-key", "reseal"]).contains("encryption-key-file"));
    drop(server);
}

#[test]
fn with_a_key_the_database_has_no_plain_text() {
    let (mut installation, api_key) = Installation::with_supplier();
    let (line, name) = key(&installation);
    installation.set_variable(VARIABLE, &line);
    let server = installation.serve();
    let client = server.client(&api_key);
    send(&client);
    assert_eq!(client.create(&with_bank("R-2")).status, 201, "staged again");
    client.wait("R-2", "PROCESSED");
    assert_eq!(lies_open(&installation), (false, false), "while it runs");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(lies_open(&installation), (false, false));
    assert_eq!(
        installation.account("R-1")["payment_instructions"][0]["bank_account"]["account_number"],
        BANK
    );
    assert_eq!(at_rest(&installation), format!("ok 6 encrypted with {name}"));
    let file = installation.path().join("archive.ndjson").display().to_string();
    let archive = ["process", "archive", "--before", "2999-01-01", "--to", &file, "--yes"];
    assert_eq!(installation.run_json(&archive), json!({"archived": 2, "payloads": "open", "stayed": 0}));
    assert!(fs::read_to_string(&file).unwrap().contains(BANK));
}

/// Changes from no key to a first key, then to a second one, and removes the first one, under load.
#[test]
fn keys_change_while_a_server_works() {
    let (mut installation, server, client) = Installation::serving();
    let api_key = installation.key("Acme");
    send(&client);
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    let ((first, first_name), (second, second_name)) = (key(&installation), key(&installation));
    let steps = [first.clone(), format!("{first},{second}"), format!("{second},{first}")];
    let mut sent = 0;
    for keys in &steps {
        installation.set_variable(VARIABLE, keys);
        let server = installation.serve();
        let (client, over) = (server.client(&api_key), AtomicBool::new(false));
        let created = std::thread::scope(|scope| {
            let (client, over) = (&client, &over);
            let creating = scope.spawn(move || create_until(client, sent, over));
            let stop = StopOnDrop(over);
            for table in items(&installation.run_json(&["encryption-key", "reseal"])) {
                assert_eq!(table["left"], 0, "{table}");
            }
            drop(stop);
            creating.join().unwrap()
        });
        for n in sent..created {
            client.wait(&format!("L-{n}"), "PROCESSED");
        }
        sent = created;
        server.signal("TERM");
        let (code, log) = server.ended();
        assert_eq!(code, Some(0));
        assert!(!log.contains("import failed") && !log.contains("given back"), "{log}");
    }
    let server = installation.serve();
    let refused = installation.run_refused(&["encryption-key", "reseal", "--vacuum"]);
    assert!(refused.contains("serves") || refused.contains("SQLite"), "{refused}");
    drop(server);
    assert!(!at_rest(&installation).contains(&first_name), "{}", at_rest(&installation));
    installation.set_variable(VARIABLE, &second);
    let last = installation.run_json(&["encryption-key", "reseal"]);
    let sealed: Vec<_> = items(&last).iter().map(|table| &table["sealed"]).collect();
    assert_eq!(sealed, [0; 9], "the first key seals nothing any more");
    // The doctor reads a sample if many accounts were sent meanwhile.
    let reported = at_rest(&installation);
    let reported = reported.trim_end_matches(" (of a sample)");
    assert!(reported.ends_with(&format!("encrypted with {second_name}")), "{reported}");
    assert_eq!(
        installation.account("R-1")["payment_instructions"][0]["bank_account"]["account_number"],
        BANK
    );
    if std::env::var_os("CUTOVER_TEST_ON").is_none() {
        installation.run_json(&["encryption-key", "reseal", "--vacuum"]);
    }
    assert_eq!(lies_open(&installation), (false, false));
    let server = installation.serve();
    server.client(&api_key).import(&[with_bank("R-3")]);
}

/// Creates accounts from number `L-sent` on; returns the new count.
fn create_until(client: &Client, sent: usize, over: &AtomicBool) -> usize {
    let mut sent = sent;
    let first = sent;
    while sent == first || !over.load(Ordering::Acquire) {
        assert_eq!(client.create(&with_bank(&format!("L-{sent}"))).status, 201);
        sent += 1;
    }
    sent
}

#[test]
fn a_server_without_the_key_does_not_start() {
    let (mut installation, api_key) = Installation::with_supplier();
    let (line, name) = key(&installation);
    installation.set_variable(VARIABLE, &line);
    let server = installation.serve();
    assert_eq!(server.client(&api_key).create(&waiting("K-1")).status, 201);
    drop(server);
    let (other, _) = key(&installation);
    for keys in [String::new(), other.clone(), format!("{name}:{}", other.split_once(':').unwrap().1)] {
        installation.set_variable(VARIABLE, &keys);
        let output = installation.run(&["serve", "--listen", "127.0.0.1:0"]);
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.contains(&name) && log.contains("lost"), "{log}");
        assert!(
            at_rest(&installation).starts_with("fail ") && at_rest(&installation).contains(&name),
            "{}",
            at_rest(&installation)
        );
    }
    installation.set_variable(VARIABLE, &format!("{other},{name}:lost"));
    assert_eq!(at_rest(&installation), format!("warn 3 lost with the key {name}"));
    let server = installation.serve();
    let client = server.client(&api_key);
    assert_eq!(client.create(&small("K-1")).status, 201, "a lost payload is sent again");
    client.wait("K-1", "PROCESSED");
}

/// A node without the key releases what it cannot decrypt, and no attempt is lost.
#[test]
fn a_worker_without_the_key_leaves_the_account_to_others() {
    let (mut installation, api_key) = Installation::with_supplier();
    let ((first, _), (second, name)) = (key(&installation), key(&installation));
    installation.set_variable(VARIABLE, &first);
    let server = installation.serve();
    let client = server.client(&api_key);
    assert_eq!(client.create(&wrapped("K-1", json!({"is_dry_run": true}))).status, 201);
    client.wait("K-1", "DRY_RUN_SUCCEEDED");
    assert_eq!(server.anonymous().get("/readyz").json()["parts"]["encryption_keys"], "ok");
    installation.set_variable(VARIABLE, &format!("{second},{first}"));
    installation.run_json(&["encryption-key", "reseal", "--force"]);
    installation.run_json(&["process", "retry", "ACME", "K-1"]);
    let is_given_back =
        || installation.history("ACME", "K-1").last().is_some_and(|event| event == "shut_down");
    wait_until("it was given back", is_given_back);
    assert_eq!(client.status("K-1")["status"], "PENDING");
    // Meanwhile an account that it can decrypt is imported.
    client.import(&[small("K-2")]);
    // It still accepts tokens that it has seen, but cannot sign new ones: it cannot decrypt the signing key.
    wait_until("it is not ready", || server.anonymous().get("/readyz").status == 503);
    let unready = server.anonymous().get("/readyz").json();
    assert_eq!(unready["code"], "encryption_key_missing");
    assert_eq!(unready["parts"], json!({"database": "ok", "documents": "ok", "encryption_keys": "missing"}));
    let refused = server
        .anonymous()
        .graphql(&format!("mutation {{ obtainToken(input: {{apiKey: \"{api_key}\"}}) {{ token }} }}"));
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert!(refused.text().contains("encryption_key_missing"), "{}", refused.text());
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains(&format!("encryption key {name}")), "{log}");
    let _server = installation.serve();
    installation.run_json(&["process", "cancel", "ACME", "K-1"]);
    installation.run_json(&["process", "retry", "ACME", "K-1"]);
    wait_until("it succeeds where the key is", || installation.count("ACME", "DRY_RUN_SUCCEEDED") == 1);
}

/// A running server without the new key could not read resealed values.
#[test]
fn values_are_not_resealed_while_a_server_lacks_the_key() {
    let (mut installation, api_key) = Installation::with_supplier();
    let ((first, first_name), (second, name)) = (key(&installation), key(&installation));
    installation.set_variable(VARIABLE, &first);
    let server = installation.serve();
    assert_eq!(server.client(&api_key).create(&waiting("K-1")).status, 201);
    installation.set_variable(VARIABLE, &format!("{second},{first}"));
    let refused = installation.run_refused(&["encryption-key", "reseal"]);
    assert!(refused.contains(&format!("lack the key {name}")), "{refused}");
    assert!(
        refused.contains(&format!("the encryption keys {first_name}")) && refused.contains("--force"),
        "{refused}"
    );
    let processes = checked(&installation, "processes");
    assert!(processes.starts_with(&format!("warn without the encryption key {name}: ")), "{processes}");
    assert!(
        at_rest(&installation).contains(&format!("3 encrypted with the older key {first_name}")),
        "{}",
        at_rest(&installation)
    );

    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(checked(&installation, "processes"), "ok none serves this database");
    installation.set_variable(VARIABLE, &format!("{first},{second}"));
    let server = installation.serve();
    installation.set_variable(VARIABLE, &format!("{second},{first}"));
    assert!(checked(&installation, "processes").starts_with("ok "), "it can decrypt with the key");
    installation.run_json(&["encryption-key", "reseal"]);
    assert_eq!(at_rest(&installation), format!("ok 3 encrypted with {name}"));
    assert_eq!(server.client(&api_key).status("K-1")["status"], "PENDING");
}

#[test]
fn keys_are_found_in_no_log_and_no_answer() {
    let (mut installation, api_key) = Installation::with_supplier();
    let (line, name) = key(&installation);
    let secret = line.split_once(':').unwrap().1.to_owned();
    let file = installation.path().join("encryption.keys");
    fs::write(&file, format!("# ours\n{line}\n")).unwrap();
    installation.set_variable("CUTOVER_ENCRYPTION_KEY_FILE", file.to_str().unwrap());
    let server = installation.serve_with(&["--log-level", "trace"]);
    let client = server.client(&api_key);
    send(&client);
    let mut reported = client.get("/metrics").text();
    for args in [&["doctor"][..], &["encryption-key", "reseal"], &["process", "show", "ACME", "R-2"]] {
        let output = installation.run(args);
        reported += &String::from_utf8(output.stdout).unwrap();
        reported += &String::from_utf8(output.stderr).unwrap();
    }
    assert!(reported.contains(&name), "the name is shown: {reported}");
    server.signal("TERM");
    reported += &server.ended().1;
    fs::write(&file, format!("{line}\nCANARY{secret}\n")).unwrap();
    reported += &installation.run_refused(&["supplier", "list"]);
    installation.set_variable("CUTOVER_ENCRYPTION_KEYS", &line);
    reported += &installation.run_refused(&["supplier", "list"]);
    installation.set_variable("CUTOVER_ENCRYPTION_KEY_FILE", "");
    installation.set_variable("CUTOVER_ENCRYPTION_KEYS", &format!("CANARY:{secret}CANARY"));
    reported += &installation.run_refused(&["supplier", "list"]);
    assert!(
        reported.contains("line 2 is not NAME:KEY") && reported.contains("keep one of them"),
        "{reported}"
    );
    for secret in [&secret[..12], "CANARY"] {
        assert!(!reported.contains(secret), "{secret} is shown");
    }
}
