//! What stands in the reports.

use crate::harness::{Site, account, line, ndjson};
use serde_json::Value;

/// An account with a broken phone number, a hostile account number and a hostile member.
fn hostile() -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(&line("faulty/CUS-01-not-a-phone-number")).unwrap();
    value["external_account_number"] = "=HYPERLINK(\"http://x\",\"<b>y</b>\")".into();
    value["<script>alert(1)</script>"] = 1.into();
    value.to_string().into_bytes()
}

fn site() -> Site {
    let site = Site::new();
    let lines = ndjson(&["valid/gas", "faulty/STR-01-required", "faulty/ACC-05-online-without-email"]);
    site.write("in/a.ndjson", [&lines[..], &hostile(), b"\n{\n"].concat());
    site.write("in/b.json", account("N-1"));
    site
}

#[test]
fn every_format_has_every_finding() {
    let site = site();
    let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    let ran = site.validate(&[&["in"], &reports[..]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    insta::assert_snapshot!("json", site.read("r.json"));
    insta::assert_snapshot!("csv", site.read("r.csv").replace("\r\n", "\n"));
    let page = site.read("r.html");
    assert!(!page.contains("<script") && !page.contains("<b>"));
    insta::assert_snapshot!("html", &page[page.find("<body>").unwrap()..]);
    let names: Vec<_> = std::fs::read_dir(site.path(".")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "only the folder and the reports are left: {names:?}");
}

#[test]
fn no_value_of_an_account_is_in_a_report() {
    let site = site();
    let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
    site.validate(&[&["in"], &reports[..]].concat());
    let sent: Value = serde_json::from_slice(&hostile()).unwrap();
    let customer = sent["customers"][0].as_object().unwrap();
    let values = customer.values().filter_map(Value::as_str).filter(|value| value.len() > 6);
    let values: Vec<&str> = values.collect();
    assert!(!values.is_empty());
    for (value, report) in values.iter().flat_map(|v| ["r.json", "r.csv", "r.html"].map(|r| (v, r))) {
        assert!(!site.read(report).contains(value), "{value} in {report}");
    }
}

#[test]
fn without_findings_reports_are_whole_and_empty() {
    let site = Site::new();
    site.write("a.json", account("N-1"));
    let ran = site.validate(&["a.json", "--report", "r.json", "--report", "r.csv", "--report", "r.html"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(site.rows("r.json"), Vec::<Value>::new());
    assert_eq!(site.read("r.csv").lines().count(), 1);
    assert!(site.read("r.html").contains("<p>None.</p>"));
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_read() {
    let site = site();
    for (report, part) in
        [("gone/r.csv", "gone/r.csv cannot be written"), ("r.txt", "a report is a .json, .csv or .html file")]
    {
        let ran = site.validate(&["in", "--report", report]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.starts_with("error: ") && ran.err.contains(part), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
}
