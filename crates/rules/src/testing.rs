//! Helpers for tests of rules, which return one line for each issue.

use crate::{Profile, RULES, check_account};
use cutover_core::{Issue, Level, Now};
use cutover_model::{Limits, RuleValues, decode_account};

pub(crate) use crate::Facts;
pub(crate) use serde_json::{Value, json};

/// 21 November 2026, 02:00 in UTC; the supplier is known.
pub(crate) fn facts() -> Facts<'static> {
    facts_at("2026-11-21T02:00:00Z", "UTC")
}

/// An instant of RFC 3339, seen in the zone of an IANA name; the supplier is known.
pub(crate) fn facts_at(instant: &str, zone: &str) -> Facts<'static> {
    let now = Now::new(instant.parse().unwrap(), zone.parse().unwrap());
    Facts { supplier_known: Some(true), ..Facts::at(now) }
}

/// Checks an account or envelope and returns all issues as `attr code (level)`, in the order of an answer,
/// errors first. Rules that are off by default are warnings here.
///
/// The body is a `json!` value or, where the digits of a number matter, its text.
pub(crate) fn issues(body: impl ToString) -> Vec<String> {
    check(&body.to_string(), facts(), &profile(|_| true)).iter().map(line).collect()
}

/// Runs one rule on an account or envelope.
pub(crate) fn run(id: &str, body: impl ToString) -> Vec<String> {
    run_with(id, body, facts())
}

/// Runs one rule with these facts.
pub(crate) fn run_with(id: &str, body: impl ToString, facts: Facts<'_>) -> Vec<String> {
    assert!(crate::rule(id).is_some(), "there is no rule {id}");
    let found = check(&body.to_string(), facts, &profile(|other| other == id));
    found.iter().filter(|issue| issue.rule.0 == id).map(line).collect()
}

/// Runs one rule for a supplier with these values.
pub(crate) fn run_with_values(id: &str, body: impl ToString, values: RuleValues) -> Vec<String> {
    let profile = profile(|other| other == id).with_values(values.into());
    let found = check(&body.to_string(), facts(), &profile);
    found.iter().filter(|issue| issue.rule.0 == id).map(line).collect()
}

/// An account with one meter point.
pub(crate) fn point(point: Value) -> Value {
    json!({"supply_addresses": [{"meter_points": [point]}]})
}

/// An account with one meter, at a meter point of this supply type.
pub(crate) fn meter(supply_type: &str, meter: Value) -> Value {
    point(json!({"supply_type": supply_type, "meters": [meter]}))
}

/// Runs one rule. Paths are relative to the only meter point, or the only meter, of the account.
pub(crate) fn found(id: &str, account: impl ToString) -> Vec<String> {
    let inside = |line: String| {
        let line =
            line.strip_prefix("supply_addresses.0.meter_points.0.").map_or(line.clone(), str::to_owned);
        line.strip_prefix("meters.0.").map_or(line.clone(), str::to_owned)
    };
    run(id, account).into_iter().map(inside).collect()
}

/// Functions that run one rule on the other requests.
macro_rules! requests {
    ($($run:ident: $decode:ident, $check:ident;)*) => {
        $(
            pub(crate) fn $run(id: &str, body: impl ToString, facts: Facts<'_>) -> Vec<String> {
                let body = body.to_string();
                let decoded = cutover_model::$decode(body.as_bytes(), facts.now.zone, Limits::default()).unwrap();
                let report = crate::$check(&decoded, facts, &profile(|other| other == id));
                let found = report.errors.iter().chain(&report.warnings);
                found.filter(|issue| issue.rule.0 == id).map(line).collect()
            }
        )*
    };
}

requests! {
    run_notes: decode_notes, check_notes;
    run_transactions: decode_transactions, check_transactions;
    run_statements: decode_historical_statements, check_historical_statements;
    run_instruction: decode_payment_instruction, check_payment_instruction;
    run_business: decode_business, check_business;
    run_business_instruction: decode_business_payment_instruction, check_business_payment_instruction;
}

/// A transaction with the required members only.
pub(crate) fn transaction(kind: &str, date: &str, amount: &str) -> Value {
    json!({"transaction_id": format!("{kind} {date} {amount}"), "transaction_date": date, "amount": amount, "type": kind})
}

/// A payment of 1.00 on a day.
pub(crate) fn on(date: &str) -> Value {
    transaction("PAYMENT", date, "1.00")
}

/// Asserts that the rule finds exactly this in an account with one ledger.
#[track_caller]
pub(crate) fn fires(rule: &str, ledger: &Value, expected: &[&str]) {
    assert_eq!(run(rule, json!({"ledgers": [ledger]})), expected, "{ledger}");
}

/// Runs one rule on a transactions request.
pub(crate) fn request_finds(rule: &str, transactions: &Value) -> Vec<String> {
    let body =
        json!({"import_supplier": "ACME", "external_account_number": "A", "transactions": transactions});
    run_transactions(rule, body, facts())
}

/// The profile in which the wanted rules have their default levels, or are warnings if these are off. Of the
/// other rules only those with fixed levels run.
fn profile(is_wanted: impl Fn(&str) -> bool) -> Profile {
    let level = |id, default| match default {
        _ if !is_wanted(id) => Level::Off,
        Level::Off => Level::Warning,
        level => level,
    };
    let free = RULES.iter().filter(|rule| !rule.fixed);
    let set = free.map(|rule| (rule.id.0, rule.level, level(rule.id.0, rule.level)));
    Profile::new(set.filter(|(_, own, level)| own != level).map(|(id, _, level)| (id, level))).unwrap()
}

fn check(body: &str, facts: Facts<'_>, profile: &Profile) -> Vec<Issue> {
    let decoded = decode_account(body.as_bytes(), facts.now.zone).unwrap();
    let report = check_account(&decoded, facts, profile);
    report.errors.into_iter().chain(report.warnings).collect()
}

fn line(issue: &Issue) -> String {
    format!("{} {} ({})", issue.attr, issue.code, issue.level)
}

#[test]
fn rules_off_by_default_run_and_others_can_be_switched_off() {
    let body = serde_json::json!({"customers": [{"given_name": "Ann"}]});
    assert!(
        issues(&body).contains(&"customers.0.family_name customer_family_name_required (warning)".into())
    );
    assert!(issues(&body).contains(&"import_supplier required (error)".into()));
    assert_eq!(run("CUS-08", &body), ["customers.0.family_name customer_family_name_required (warning)"]);
}
