//! What tests of rules share: a payload in, the findings out, a line each.

use crate::{Profile, RULES, check_account};
use cutover_core::{Issue, Level, Now};
use cutover_model::{Limits, decode_account};

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

/// What decoder and rules find in an account or envelope: `attr code (level)` a line, errors first,
/// in the order of an answer. Rules that are off by default are warnings here.
///
/// The body is a `json!` value or, where the digits of a number matter, its text.
pub(crate) fn issues(body: impl ToString) -> Vec<String> {
    check(&body.to_string(), facts(), &profile(|_| true)).iter().map(line).collect()
}

/// What one rule of the catalogue finds; nothing: it stays silent.
pub(crate) fn of(id: &str, body: impl ToString) -> Vec<String> {
    of_with(id, body, facts())
}

/// What one rule of the catalogue finds, given these facts.
pub(crate) fn of_with(id: &str, body: impl ToString, facts: Facts<'_>) -> Vec<String> {
    assert!(crate::rule(id).is_some(), "there is no rule {id}");
    let found = check(&body.to_string(), facts, &profile(|other| other == id));
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

/// What one rule finds; paths start inside the one meter point, or the one meter, of the account.
pub(crate) fn found(id: &str, account: impl ToString) -> Vec<String> {
    let inside = |line: String| {
        let line =
            line.strip_prefix("supply_addresses.0.meter_points.0.").map_or(line.clone(), str::to_owned);
        line.strip_prefix("meters.0.").map_or(line.clone(), str::to_owned)
    };
    of(id, account).into_iter().map(inside).collect()
}

/// What one rule of the catalogue finds in each of the other requests, given these facts.
macro_rules! requests {
    ($($of:ident: $decode:ident, $check:ident;)*) => {
        $(
            pub(crate) fn $of(id: &str, body: impl ToString, facts: Facts<'_>) -> Vec<String> {
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
    of_notes: decode_notes, check_notes;
    of_transactions: decode_transactions, check_transactions;
    of_statements: decode_historical_statements, check_historical_statements;
    of_instruction: decode_payment_instruction, check_payment_instruction;
    of_business: decode_business, check_business;
    of_business_instruction: decode_business_payment_instruction, check_business_payment_instruction;
}

/// A transaction without anything that is not required.
pub(crate) fn transaction(kind: &str, date: &str, amount: &str) -> Value {
    json!({"transaction_id": format!("{kind} {date} {amount}"), "transaction_date": date, "amount": amount, "type": kind})
}

/// A payment of 1.00 on a day.
pub(crate) fn on(date: &str) -> Value {
    transaction("PAYMENT", date, "1.00")
}

/// Holds if the rule finds exactly this in an account with one ledger.
#[track_caller]
pub(crate) fn fires(rule: &str, ledger: &Value, expected: &[&str]) {
    assert_eq!(of(rule, json!({"ledgers": [ledger]})), expected, "{ledger}");
}

/// What a rule finds in a transactions request.
pub(crate) fn request_finds(rule: &str, transactions: &Value) -> Vec<String> {
    let body =
        json!({"import_supplier": "ACME", "external_account_number": "A", "transactions": transactions});
    of_transactions(rule, body, facts())
}

/// The rules that are wanted at their levels, those off by default as warnings; of the others only
/// the fixed ones run.
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
fn rules_off_by_default_run_and_others_can_be_left_out() {
    let body = serde_json::json!({"customers": [{"given_name": "Ann"}]});
    assert!(
        issues(&body).contains(&"customers.0.family_name customer_family_name_required (warning)".into())
    );
    assert!(issues(&body).contains(&"import_supplier required (error)".into()));
    assert_eq!(of("CUS-08", &body), ["customers.0.family_name customer_family_name_required (warning)"]);
}
