//! Failure 18: hostile JSON. It never causes 5xx; validate and create agree, as do SQLite and PostgreSQL, to
//! the byte.

use crate::harness::{
    ACCOUNTS, Answer, BUSINESS, Client, Installation, Server, VALIDATE, business, wait_until,
};
use crate::payloads::small;
use serde_json::{Value, json};

/// A small account with this transfer balance, which its ledger has.
fn with_balance(number: &str, balance: &str) -> Vec<u8> {
    format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","transfer_balance":{balance},"ledgers":[{{"ledger_balance":{balance}}}]}}"#
    )
    .into_bytes()
}

const FORTY: &str = "1234567890123456789012345678901234567890";

/// Invalid numbers, and unusual valid ones.
fn numbers() -> Vec<String> {
    let plain = [
        "1e400",
        "-1e400",
        "1e-400",
        "1E+2",
        "1e2",
        "0e0",
        "-0",
        "-0.0",
        "0.00",
        "10.10",
        "-10.10",
        "1e0000000002",
        "1e99999999999999999999",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "-01",
        ".5",
        "1.",
        "+1",
        "0x10",
        "1_000",
        "1,000",
        "--1",
        "1e",
        "1e+",
        "٣",
        "１",
        "null",
        "true",
        "[1]",
        "{}",
        "1 2",
    ];
    let digits = [
        FORTY.to_owned(),
        format!("0.{FORTY}"),
        format!("{FORTY}.{FORTY}"),
        format!("-{FORTY}e-40"),
        "9".repeat(5_000),
        format!("0.{}1", "0".repeat(5_000)),
    ];
    let all: Vec<String> = plain.iter().map(|number| (*number).to_owned()).chain(digits).collect();
    // The same as strings, which decimals may be.
    let texts: Vec<String> = all.iter().map(|number| format!("\"{number}\"")).collect();
    [all, texts].concat()
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

/// Bodies that violate JSON, or known limits of its parsers.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let good = small("J-BODY").to_string();
    let inside = |member: &str| format!("{},{member}}}", &good[..good.len() - 1]).into_bytes();
    let deep = |open: &str, close: &str, n: usize| [&open.repeat(n), "1", &close.repeat(n)].concat();
    let around = |before: &[u8], after: &[u8]| [before, good.as_bytes(), after].concat();
    vec![
        ("nothing", Vec::new()),
        ("white space", b" \t\r\n".to_vec()),
        ("100,000 arrays", deep("[", "]", 100_000).into_bytes()),
        ("100,000 arrays that stay open", "[".repeat(100_000).into_bytes()),
        ("100,000 objects", deep("{\"a\":", "}", 100_000).into_bytes()),
        ("100,000 arrays in a member", inside(&format!("\"x\":{}", deep("[", "]", 100_000)))),
        ("99 arrays in a member", inside(&format!("\"x\":{}", deep("[", "]", 98)))),
        ("a member twice", inside("\"import_supplier\":\"OTHERS\"")),
        ("a member twice by an escape", inside("\"import\\u005fsupplier\":\"OTHERS\"")),
        ("a number twice", inside("\"external_account_number\":\"J-OTHER\"")),
        ("an unknown member twice", inside("\"x\":1,\"x\":2")),
        (
            "members by the thousand",
            inside(&(0..50_000).map(|n| format!("\"m{n}\":0")).collect::<Vec<_>>().join(",")),
        ),
        ("a name of a megabyte", inside(&format!("\"{}\":0", "n".repeat(1 << 20)))),
        ("a text of a megabyte", inside(&format!("\"billing_name\":\"{}\"", "n".repeat(1 << 20)))),
        ("a name that is NUL", inside("\"\\u0000\":0")),
        ("a name of a prototype", inside("\"__proto__\":{\"import_supplier\":\"OTHERS\"}")),
        ("a byte order mark", around(b"\xEF\xBB\xBF", b"")),
        ("UTF-16, little end first", utf16(&good, u16::to_le_bytes)),
        ("UTF-16, big end first", utf16(&good, u16::to_be_bytes)),
        ("UTF-16 with its mark", [b"\xFF\xFE".to_vec(), utf16(&good, u16::to_le_bytes)].concat()),
        (
            "Latin-1",
            inside("\"billing_name\":\"Zo?\"").iter().map(|b| if *b == b'?' { 0xEB } else { *b }).collect(),
        ),
        (
            "an overlong slash",
            inside("\"billing_name\":\"??\"").iter().map(|b| if *b == b'?' { 0xC0 } else { *b }).collect(),
        ),
        ("something behind", around(b"", b"x")),
        ("a bracket behind", around(b"", b"}")),
        ("NUL behind", around(b"", b"\0")),
        ("another behind", around(b"", good.as_bytes())),
        ("a comment", around(b"/* x */", b"")),
        ("a comma at the end", inside("\"billing_name\":\"x\",")),
        ("quotes of another kind", good.replace('"', "'").into_bytes()),
        ("a line break in a text", inside("\"billing_name\":\"a\nb\"")),
        ("half a pair", inside("\"billing_name\":\"\\ud83d\"")),
        ("half a pair and another half", inside("\"billing_name\":\"\\ud83d\\ud83d\"")),
        ("a pair the wrong way round", inside("\"billing_name\":\"\\ude00\\ud83d\"")),
        ("an escape that is none", inside("\"billing_name\":\"\\x41\"")),
        ("NUL", inside("\"billing_name\":\"a\\u0000b\"")),
        ("an array", format!("[{good}]").into_bytes()),
        ("a text", json!(good).to_string().into_bytes()),
        ("an envelope in an envelope", format!("{{\"payload\":{{\"payload\":{good}}}}}").into_bytes()),
        ("a whole one", good.into_bytes()),
    ]
}

/// A server on one database, with its answers.
struct Read {
    installation: Installation,
    _server: Server,
    client: Client,
    said: Vec<String>,
}

impl Read {
    fn all(installation: Installation) -> Self {
        let key = installation.add_supplier();
        let server = installation.serve_with(&["--rate-limit", "0"]);
        let client = server.client(&key);
        let mut read = Self { installation, _server: server, client, said: Vec::new() };
        for (what, body) in bodies() {
            read.send(what, &body);
        }
        for (n, number) in numbers().iter().enumerate() {
            read.send(number, &with_balance(&format!("J-{n}"), number));
        }
        for number in numbers() {
            read.send_terms(&number);
        }
        read
    }

    fn note(&mut self, what: &str, path: &str, answer: &Answer) {
        assert!(answer.status < 500, "{what}: {path}: {}", answer.text());
        let what: String = what.chars().take(60).collect();
        self.said.push(format!("{what}: {path}: {} {}", answer.status, answer.text()));
    }

    /// Validates and creates a body: both accept it, or neither does.
    fn send(&mut self, what: &str, body: &[u8]) {
        let (validated, created) = (self.client.post(VALIDATE, body), self.client.post(ACCOUNTS, body));
        let both = (validated.status, created.status);
        assert!(matches!(both, (200, 201) | (400, 400)), "{what}: {validated:?} {created:?}");
        let is_no_json = |answer: &Answer| answer.status == 400 && answer.code().1 == "parse_error";
        assert_eq!(is_no_json(&validated), is_no_json(&created), "{what}");
        self.note(what, VALIDATE, &validated);
        self.note(what, ACCOUNTS, &created);
    }

    /// Terms of a contract are arbitrary JSON, and are stored as they are.
    fn send_terms(&mut self, number: &str) {
        let contract = format!("C-{}", self.said.len());
        let mut request = business(&contract, &[&contract]);
        request["business"]["business_contracts"][0]["versions"] =
            json!([{"applicable_at_date": "2024-01-01", "terms": [{"x": "NUMBER"}]}]);
        let answer = self.client.post(BUSINESS, request.to_string().replace("\"NUMBER\"", number));
        assert!(matches!(answer.status, 201 | 400), "{number}: {}", answer.text());
        self.note(number, BUSINESS, &answer);
    }

    /// The imported accounts by number.
    fn imported(&self) -> Vec<Value> {
        let listed = || self.installation.run_json(&["process", "list", "ACME"]);
        wait_until("all are imported", || {
            listed().as_array().unwrap().iter().all(|process| process["status"] == "PROCESSED")
        });
        let mut numbers: Vec<String> = listed()
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["external_account_number"].as_str().unwrap().to_owned())
            .collect();
        numbers.sort_unstable();
        numbers.iter().map(|number| self.installation.account(number)).collect()
    }
}

#[test]
fn hostile_json_is_answered_alike_everywhere() {
    let file = Read::all(Installation::on_sqlite());
    let accounts = file.imported();
    // Digits are kept as sent, without rounding to a float.
    let balances: Vec<String> =
        accounts.iter().map(|account| account["transfer_balance"].to_string()).collect();
    println!("{} answers, {} accounts with balances {balances:?}", file.said.len(), accounts.len());
    for digits in ["10.10", "-10.10", "0.00"] {
        assert!(balances.iter().any(|balance| balance.trim_matches('"') == digits), "{digits}: {balances:?}");
    }
    let Some(installation) = Installation::on_postgres() else { return };
    let server = Read::all(installation);
    for (one, other) in file.said.iter().zip(&server.said) {
        // Ids that the service assigns differ.
        if !one.contains("service_business_id") {
            assert_eq!(one, other);
        }
    }
    assert_eq!(file.said.len(), server.said.len());
    for (one, other) in accounts.iter().zip(server.imported()) {
        let mut pair = [one.clone(), other];
        pair.iter_mut()
            .for_each(|account| drop(account.as_object_mut().unwrap().remove("service_account_number")));
        assert_eq!(pair[0], pair[1]);
    }
}
