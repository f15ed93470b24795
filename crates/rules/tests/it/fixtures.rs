//! Every fixture with all its issues. A faulty one is named after the rule that it shows.

use crate::{Check, REQUESTS, every_rule, facts, is_british, lines};
use cutover_core::{Level, Zone};
use cutover_rules::{Needs, Profile, RULES, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn checked(path: &Path, check: Check) -> Report {
    check(&std::fs::read(path).unwrap(), &every_rule())
}

fn assert_no_issue(path: &Path, check: Check) {
    let report = checked(path, check);
    assert_eq!(lines(&report.errors), [""; 0], "{}", path.display());
    assert_eq!(lines(&report.warnings), [""; 0], "{}", path.display());
}

/// The faulty fixtures, grouped by the prefix of the rule that they are named after and ordered by name.
fn families() -> BTreeMap<String, BTreeSet<(String, &'static str)>> {
    let mut families = BTreeMap::<String, BTreeSet<_>>::new();
    for (folder, _) in REQUESTS {
        for path in files(folder, "faulty") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            families.entry(name[..3].to_owned()).or_default().insert((name, folder));
        }
    }
    families
}

/// Returns the path of a fixture and all its issues, after checking that one is of the rule it is named
/// after.
fn section(folder: &str, name: &str) -> String {
    let (_, check) = REQUESTS.into_iter().find(|(other, _)| *other == folder).unwrap();
    let body = std::fs::read(fixtures().join(folder).join("faulty").join(name)).unwrap();
    // Rules that only some suppliers want run in their own fixtures.
    let own = cutover_rules::rule(&name[..6]).filter(|rule| rule.level == Level::Off);
    let profile = every_rule().with(own.map(|rule| (rule.id.0, Level::Warning))).unwrap();
    let report = check(&body, &profile);
    let lines = [lines(&report.errors), lines(&report.warnings)].concat();
    assert!(lines.iter().any(|line| line.contains(&name[..6])), "{name} does not show its rule: {lines:#?}");
    format!("{folder}/faulty/{name}\n  {}\n", lines.join("\n  "))
}

#[test]
fn faulty_requests_have_the_issues_of_their_snapshots() {
    for (prefix, fixtures) in families() {
        let text: Vec<String> = fixtures.iter().map(|(name, folder)| section(folder, name)).collect();
        insta::assert_snapshot!(prefix, text.join("\n"));
    }
}

#[test]
fn valid_requests_have_no_issue() {
    for (folder, check) in REQUESTS {
        let mut count = 0;
        for path in files(folder, "valid") {
            assert_no_issue(&path, check);
            count += 1;
        }
        assert!(count > 0, "{folder}");
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn files(folder: &str, kind: &str) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(fixtures().join(folder).join(kind)).unwrap().map(|entry| entry.unwrap().path())
}

#[test]
fn every_payload_rule_has_a_fixture() {
    let files = REQUESTS.iter().flat_map(|(folder, _)| files(folder, "faulty"));
    let names: Vec<String> = files.map(|path| path.file_name().unwrap().to_string_lossy().into()).collect();
    let shown = |id: &str| names.iter().any(|name| name.starts_with(id));
    let payload = RULES.iter().filter(|rule| rule.needs == Needs::Payload && !is_british(rule));
    let missing: Vec<_> = payload.map(|rule| rule.id.0).filter(|id| !shown(id)).collect();
    assert_eq!(missing, ["STR-18"], "no fixture is broken JSON");
}

#[test]
fn the_errors_are_the_same_without_the_warnings() {
    let mut errors = 0;
    for profile in [Profile::default(), every_rule()] {
        for path in files("accounts", "faulty") {
            let body = std::fs::read(&path).unwrap();
            let decoded = cutover_model::decode_account(&body, Zone::UTC).unwrap();
            let whole = cutover_rules::check_account(&decoded, facts(), &profile);
            let alone = cutover_rules::check_account_from(Level::Error, &decoded, facts(), &profile);
            errors += alone.errors.len();
            assert_eq!(alone, Report { warnings: vec![], ..whole }, "{}", path.display());
        }
    }
    assert!(errors > 0);
}
