//! Failure 19: strings of every kind are returned byte by byte, or refused with their path.

use crate::harness::{ACCOUNTS, ALL, Installation, NOTES, VALIDATE, adding, items, segment, text};
use crate::payloads::small;
use serde_json::{Value, json};

/// Strings that are known to cause problems.
const NAUGHTY: &[&str] = &[
    "undefined",
    "null",
    "NULL",
    "true",
    "NaN",
    "-1",
    "1e400",
    "0x0",
    "00.10",
    "1/0",
    "';--",
    "' OR 1=1 --",
    "Robert'); DROP TABLE accounts;--",
    "\\",
    "\\\\\\\"",
    "\"",
    "`",
    "%s%s%n",
    "%00",
    "%2e%2e%2f",
    "${jndi:ldap://x.invalid/a}",
    "{{7*7}}",
    "$(touch x)",
    "../../../etc/passwd",
    "<script>alert(1)</script>",
    "]]>",
    "&lt;&#0;",
    "a\r\nX-Injected: 1",
    "\t tab and spaces \u{a0}",
    "\u{1}\u{7}\u{8}\u{b}\u{1f}\u{7f}",
    "\u{80}\u{85}\u{9b}31m",
    "\u{1b}[2J\u{1b}]0;x\u{7}",
    "\u{200b}zero width\u{200d}\u{feff}",
    "\u{202e}txet",
    "x\u{2028}y\u{2029}z",
    "\u{fdd0}\u{ffff}\u{10ffff}",
    "\u{fffd}",
    "Zo\u{eb}",
    "Zoe\u{308}",
    "\u{212b}\u{c5}A\u{30a}",
    "\u{1100}\u{1161}\u{ac00}",
    "ﬁ ﬀ ı İ ẞ ß",
    "😀👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮",
    "الكل في المجمو عة 田中さん",
    "𝕿𝖍𝖊 𝓺𝓾𝓲𝓬𝓴",
];

/// Notes with these bodies.
fn notes(bodies: &[&str]) -> Value {
    bodies.iter().map(|body| json!({"body": body})).collect()
}

fn bodies(notes: &Value) -> Vec<String> {
    items(notes).iter().map(|note| text(&note["body"])).collect()
}

#[test]
fn texts_are_returned_as_sent() {
    let (installation, _server, client) = Installation::serving();
    let mut account = small("T-1");
    account["notes"] = notes(NAUGHTY);
    account["billing_name"] = json!("Zoe\u{308} Zo\u{eb}");
    client.import(&[account.clone()]);
    let kept = installation.account("T-1");
    assert_eq!(bodies(&kept["notes"]), NAUGHTY);
    assert_eq!(kept["billing_name"], account["billing_name"]);
    // The same with escapes is equal.
    let escaped = |text: &str| text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let items: Vec<String> =
        NAUGHTY.iter().map(|body| format!("{{\"body\":\"{}\"}}", escaped(body))).collect();
    let request = format!(
        "{{\"import_supplier\":\"ACME\",\"external_account_number\":\"T-1\",\"notes\":[{}]}}",
        items.join(",")
    );
    let answer = client.post(NOTES, request);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(bodies(&answer.json()), NAUGHTY);
    for note in crate::harness::items(&answer.json()) {
        assert_eq!(note["status"], "NOTE_ALREADY_EXISTS", "{note}");
    }
}

/// Two numbers that look alike are different everywhere.
#[test]
fn numbers_that_look_alike_are_of_different_accounts() {
    let (installation, _server, client) = Installation::serving();
    let numbers = [
        "Zo\u{eb}",
        "Zoe\u{308}",
        "ZO\u{cb}",
        "Å",
        "A\u{30a}",
        "\u{212b}",
        "%C3%AB",
        "'; DROP TABLE accounts;--",
        "田中/さん?#",
    ];
    let accounts: Vec<Value> = numbers.iter().map(|number| small(number)).collect();
    client.import(&accounts);
    let listed = client.get(&format!("{ALL}ACME/"));
    let listed: Vec<String> =
        items(&listed.json()).iter().map(|item| text(&item["external_account_number"])).collect();
    assert_eq!(listed, numbers);
    for number in numbers {
        assert_eq!(client.status(&segment(number))["status"], "PROCESSED", "{number:?}");
        assert_eq!(installation.account(number)["external_account_number"], number);
        let added = client.send_json(NOTES, &adding(number, "notes", notes(&[number])));
        assert_eq!(added.status, 201, "{number:?}: {}", added.text());
    }
    for number in numbers {
        assert_eq!(bodies(&installation.account(number)["notes"]), [number], "of this account alone");
    }
}

#[test]
fn invalid_texts_are_refused_with_their_path() {
    let (installation, _server, client) = Installation::serving();
    client.import(&[small("T-1")]);
    let nul = |text: &str| text.replace("NUL", "\\u0000");
    let account = small("T-2").to_string();
    for (body, fault) in [
        (account.replace("Mei", "M\\u0000i"), "customers.0.given_name null_characters_not_allowed"),
        (account.replace("T-2", "T\\u00002"), "external_account_number null_characters_not_allowed"),
        (account.replace("ACME", "AC\\u0000ME"), "import_supplier null_characters_not_allowed"),
        (
            account.replace("T1", "\\u0000"),
            "ledgers.0.current_statement_transactions.0.transaction_id null_characters_not_allowed",
        ),
    ] {
        let validated = client.post(VALIDATE, &body);
        assert_eq!(
            (validated.status, validated.errors().contains(&fault.to_owned())),
            (400, true),
            "{}",
            validated.text()
        );
        assert_eq!(
            client.post(ACCOUNTS, &body).code(),
            (400, "import_process_failed_validation".to_owned()),
            "{fault}"
        );
    }
    let note = nul(&adding("T-1", "notes", notes(&["aNULb"])).to_string());
    assert_eq!(client.post(NOTES, note).faults(), ["notes.0.body null_characters_not_allowed"]);
    for half in ["\\ud800", "\\udfff", "\\ud83dx", "\\ude00\\ud83d", "\\ud83d\\u0041"] {
        for path in [VALIDATE, ACCOUNTS] {
            let answer = client.post(path, account.replace("Mei", half));
            assert_eq!(answer.code(), (400, "parse_error".to_owned()), "{half}");
        }
        let note = adding("T-1", "notes", notes(&["HALF"])).to_string().replace("HALF", half);
        assert_eq!(client.post(NOTES, note).code(), (400, "parse_error".to_owned()), "{half}");
    }
    for path in ["T%00", "%00", "%ff", "T%ed%a0%80"] {
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/{path}/")).status, 404, "{path}");
    }
    assert_eq!(items(&installation.run_json(&["process", "list", "ACME"])).len(), 1);
}
