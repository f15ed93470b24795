//! The summary of `validate`.

use crate::harness::{Sandbox, fixture_text, names};
use serde_json::{Value, json};

/// All fixtures; most codes occur once in them.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for kind in ["valid", "faulty"] {
        for name in names(kind) {
            sandbox.write(&format!("{kind}/{name}.json"), fixture_text(&format!("{kind}/{name}")));
        }
    }
    sandbox
}

#[test]
fn the_text_has_sums_and_the_most_frequent_codes() {
    let ran = sandbox().validate(&["valid", "faulty"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "", "there is no bar where there is no terminal");
    insta::assert_snapshot!(ran.text());
}

#[test]
fn the_summary_is_one_json_document() {
    let ran = sandbox().validate(&["valid", "faulty", "--json"]);
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
fn sums_equal_those_of_the_report() {
    let sandbox = sandbox();
    let ran = sandbox.validate(&["valid", "faulty", "--json", "--report", "r.json"]);
    let rows = sandbox.rows("r.json");
    let count = |level: &str| json!(rows.iter().filter(|row| row["level"] == level).count());
    let summary = ran.summary();
    assert_eq!((&summary["errors"], &summary["warnings"]), (&count("error"), &count("warning")));
    let faulty: std::collections::BTreeSet<_> =
        rows.iter().filter(|row| row["level"] == "error").map(|row| row["file"].to_string()).collect();
    assert_eq!(summary["faulty"], json!(faulty.len()));
    assert_eq!(summary["accounts"], json!(names("valid").len() + names("faulty").len()));
}
