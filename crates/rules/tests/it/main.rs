//! Tests of the catalogue, the report and the walk through the public API.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod catalogue;
mod fixtures;
mod great_britain;
mod members;
mod messages;
mod minimal;
mod mutations;
mod places;
mod profile;
mod report;

use cutover_core::{Issue, Level, Now, Zone};
use cutover_model::Limits;
use cutover_rules::{Facts, Profile, RULES, Report, Rule};
use serde_json::Value;
use std::path::Path;

/// 21 November 2026, 02:00 in UTC, of a known supplier.
fn facts() -> Facts<'static> {
    let now = Now::new("2026-11-21T02:00:00Z".parse().unwrap(), Zone::UTC);
    Facts { supplier_known: Some(true), ..Facts::at(now) }
}

fn check(body: &[u8], profile: &Profile) -> Report {
    cutover_rules::check_account(&cutover_model::decode_account(body, Zone::UTC).unwrap(), facts(), profile)
}

/// Decodes and checks the body of a request.
type Check = fn(&[u8], &Profile) -> Report;

/// Defines the checks of the other requests.
macro_rules! checks {
    ($($name:ident: $decode:ident;)*) => {
        $(
            fn $name(body: &[u8], profile: &Profile) -> Report {
                let decoded = cutover_model::$decode(body, Zone::UTC, Limits::default()).unwrap();
                cutover_rules::$name(&decoded, facts(), profile)
            }
        )*
    };
}

checks! {
    check_notes: decode_notes;
    check_transactions: decode_transactions;
    check_historical_statements: decode_historical_statements;
    check_payment_instruction: decode_payment_instruction;
    check_business: decode_business;
    check_business_payment_instruction: decode_business_payment_instruction;
    check_manifest: decode_manifest;
    check_manifest_numbers: decode_manifest_numbers;
    check_run: decode_run;
    check_account_search: decode_account_search;
}

/// Every kind of request: the folder of its fixtures, and its check.
const REQUESTS: [(&str, Check); 7] = [
    ("accounts", check),
    ("notes", check_notes),
    ("transactions", check_transactions),
    ("statements", check_historical_statements),
    ("payment_instructions", check_payment_instruction),
    ("businesses", check_business),
    ("business_payment_instructions", check_business_payment_instruction),
];

/// Returns the valid fixtures of one kind of request, ordered by name.
fn valid_fixtures(folder: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder).join("valid");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()).collect()
}

/// The profile in which every rule runs that accounts of several kinds meet: those that are off by default are warnings.
fn every_rule() -> Profile {
    let is_for_all = |rule: &&Rule| !is_british(rule) && rule.id.0 != "BUS-09";
    let off = RULES.iter().filter(|rule| rule.level == Level::Off).filter(is_for_all);
    Profile::new(off.map(|rule| (rule.id.0, Level::Warning))).unwrap()
}

fn is_british(rule: &Rule) -> bool {
    rule.id.0.starts_with("GBR-")
}

fn lines(issues: &[Issue]) -> Vec<String> {
    let line = |i: &Issue| format!("{} {} {} {}", i.attr, i.code, i.rule, i.level);
    issues.iter().map(line).collect()
}
