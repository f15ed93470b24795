//! The catalogue, the report and the walk as a whole, through the crate's public face.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod catalogue;
mod fixtures;
mod members;
mod mutations;
mod profile;
mod report;

use cutover_core::{Issue, Level, Now, Zone};
use cutover_model::decode_account;
use cutover_rules::{Facts, Profile, RULES, Report, check_account};

/// 21 November 2026, 02:00 in UTC, of a known supplier.
fn facts() -> Facts {
    let now = Now::new("2026-11-21T02:00:00Z".parse().unwrap(), Zone::UTC);
    Facts { now, supplier_known: Some(true) }
}

fn check(body: &[u8], profile: &Profile) -> Report {
    check_account(&decode_account(body, Zone::UTC).unwrap(), facts(), profile)
}

/// The catalogue's levels, but what is off by default is a warning: every rule runs.
fn every_rule() -> Profile {
    let off = RULES.iter().filter(|rule| rule.level == Level::Off);
    Profile::new(off.map(|rule| (rule.id.0, Level::Warning))).unwrap()
}

fn lines(issues: &[Issue]) -> Vec<String> {
    let line = |i: &Issue| format!("{} {} {} {}", i.attr, i.code, i.rule, i.level);
    issues.iter().map(line).collect()
}
