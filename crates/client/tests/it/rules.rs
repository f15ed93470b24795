//! Findings of `validate`, compared with the snapshots of the rules' own tests.

use crate::harness::{Sandbox, account, fixture_text, ndjson};
use serde_json::Value;

/// Findings of a fixture by the snapshots of the rules' tests, without the ids of the rules. Those tests run
/// every rule; the fixtures used here trigger none that is off by default.
fn snapshot(name: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/tests/it/snapshots");
    let text = std::fs::read_to_string(format!("{folder}/it__fixtures__{}.snap", &name[..3])).unwrap();
    let heading = format!("accounts/faulty/{name}.json");
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    lines
        .map_while(|line| line.strip_prefix("  "))
        .map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            [parts[0], parts[1], parts[3]].join(" ")
        })
        .collect()
}

fn found(rows: &[Value]) -> Vec<String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.iter().map(|row| ["attr", "code", "level"].map(|name| text(row, name)).join(" ")).collect()
}

#[test]
fn findings_are_those_of_the_rules_own_tests() {
    let sandbox = Sandbox::new();
    for name in [
        "ACC-05-online-without-email",
        "CUS-01-not-a-phone-number",
        "LED-01-ledger-balance",
        "LED-11-same-id-in-two-ledgers",
        "MPT-02-check-digit",
        "PIN-01-same-type-twice",
        "RDG-06-decreased",
        "STR-01-required",
        "STR-05-invalid-choice",
        "STR-17-no-object",
        "SUP-01-mismatch",
        "TXN-06-net-amount",
        "WIN-01-starts-in-past",
    ] {
        let expected = snapshot(name);
        assert!(!expected.is_empty());
        sandbox.write("a.json", fixture_text(&format!("faulty/{name}")));
        let ran = sandbox.validate(&["a.json", "--report", "r.json"]);
        assert_eq!(found(&sandbox.rows("r.json")), expected, "{name}");
        let has_error = expected.iter().any(|line| line.ends_with(" error"));
        assert_eq!(ran.code, Some(i32::from(has_error)), "{name}");
    }
}

#[test]
fn levels_are_set_by_rule_and_by_profile() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ndjson", ndjson(&["faulty/PIN-01-same-type-twice"]));
    sandbox.write("acme.json", r#"{"code": "ACME", "time_zone": "UTC", "rules": {"PIN-01": "off"}}"#);
    let outcome = |arguments: &[&str]| {
        let ran = sandbox.validate(&[&["a.ndjson", "--json"], arguments].concat());
        (ran.code.unwrap(), ran.summary()["errors"].as_u64(), ran.summary()["warnings"].as_u64())
    };
    assert_eq!(outcome(&[]), (1, Some(1), Some(0)));
    assert_eq!(outcome(&["--rule", "PIN-01=warning"]), (0, Some(0), Some(1)));
    assert_eq!(outcome(&["--profile", "acme.json"]), (0, Some(0), Some(0)));
    assert_eq!(outcome(&["--profile", "acme.json", "--rule", "PIN-01=default"]), (1, Some(1), Some(0)));
}

#[test]
fn datetimes_at_the_edge_of_time_are_read_in_the_suppliers_zone() {
    let sandbox = Sandbox::new();
    let mut value: Value = serde_json::from_slice(&account("N-1")).unwrap();
    // In Melbourne this is in the year 0 of UTC.
    value["notes"] = serde_json::json!([{"body": "x", "created_at": "0001-01-01T01:00:00"}]);
    sandbox.write("a.json", value.to_string());
    let codes = |zone: &str| {
        sandbox.validate(&["a.json", "--time-zone", zone, "--report", "r.json"]);
        found(&sandbox.rows("r.json"))
    };
    assert_eq!(codes("UTC"), [""; 0]);
    assert_eq!(codes("Australia/Melbourne"), ["notes.0.created_at invalid error"]);
}

#[test]
fn days_are_those_of_the_suppliers_zone() {
    let sandbox = Sandbox::new();
    let mut value: Value = serde_json::from_slice(&account("N-1")).unwrap();
    // Tomorrow in UTC, today in Kiritimati, which is 14 hours ahead.
    value["notes"] = serde_json::json!([{"body": "x", "created_at": "2026-11-21T10:00:00", "unpin_at": "2026-11-21T12:00:00"}]);
    sandbox.write("a.json", value.to_string());
    let codes = |zone: &str| -> Vec<String> {
        sandbox.validate(&["a.json", "--time-zone", zone, "--report", "r.json"]);
        found(&sandbox.rows("r.json"))
    };
    assert_ne!(codes("UTC"), codes("Pacific/Kiritimati"));
    sandbox.validate(&["a.json", "--supplier-zone", "Pacific/Kiritimati", "--report", "r.json"]);
    assert_eq!(found(&sandbox.rows("r.json")), codes("Pacific/Kiritimati"));
}
