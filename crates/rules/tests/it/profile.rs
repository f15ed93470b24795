//! Levels that an operator sets (rules 1.5).

use crate::{check, check_historical_statements, facts, lines};
use cutover_core::{Level, RuleId, Zone};
use cutover_rules::{
    Country, Facts, InvalidProfile, LevelSource, MeterPointHolder, MeterPointKey, Profile, ProfileName,
};
use serde_json::json;
use std::collections::HashMap;

fn with(levels: &[(&'static str, Level)]) -> Profile {
    Profile::new(levels.iter().copied()).unwrap()
}

/// The levels of a profile that are not the default.
fn changes(profile: &Profile) -> Vec<(&'static str, Level)> {
    profile.changes().map(|change| (change.rule.id.0, change.level)).collect()
}

/// Errors and warnings of a body with a warning of the decoder, and a warning and an error of rules.
fn found(profile: &Profile) -> (Vec<String>, Vec<String>) {
    let body = json!({
        "import_supplier": "ACME", "external_account_number": "A-1", "unknown_occupier": true,
        "sales_channel": "PIGEON",
        "ledgers": [{
            "last_statement_closing_date": "2026-11-22",
            "current_statement_transactions": [
                {"transaction_id": "1", "transaction_date": "2026-11-23", "amount": "1.001", "type": "CHARGE"},
            ],
        }],
    });
    let report = check(body.to_string().as_bytes(), profile);
    let ours = |line: &String| ["STR-19", "LED-10", "LED-13"].iter().any(|id| line.contains(id));
    let own = |issues| lines(issues).into_iter().filter(ours).collect();
    (own(&report.errors), own(&report.warnings))
}

const CLOSING: &str =
    "ledgers.0.last_statement_closing_date historical_statement_period_end_in_future LED-10";
const FRACTION: &str = "ledgers.0.current_statement_transactions.0.amount amount_has_fraction_of_cent LED-13";
const CHANNEL: &str = "sales_channel unrecognised_value STR-19";

fn at(level: &str, lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| format!("{line} {level}")).collect()
}

#[test]
fn rules_have_the_levels_of_the_catalogue() {
    assert_eq!(found(&Profile::default()), (at("error", &[CLOSING]), at("warning", &[FRACTION, CHANNEL])));
}

#[test]
fn levels_can_be_raised_and_lowered() {
    let all = [("LED-10", Level::Warning), ("LED-13", Level::Error), ("STR-19", Level::Error)];
    assert_eq!(found(&with(&all)), (at("error", &[FRACTION, CHANNEL]), at("warning", &[CLOSING])));
}

/// Issues of a statement given twice: in the account, and in the statements request.
fn statement_twice(profile: &Profile) -> [Vec<String>; 2] {
    let statement = json!({
        "statement_id": "S-1", "bill_period_from_date": "2026-01-01", "bill_period_to_date": "2026-01-31",
    });
    let body = json!({
        "import_supplier": "ACME", "external_account_number": "A-1", "statements": [statement, statement],
    });
    [check, check_historical_statements].map(|check| {
        let report = check(body.to_string().as_bytes(), profile);
        let lines = lines(&report.errors).into_iter().chain(lines(&report.warnings));
        lines.filter(|line| line.contains("STM-02")).collect()
    })
}

#[test]
fn a_level_that_is_set_holds_after_the_import_too() {
    let line = |level| at(level, &["statements.1.statement_id duplicate_statement_ids STM-02"]);
    assert_eq!(statement_twice(&Profile::default()), ["warning", "error"].map(line));
    assert_eq!(statement_twice(&with(&[("LED-13", Level::Off)])), ["warning", "error"].map(line));
    for level in [Level::Error, Level::Warning] {
        let profile = with(&[("STM-02", level)]);
        assert_eq!(statement_twice(&profile), [level.as_str(); 2].map(line));
        assert_eq!(changes(&profile), [("STM-02", level)]);
    }
    assert_eq!(statement_twice(&with(&[("STM-02", Level::Off)])), [[""; 0]; 2]);
}

#[test]
fn rules_can_be_switched_off() {
    let off = [("LED-10", Level::Off), ("LED-13", Level::Off), ("STR-19", Level::Off)];
    assert_eq!(found(&with(&off)), (vec![], vec![]));
}

#[test]
fn a_meter_point_of_another_account_can_be_an_error() {
    let point = json!({"mpxn": "6001", "supply_start_date": "2026-01-01"});
    let body = json!({"supply_addresses": [{"meter_points": [point]}]}).to_string();
    let taken = MeterPointKey { mpxn: "6001".into(), supply_start_date: "2026-01-01".parse().unwrap() };
    let holder = MeterPointHolder { supplier: "ACME".into(), number: "A-7".into() };
    let taken = HashMap::from([(taken, holder)]);
    let found = |profile: &Profile| {
        let decoded = cutover_model::decode_account(body.as_bytes(), Zone::UTC).unwrap();
        let facts = Facts { taken_meter_points: Some(&taken), ..facts() };
        let report = cutover_rules::check_account(&decoded, facts, profile);
        let lines = lines(&report.errors).into_iter().chain(lines(&report.warnings));
        lines.filter(|line| line.contains("PST-12")).collect::<Vec<_>>()
    };
    let line = "supply_addresses.0.meter_points.0.mpxn meter_point_of_another_account PST-12";
    assert_eq!(found(&Profile::default()), at("warning", &[line]));
    assert_eq!(found(&with(&[("PST-12", Level::Error)])), at("error", &[line]));
    assert_eq!(found(&with(&[("PST-12", Level::Off)])), [""; 0]);
}

#[test]
fn an_erased_account_can_be_a_warning_or_nothing() {
    let body = json!({"external_account_number": "A-1"}).to_string();
    let found = |profile: &Profile| {
        let decoded = cutover_model::decode_account(body.as_bytes(), Zone::UTC).unwrap();
        let report = cutover_rules::check_account(&decoded, Facts { erased: Some(true), ..facts() }, profile);
        let lines = lines(&report.errors).into_iter().chain(lines(&report.warnings));
        lines.filter(|line| line.contains("PST-17")).collect::<Vec<_>>()
    };
    let line = "external_account_number account_erased PST-17";
    assert_eq!(found(&Profile::default()), at("error", &[line]));
    assert_eq!(found(&with(&[("PST-17", Level::Warning)])), at("warning", &[line]));
    assert_eq!(found(&with(&[("PST-17", Level::Off)])), [""; 0]);
    for (level, profile) in
        [(Level::Error, Profile::default()), (Level::Off, with(&[("PST-17", Level::Off)]))]
    {
        assert_eq!(cutover_rules::level_of_erased(&profile), level);
    }
}

#[test]
fn fixed_and_unknown_rules_cannot_be_set() {
    for id in ["STR-01", "STR-18", "STR-20", "SUP-01", "SUP-02", "LED-11", "DOC-02", "PST-11"] {
        let fixed = cutover_rules::rule(id).unwrap().id;
        assert_eq!(Profile::new([(id, Level::Warning)]), Err(InvalidProfile::Fixed(fixed)));
    }
    assert_eq!(Profile::new([("STR-99", Level::Off)]), Err(InvalidProfile::Unknown("STR-99".into())));
    assert_eq!(InvalidProfile::Fixed(RuleId("STR-01")).to_string(), "the level of rule STR-01 is fixed");
}

#[test]
fn changes_are_levels_that_differ_from_the_catalogue() {
    let profile = with(&[("SUP-03", Level::Error), ("LED-13", Level::Warning), ("LED-10", Level::Off)]);
    assert_eq!(changes(&profile), [("SUP-03", Level::Error), ("LED-10", Level::Off)]);
    assert_eq!(changes(&Profile::default()), []);
}

/// Levels of some rules in a profile.
fn levels<const N: usize>(profile: &Profile, ids: [&str; N]) -> [Level; N] {
    ids.map(|id| profile.level(cutover_rules::rule(id).unwrap()))
}

#[test]
fn profiles_have_names() {
    use Level::{Error, Off, Warning};
    let ids = ["AGR-07", "LED-01", "LED-13", "STR-01", "PST-17", "CUS-10"];
    let named = |name| levels(&Profile::named(name, Country::default()), ids);
    assert_eq!(named(ProfileName::Standard), [Warning, Error, Warning, Error, Error, Off]);
    assert_eq!(named(ProfileName::Strict), [Error, Error, Warning, Error, Error, Off]);
    assert_eq!(named(ProfileName::Lenient), [Warning, Warning, Warning, Error, Error, Off]);
    assert_eq!(Profile::named(ProfileName::Standard, Country::default()), Profile::default());
}

#[test]
fn a_rule_that_is_set_takes_precedence_over_the_profile() {
    let strict = || Profile::named(ProfileName::Strict, Country::default());
    let profile = strict().with([("AGR-07", Level::Off), ("LED-13", Level::Error)]).unwrap();
    assert_eq!(levels(&profile, ["AGR-07", "LED-13"]), [Level::Off, Level::Error]);
    let source =
        |id: &str| profile.changes().find(|change| change.rule.id.0 == id).map(|change| change.source);
    let sources = ["AGR-07", "LED-13", "AGR-08", "LED-01"].map(source);
    assert_eq!(sources, [Some(LevelSource::Rule), Some(LevelSource::Rule), Some(LevelSource::Profile), None]);
    assert_eq!(profile.changes().count(), strict().changes().count() + 1);
}

#[test]
fn undocumented_members_can_be_warnings() {
    let body = json!({"import_supplier": "ACME", "meters": 1, "customers": [{"market_type": "x", "given_names": []}]});
    let found = |undocumented: &str| {
        let profile = Profile::default().with_undocumented(undocumented.parse().unwrap());
        let report = check(body.to_string().as_bytes(), &profile);
        let own = |line: &String| line.contains("STR-15");
        [report.errors, report.warnings]
            .map(|issues| lines(&issues).into_iter().filter(own).collect::<Vec<_>>())
    };
    let [named, other, at_root] = [
        "customers.0.market_type unknown_field STR-15",
        "customers.0.given_names unknown_field STR-15",
        "meters unknown_field STR-15",
    ];
    assert_eq!(found("error"), [at("error", &[other, named, at_root]), vec![]]);
    assert_eq!(found("warning"), [vec![], at("warning", &[other, named, at_root])]);
    assert_eq!(found("market_type,x"), [at("error", &[other, at_root]), at("warning", &[named])]);
}
