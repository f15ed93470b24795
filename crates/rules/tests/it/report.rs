//! Order, deduplication and limit of the issues (rules 1.4).

use crate::{check, lines};
use cutover_core::{Code, Level};
use cutover_rules::{Profile, Report, Verdict};
use serde_json::{Value, json};

fn report(body: &Value) -> Report {
    check(body.to_string().as_bytes(), &Profile::default())
}

/// An account with `count` transactions that differ in their ids only.
fn account(count: usize, date: &str, amount: &str) -> Value {
    let transaction = |i| json!({"transaction_id": format!("T{i}"), "transaction_date": date, "amount": amount, "type": "CREDIT"});
    let current: Vec<Value> = (0..count).map(transaction).collect();
    json!({
        "import_supplier": "ACME", "external_account_number": "A-1", "unknown_occupier": true,
        "supply_addresses": [], "ledgers": [{"current_statement_transactions": current}],
    })
}

#[test]
fn issues_are_sorted_part_by_part_and_by_code() {
    let mut body = account(11, "2026-11-22", "1");
    let current = body["ledgers"][0]["current_statement_transactions"].as_array_mut().unwrap();
    current[10]["transaction_id"] = "T2".into();
    current[2]["type"] = "GIFT".into();
    current[9]["amount"] = "1.12345678901".into();
    body["ledgers"][0]["last_statement_closing_date"] = "2026-11-23".into();
    body["zzz"] = 1.into();
    body["Aaa"] = 1.into();
    let expected: Vec<String> = ["Aaa unknown_field"]
        .into_iter()
        .map(String::from)
        .chain((0..11).flat_map(|i| {
            let member = |name: &str| format!("ledgers.0.current_statement_transactions.{i}.{name}");
            let mut lines = Vec::new();
            if i == 9 {
                lines.push(member("amount max_decimal_places"));
            }
            lines.push(member(
                "transaction_date current_statement_transaction_before_last_statement_closing_date",
            ));
            lines.push(member("transaction_date transaction_in_future"));
            if i == 10 {
                lines.push(member("transaction_id duplicate_transaction_ids"));
            }
            if i == 2 {
                lines.push(member("type invalid_choice"));
            }
            lines
        }))
        .chain([
            "ledgers.0.last_statement_closing_date historical_statement_period_end_in_future".into(),
            "zzz unknown_field".into(),
        ])
        .collect();
    let found = report(&body).errors;
    assert_eq!(found.iter().map(|e| format!("{} {}", e.attr, e.code)).collect::<Vec<_>>(), expected);
}

#[test]
fn a_thousand_errors_are_all_given() {
    let report = report(&account(1_000, "2026-11-22", "1"));
    assert_eq!(report.errors.len(), 1_000);
    assert!(report.errors.iter().all(|e| e.code == Code::TransactionInFuture));
}

#[test]
fn of_more_errors_the_first_thousand_and_too_many_errors_are_given() {
    // Findings of the decoder and of the rules alternate.
    let mut body = account(10_000, "2026-11-22", "1");
    for transaction in body["ledgers"][0]["current_statement_transactions"].as_array_mut().unwrap() {
        transaction["type"] = "GIFT".into();
    }
    let errors = report(&body).errors;
    assert_eq!(errors.len(), 1_001);
    let mark = &errors[1_000];
    assert_eq!((mark.attr.to_string().as_str(), mark.code), ("non_field_errors", Code::TooManyErrors));
    for (i, pair) in errors[..1_000].chunks(2).enumerate() {
        let at = format!("ledgers.0.current_statement_transactions.{i}");
        assert_eq!(
            lines(pair),
            [
                format!("{at}.transaction_date transaction_in_future TXN-01 error"),
                format!("{at}.type invalid_choice STR-05 error"),
            ]
        );
    }
}

#[test]
fn warnings_do_not_count_towards_the_limit() {
    let mut body = account(10_000, "2026-11-20", "0.001");
    body["zzz"] = 1.into();
    let report = report(&body);
    assert_eq!(lines(&report.errors), ["zzz unknown_field STR-15 error"]);
    assert_eq!(report.warnings.len(), 1_000);
    assert!(
        report.warnings.iter().all(|w| w.level == Level::Warning && w.code == Code::AmountHasFractionOfCent)
    );
    assert_eq!(report.verdict(), Verdict::Refused);
}

#[test]
fn warnings_alone_are_accepted() {
    let report = report(&account(3, "2026-11-20", "0.001"));
    assert_eq!((report.errors.len(), report.verdict()), (0, Verdict::Accepted));
    assert_eq!(report.warnings.iter().filter(|w| w.code == Code::AmountHasFractionOfCent).count(), 3);
}

#[test]
fn a_body_that_is_not_an_object_has_one_error() {
    assert_eq!(lines(&report(&json!([1, 2])).errors), ["non_field_errors invalid STR-17 error"]);
}
