//! Every fixture with all that is found in it. A faulty one is named after the rule it shows.

use crate::{Check, REQUESTS, every_rule, lines};
use cutover_rules::{Needs, RULES, Report};
use std::path::Path;

const FIXTURES: &str = "../../../../fixtures";

fn found(path: &Path, check: Check) -> Report {
    check(&std::fs::read(path).unwrap(), &every_rule())
}

fn has_no_issue(path: &Path, check: Check) {
    let report = found(path, check);
    assert_eq!(lines(&report.errors), [""; 0], "{}", path.display());
    assert_eq!(lines(&report.warnings), [""; 0], "{}", path.display());
}

/// All that is found, the rule it is named after among it.
fn shown(path: &Path, check: Check) -> String {
    let report = found(path, check);
    let lines = [lines(&report.errors), lines(&report.warnings)].concat();
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap();
    assert!(lines.iter().any(|line| line.contains(&name[..6])), "{name} does not show its rule: {lines:#?}");
    lines.join("\n")
}

macro_rules! faulty {
    ($($test:ident: $folder:literal, $check:path;)*) => {
        $(
            #[test]
            fn $test() {
                insta::glob!(FIXTURES, concat!($folder, "/faulty/*.json"), |path| {
                    insta::assert_snapshot!(shown(path, $check));
                });
            }
        )*
    };
}

faulty! {
    faulty_accounts: "accounts", crate::check;
    faulty_notes: "notes", crate::check_notes;
    faulty_transactions: "transactions", crate::check_transactions;
    faulty_statements: "statements", crate::check_historical_statements;
    faulty_payment_instructions: "payment_instructions", crate::check_payment_instruction;
    faulty_businesses: "businesses", crate::check_business;
    faulty_business_payment_instructions:
        "business_payment_instructions", crate::check_business_payment_instruction;
}

#[test]
fn valid_requests_have_no_issue() {
    for (folder, check) in REQUESTS {
        let mut count = 0;
        for path in files(folder, "valid") {
            has_no_issue(&path, check);
            count += 1;
        }
        assert!(count > 0, "{folder}");
    }
}

fn files(folder: &str, kind: &str) -> impl Iterator<Item = std::path::PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read_dir(fixtures.join(folder).join(kind)).unwrap().map(|entry| entry.unwrap().path())
}

#[test]
fn every_payload_rule_has_a_fixture() {
    let files = REQUESTS.iter().flat_map(|(folder, _)| files(folder, "faulty"));
    let names: Vec<String> = files.map(|path| path.file_name().unwrap().to_string_lossy().into()).collect();
    let shown = |id: &str| names.iter().any(|name| name.starts_with(id));
    let payload = RULES.iter().filter(|rule| rule.needs == Needs::Payload).map(|rule| rule.id.0);
    assert_eq!(payload.filter(|id| !shown(id)).collect::<Vec<_>>(), ["STR-18"], "no fixture is broken JSON");
}
