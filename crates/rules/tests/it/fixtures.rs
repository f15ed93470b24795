//! Every fixture with all that is found in it. A faulty one is named after the rule it shows.

use crate::{check, every_rule, lines};
use cutover_rules::Report;
use std::path::Path;

const FOLDER: &str = "../../../../fixtures/accounts";

fn found(path: &Path) -> Report {
    check(&std::fs::read(path).unwrap(), &every_rule())
}

#[test]
fn valid_accounts_have_no_issue() {
    insta::glob!(FOLDER, "valid/*.json", |path| {
        let report = found(path);
        assert_eq!(lines(&report.errors), [""; 0]);
        assert_eq!(lines(&report.warnings), [""; 0]);
    });
}

#[test]
fn faulty_accounts() {
    insta::glob!(FOLDER, "faulty/*.json", |path| {
        let report = found(path);
        let lines = [lines(&report.errors), lines(&report.warnings)].concat();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap();
        assert!(
            lines.iter().any(|line| line.contains(&name[..6])),
            "{name} does not show its rule: {lines:#?}"
        );
        insta::assert_snapshot!(lines.join("\n"));
    });
}

#[test]
fn every_payload_rule_has_a_fixture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/faulty");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let shown = |id: &str| names.iter().any(|name| name.starts_with(id));
    let missing: Vec<_> = cutover_rules::RULES.iter().map(|rule| rule.id.0).filter(|id| !shown(id)).collect();
    assert_eq!(missing, WITHOUT_FIXTURE);
}

/// What an account that is JSON, of a known supplier, cannot show.
const WITHOUT_FIXTURE: &[&str] = &["STR-18", "PST-01"];
