//! The British fixtures, checked as of a supplier in Great Britain. Those with faults are named so.

use crate::{Check, check, check_business, is_british, lines};
use cutover_rules::{Profile, ProfileName, RULES};
use std::fmt::Write;
use std::path::Path;

/// Returns the name of a fixture and its findings.
fn section(path: &Path, check: Check) -> String {
    let profile = Profile::named(ProfileName::Standard, "GB".parse().unwrap());
    let report = check(&std::fs::read(path).unwrap(), &profile);
    let found = [lines(&report.errors), lines(&report.warnings)].concat();
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(found.is_empty(), !name.starts_with("faulty"), "{name}: {found:#?}");
    found.iter().fold(format!("{name}\n"), |text, line| text + "  " + line + "\n")
}

#[test]
fn british_requests_have_the_findings_of_the_snapshot() {
    let mut text = String::new();
    insta::glob!("../../../../fixtures/accounts/great_britain", "*.json", |path| {
        writeln!(text, "accounts/{}", section(path, check)).unwrap();
    });
    insta::glob!("../../../../fixtures/businesses/great_britain", "*.json", |path| {
        writeln!(text, "businesses/{}", section(path, check_business)).unwrap();
    });
    insta::assert_snapshot!("GBR", text.trim_end());
    for rule in RULES.iter().filter(|rule| is_british(rule)) {
        assert!(text.contains(rule.id.0), "no fixture shows {}", rule.id);
    }
}
