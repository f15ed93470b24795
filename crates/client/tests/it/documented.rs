//! Runs the commands of docs/client.md.
#![cfg(unix)]

use crate::harness::{NOW, Sandbox, account, gzip, line};
use crate::stub::{KEY, Stub};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn every_command_of_the_page_runs() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/client.md");
    let page = std::fs::read_to_string(page).unwrap();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("$ cutover-client ")).collect();
    assert!(!commands.is_empty());
    let sandbox = Sandbox::new();
    sandbox.write("exports/a.ndjson", account("N-1"));
    sandbox.write("exports/b.json", line("faulty/PIN-01-same-type-twice"));
    sandbox.write(
        "acme.json",
        r#"{"code": "ACME", "time_zone": "Australia/Melbourne", "rules": {"PIN-01": "off"}}"#,
    );
    for (name, from) in [
        ("businesses.ndjson", "businesses/valid/cold_storage"),
        ("notes/calls.ndjson", "notes/valid/calls"),
        ("transactions.ndjson.gz", "transactions/valid/november"),
        ("statements.ndjson", "statements/valid/year"),
        ("instructions.ndjson", "payment_instructions/valid/card"),
    ] {
        let line = line(&format!("../{from}"));
        sandbox.write(name, if name.ends_with(".gz") { gzip(&line) } else { line });
    }
    sandbox.write("documents/letters/1.pdf", "%PDF-1.7");
    let stub = Stub::start();
    stub.answers("/v2/data-import/import-suppliers/ACME/progress/", [(200, progress())]);
    stub.answers("/v2/data-import/accounts/ACME/", [(200, json!([]))]);
    stub.answers("/v2/data-import/accounts/ACME/A-100/", [(200, json!({"status": "PENDING"}))]);
    let hold = json!({"by": "supplier", "since": "2026-11-21T22:31:07.123456+11:00", "because": null});
    for (act, hold) in [("hold", hold), ("release", json!(null))] {
        let path = format!("/v2/data-import/import-suppliers/ACME/{act}/");
        stub.answers(&path, [(200, json!({"hold": hold}))]);
    }
    let mut faulty = Vec::new();
    for command in commands {
        let checks = ["validate", "upload", "send"].iter().any(|checks| command.starts_with(checks));
        let now = if checks { format!(" --now {NOW}") } else { String::new() };
        let program = Path::new(env!("CARGO_BIN_EXE_cutover-client"));
        let service = format!("CUTOVER_BASE_URL={} CUTOVER_API_KEY={KEY}", stub.url());
        let script = format!("{service} '{}' {command}{now}", program.display());
        let ran = sandbox.shell(&script);
        assert!(ran.err.lines().all(|line| line.starts_with("note: ")), "{command}: {}", ran.err);
        match ran.code {
            Some(0) => {}
            Some(1) => faulty.push(command),
            code => panic!("{command}: {code:?}"),
        }
    }
    // Of the accounts in `exports/` one is faulty.
    assert_eq!(
        faulty,
        [
            "validate exports/ --time-zone Australia/Melbourne --report findings.html --report findings.csv",
            "upload exports/"
        ]
    );
    for made in [
        "findings.html",
        "findings.csv",
        "accounts.csv",
        "account.schema.json",
        "account.json",
        "cutover-client.bash",
        "man1/cutover-client.1",
    ] {
        assert!(!sandbox.read(made).is_empty(), "{made}");
    }
}

/// Progress of a supplier without accounts.
fn progress() -> Value {
    json!({"counts": {}, "top_errors": [], "rate_per_minute": "0.0", "estimated_finish_at": null,
        "totals": {"accounts": 0, "ledger_balance": "0.00", "readings": 0, "transactions": 0, "documents": 0}})
}
