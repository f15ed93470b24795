//! Failure 22: input is never interpreted, and never shown to others.

use crate::after_import::additions;
use crate::harness::{ACCOUNTS, Client, Installation, LISTS, TRANSFER_STATUS, VALIDATE};
use crate::payloads::{KINDS, fixture, small};
use serde_json::Value;

/// SQL, a header, and terminal control sequences, with a word that must not appear anywhere.
const HOSTILE: &str =
    "CANARY'); DROP TABLE accounts; --\r\nX-Injected: 1\r\n\u{1b}[2J\u{1b}]0;CANARY\u{7}\u{9b}31m";
/// Personal data, bank details and credentials in members that accept them.
const BANK: &str = "99988777";
const BORN: &str = "1971-03-17";

/// A pointer to every string of a value.
fn texts(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| texts(item, &format!("{at}/{n}"), found))
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, item)| texts(item, &format!("{at}/{name}"), found))
        }
        _ => {}
    }
}

/// Each string of each kind of account, replaced by a hostile one in turn.
fn hostile_accounts() -> impl Iterator<Item = (String, Value)> {
    KINDS.into_iter().flat_map(|(kind, _)| {
        let mut found = Vec::new();
        let account = fixture(kind, "L-0");
        texts(&account, "", &mut found);
        found.into_iter().map(move |at| {
            let mut account = account.clone();
            *account.pointer_mut(&at).unwrap() = HOSTILE.into();
            (format!("{kind}{at}"), account)
        })
    })
}

/// Asserts that an answer has no input in its body or headers.
fn assert_silent(what: &str, answer: &crate::harness::Answer) {
    assert!(matches!(answer.status, 200 | 201 | 400 | 401 | 404 | 405), "{what}: {}", answer.text());
    assert_eq!(answer.header("X-Injected"), None, "{what}");
    let head = answer.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect::<String>();
    for text in [answer.text(), head] {
        assert!(!text.contains("CANARY") && !text.contains('\u{1b}'), "{what}: {text}");
    }
}

/// Paths, queries and headers with the hostile text.
fn send_addresses(client: &Client) {
    let raw = "CANARY'%3B%20DROP%20TABLE%20accounts%3B--%0D%0AX-Injected:%201%1B%5B2J";
    for list in LISTS {
        assert_silent(list, &client.get(&format!("{list}{raw}/")));
        for query in ["page_size", "cursor"] {
            assert_silent(query, &client.get(&format!("{list}ACME/?{query}={raw}")));
        }
        // The name of an unknown parameter is returned (contract D13), its value is not.
        let unknown = client.get(&format!("{list}ACME/?x%0D%0AX-Injected:%201%1B%5B2J={raw}"));
        assert_eq!(unknown.status, 400);
        assert_silent("an unknown parameter", &unknown);
    }
    for path in [
        format!("{TRANSFER_STATUS}ACME/{raw}/"),
        format!("{ACCOUNTS}{raw}/{raw}/"),
        format!("/{raw}"),
        format!("/console/{raw}"),
    ] {
        assert_silent(&path, &client.get(&path));
    }
    for query in ["status", "error_code", "warning_code", "modified_after", "cursor", "page_size"] {
        assert_silent(query, &client.get(&format!("{ACCOUNTS}ACME/?{query}={raw}")));
    }
    for name in [
        "User-Agent",
        "Referer",
        "Cookie",
        "X-Forwarded-For",
        "X-Request-Id",
        "Content-Type",
        "Accept-Encoding",
        "Origin",
    ] {
        let answer = client.send("GET", &format!("{ACCOUNTS}ACME/1/"), &[(name, "CANARY' \u{e9} <x>")], b"");
        assert_silent(name, &answer);
    }
    let stranger = Client { token: Some("CANARY.CANARY.CANARY".to_owned()), ..client.clone() };
    assert_silent("a token", &stranger.get(&format!("{ACCOUNTS}ACME/1/")));
    for query in
        ["mutation { obtainToken(input: {apiKey: \"CANARY\"}) { token } }", "{ CANARY(CANARY: \"CANARY"]
    {
        assert_silent(query, &client.graphql(query));
    }
}

#[test]
fn nothing_hostile_is_interpreted_or_shown() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--log-level", "trace", "--rate-limit", "0"]);
    let client = server.client(&key);
    client.import(&[small("L-1")]);
    // First, as later lists have accounts with hostile numbers.
    send_addresses(&client);
    let (mut taken, mut refused) = (0, 0);
    for (what, account) in hostile_accounts() {
        let (validated, created) = (client.post(VALIDATE, account.to_string()), client.create(&account));
        assert_silent(&what, &validated);
        assert_silent(&what, &created);
        match validated.status {
            200 => taken += 1,
            _ => refused += 1,
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
    for (path, body) in additions("L-1") {
        let mut found = Vec::new();
        texts(&body, "", &mut found);
        for at in found {
            let mut body = body.clone();
            *body.pointer_mut(&at).unwrap() = HOSTILE.into();
            let answer = client.send_json(path, &body);
            assert!(matches!(answer.status, 201 | 400 | 404), "{path}{at}: {}", answer.text());
            // Transactions and notes are shown to their sender as sent.
            assert_eq!(answer.header("X-Injected"), None, "{path}{at}");
        }
    }
    let metrics = server.anonymous().get("/metrics").text();
    let listed = installation.run(&["process", "list", "ACME"]);
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    for (place, words) in [("log", &log), ("metrics", &metrics)] {
        assert!(!words.contains("CANARY") && !words.contains("X-Injected"), "it is in the {place}");
        assert!(!words.contains('\u{1b}'), "a terminal is commanded by the {place}");
    }
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("CANARY") && !listed.contains(['\u{1b}', '\u{9b}', '\r']), "{listed}");
    assert_eq!(installation.failed_checks(), [""; 0], "its tables are there");
}

/// The cause of a failed import is reported by path and code, without data of the account.
#[test]
fn a_refused_import_reveals_nothing_of_its_account() {
    let (installation, key) = Installation::with_supplier();
    let api = installation.serve_with(&["--role", "api", "--log-level", "trace"]);
    let mut account = small("L-2");
    let customer = account["customers"][0].as_object_mut().unwrap();
    customer.remove("family_name");
    customer.insert("given_name".to_owned(), HOSTILE.into());
    customer.insert("email".to_owned(), "canary.mail@inbox.test".into());
    customer.insert("date_of_birth".to_owned(), BORN.into());
    account["payment_instructions"] = serde_json::json!([{"vendor": "V", "type": "DIRECT_DEBIT", "reference": "CANARY", "valid_from": "2020-01-01",
        "bank_account": {"account_holder": "CANARY", "account_number": BANK, "bsb": "062-000"}}]);
    let created = api.client(&key).create(&account);
    assert_eq!(created.status, 201, "{}", created.text());
    drop(api);
    installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
    let server = installation.serve_with(&["--log-level", "trace"]);
    let client = server.client(&key);
    let status = client.wait("L-2", "ERRORED");
    assert_eq!(status["latest_error"]["code"], "import_process_failed_validation", "{status}");
    let shown = installation.show("L-2");
    let outputs = [
        ("status", status.to_string()),
        ("version 1", client.get(&format!("{TRANSFER_STATUS}ACME/L-2/")).text()),
        ("a list of errors", client.get(&format!("{ACCOUNTS}ACME/?status=ERRORED")).text()),
        ("progress", client.get("/v2/data-import/import-suppliers/ACME/progress/").text()),
        ("errors", shown["errors"].to_string()),
        ("warnings", shown["warnings"].to_string()),
        ("history", shown["history"].to_string()),
        ("a list", installation.run_json(&["process", "list", "ACME"]).to_string()),
        ("metrics", server.anonymous().get("/metrics").text()),
    ];
    server.signal("TERM");
    let (_, log) = server.ended();
    for (place, words) in outputs.iter().map(|(place, words)| (*place, words)).chain([("log", &log)]) {
        for secret in ["CANARY", "canary.mail", BORN, BANK, "062-000", "X-Injected"] {
            assert!(!words.contains(secret), "{secret} is in {place}: {words}");
        }
    }
}
