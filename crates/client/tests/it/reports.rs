//! Content of the reports.

use crate::harness::{Sandbox, account, line, ndjson};
use serde_json::Value;

/// An account with a broken phone number, a hostile account number and a hostile member.
fn hostile() -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(&line("faulty/CUS-01-not-a-phone-number")).unwrap();
    value["external_account_number"] = "=HYPERLINK(\"http://x\",\"<b>y</b>\")".into();
    value["<script>alert(1)</script>"] = 1.into();
    value.to_string().into_bytes()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines = ndjson(&["valid/gas", "faulty/STR-01-required", "faulty/ACC-05-online-without-email"]);
    sandbox.write("in/a.ndjson", [&lines[..], &hostile(), b"\n{\n"].concat());
    sandbox.write("in/b.json", account("N-1"));
    sandbox
}

#[test]
fn every_format_has_every_finding() {
    let sandbox = sandbox();
    let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    let ran = sandbox.validate(&[&["in"], &reports[..]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    insta::assert_snapshot!("json", sandbox.read("r.json"));
    insta::assert_snapshot!("csv", sandbox.read("r.csv").replace("\r\n", "\n"));
    let page = sandbox.read("r.html");
    assert!(!page.contains("<script") && !page.contains("<b>"));
    insta::assert_snapshot!("html", &page[page.find("<body>").unwrap()..]);
    let names: Vec<_> =
        std::fs::read_dir(sandbox.path(".")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "only the folder and the reports are left: {names:?}");
}

#[test]
fn no_value_of_an_account_is_in_a_report() {
    let sandbox = sandbox();
    let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    sandbox.validate(&[&["in"], &reports[..]].concat());
    let sent: Value = serde_json::from_slice(&hostile()).unwrap();
    let customer = sent["customers"][0].as_object().unwrap();
    let values = customer.values().filter_map(Value::as_str).filter(|value| value.len() > 6);
    let values: Vec<&str> = values.collect();
    assert!(!values.is_empty());
    for (value, report) in values.iter().flat_map(|v| ["r.json", "r.csv", "r.html"].map(|r| (v, r))) {
        assert!(!sandbox.read(report).contains(value), "{value} in {report}");
    }
}

#[test]
fn without_findings_reports_are_complete_and_empty() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", account("N-1"));
    let ran = sandbox.validate(&["a.json", "--report", "r.json", "--report", "r.csv", "--report", "r.html"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(sandbox.rows("r.json"), Vec::<Value>::new());
    assert_eq!(sandbox.read("r.csv").lines().count(), 1);
    assert!(sandbox.read("r.html").contains("<p>None.</p>"));
}

#[test]
fn an_unwritable_report_is_refused_before_any_input_is_read() {
    let sandbox = sandbox();
    for (report, part) in [
        ("gone/r.csv", "gone/r.csv cannot be written"),
        ("r.txt", "the report r.txt is not a .json, .csv or .html file"),
    ] {
        let ran = sandbox.validate(&["in", "--report", report]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.starts_with("error: ") && ran.err.contains(part), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
}
