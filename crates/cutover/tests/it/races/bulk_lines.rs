//! Lines of one account in a bulk request take effect in their order.

use super::{COME_AGAIN, at_once, rounds};
use crate::harness::{Client, Installation, wait_for};
use crate::payloads::small;
use serde_json::{Value, json};

const BULK: &str = "/v2/data-import/accounts/bulk/";
const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME/progress/";
/// Number of bulk requests at a time.
const BODIES: usize = 4;
/// Number of versions of an account in a body. Each has its number, from 1, as balance.
const VERSIONS: usize = 8;

fn account(number: &str, version: usize) -> Value {
    let mut account = small(number);
    account["ledgers"][0]["ledger_balance"] = json!(format!("{version}.00"));
    account["ledgers"][0]["current_statement_transactions"][0]["amount"] = json!(format!("{version}.00"));
    account
}

/// A refused account.
fn bad(number: &str) -> Value {
    let mut account = small(number);
    account["nmuber"] = json!(1);
    account
}

/// Sends lines, and asserts that each is answered with its status. If a slow machine does not keep up with some, all are sent
/// again.
fn send(client: &Client, lines: &[(Value, u16)]) {
    let body: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let status = |line: &str| serde_json::from_str::<Value>(line).unwrap()["status"].as_u64().unwrap();
    let (statuses, answers) = wait_for("the lines are answered", || {
        let answer = client.send("POST", BULK, &[("Content-Type", "application/x-ndjson")], body.as_bytes());
        let statuses: Vec<u64> = answer.text().lines().map(status).collect();
        let comes_again = |status: u16| answer.status == status || statuses.contains(&status.into());
        if COME_AGAIN.into_iter().any(comes_again) {
            Err(answer.text())
        } else {
            Ok((statuses, answer.text()))
        }
    });
    let expected: Vec<u64> = lines.iter().map(|(_, status)| u64::from(*status)).collect();
    assert_eq!(statuses, expected, "{answers}");
}

/// Lines of accounts that are new in this round, and of accounts that are sent in every round.
fn lines(body: usize, round: usize) -> Vec<(Value, u16)> {
    let versions = (1..=VERSIONS).map(|version| (account(&format!("V-{body}-{round}"), version), 201));
    let mut lines: Vec<_> = versions.collect();
    for (place, of_round) in [(format!("{body}-{round}"), true), (format!("{body}"), false)] {
        let (fixed, broken) = (format!("FIXED-{place}"), format!("BROKEN-{place}"));
        let version = if of_round { 1 } else { round + 1 };
        lines.extend([(bad(&fixed), 400), (account(&fixed, version), 201)]);
        lines.extend([(account(&broken, version), 201), (bad(&broken), 400)]);
    }
    lines
}

#[test]
fn the_last_line_of_an_account_decides() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "hold", "ACME"]);
    let declared =
        json!({"accounts": 0, "documents": 0, "ledger_balance": "0", "readings": 0, "transactions": 0});
    let path = "/v2/data-import/import-suppliers/ACME/manifest/";
    assert_eq!(client.put_json(path, &declared).status, 200);
    let rounds = rounds();
    for round in 0..rounds {
        at_once(BODIES, |body| send(&client, &lines(body, round)));
        let progress = client.get(PROGRESS).json();
        // Of each body and round the last version and two accounts, and of two accounts this round's version.
        let balance = BODIES * (VERSIONS + 4) * (round + 1);
        let sent = &progress["manifest"]["sent"]["ledger_balance"];
        assert_eq!(*sent, format!("{balance}.00"), "round {round}");
        assert_eq!(progress["refused"]["accounts"], BODIES * (round + 2), "round {round}");
    }
    println!("{rounds} rounds");
}
