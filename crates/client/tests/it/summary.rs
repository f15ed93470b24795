//! What is printed at the end.

use crate::harness::{Site, fixture_text, names};
use serde_json::{Value, json};

/// All fixtures, which show most codes once.
fn site() -> Site {
    let site = Site::new();
    for kind in ["valid", "faulty"] {
        for name in names(kind) {
            site.write(&format!("{kind}/{name}.json"), fixture_text(&format!("{kind}/{name}")));
        }
    }
    site
}

#[test]
fn people_read_sums_and_the_most_frequent_codes() {
    let ran = site().validate(&["valid", "faulty"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "", "there is no bar where there is no terminal");
    insta::assert_snapshot!(ran.text());
}

#[test]
fn programs_read_one_document() {
    let ran = site().validate(&["valid", "faulty", "--json"]);
    let mut summary = ran.summary();
    for figure in ["seconds", "accounts_per_second"] {
        assert!(summary[figure].is_number(), "{figure}");
        summary[figure] = Value::Null;
    }
    summary["top_errors"].as_array_mut().unwrap().truncate(2);
    summary["top_warnings"].as_array_mut().unwrap().truncate(1);
    insta::assert_json_snapshot!(summary);
}

#[test]
fn sums_are_those_of_the_report() {
    let site = site();
    let ran = site.validate(&["valid", "faulty", "--json", "--report", "r.json"]);
    let rows = site.rows("r.json");
    let count = |level: &str| json!(rows.iter().filter(|row| row["level"] == level).count());
    let summary = ran.summary();
    assert_eq!((&summary["errors"], &summary["warnings"]), (&count("error"), &count("warning")));
    let faulty: std::collections::BTreeSet<_> =
        rows.iter().filter(|row| row["level"] == "error").map(|row| row["file"].to_string()).collect();
    assert_eq!(summary["faulty"], json!(faulty.len()));
    assert_eq!(summary["accounts"], json!(names("valid").len() + names("faulty").len()));
}
