//! The texts of issues: what is wrong and what was expected, without values of the payload.

use crate::{check, every_rule};
use cutover_core::Issue;
use serde_json::Value;
use std::path::Path;

fn messy() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/messy/account.json")).unwrap()
}

fn issues(body: &[u8]) -> Vec<Issue> {
    let report = check(body, &every_rule());
    report.errors.into_iter().chain(report.warnings).collect()
}

#[test]
fn a_messy_account_has_texts_that_say_what_was_expected() {
    let lines: Vec<String> = issues(&messy())
        .iter()
        .map(|issue| format!("{} {} ({})\n    {}", issue.attr, issue.code, issue.level, issue.detail))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// Replaces every string by one that no text may contain.
fn mark(value: &mut Value) {
    match value {
        Value::String(text) => text.push_str("\u{3b6}secret"),
        Value::Array(items) => items.iter_mut().for_each(mark),
        Value::Object(members) => members.values_mut().for_each(mark),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn texts_hold_nothing_that_was_sent() {
    let mut account: Value = serde_json::from_slice(&messy()).unwrap();
    mark(&mut account);
    let issues = issues(account.to_string().as_bytes());
    assert!(issues.len() > 20, "{}", issues.len());
    for issue in issues {
        assert!(
            !issue.detail.contains("secret") && issue.detail.is_ascii(),
            "{}: {}",
            issue.attr,
            issue.detail
        );
    }
}

#[test]
fn only_so_many_texts_are_compared_with_known_words() {
    let note = |n: usize| format!(r#"{{"transaction_id": "{n}", "type": "CHARG"}}"#);
    let transactions: Vec<String> = (0..2_000).map(note).collect();
    let body =
        format!(r#"{{"ledgers": [{{"historical_statement_transactions": [{}]}}]}}"#, transactions.join(","));
    let near = issues(body.as_bytes()).iter().filter(|issue| issue.detail.contains("`CHARGE`. ")).count();
    assert!((200..=1_000).contains(&near), "{near}");
}
