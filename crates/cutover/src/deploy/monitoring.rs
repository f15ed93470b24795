//! Tests that alerts, dashboard and manual name metrics that `/metrics` prints, and the manual all of them.
//! The metrics come from a snapshot of a test of `cutover-http`, with the names and labels of the real
//! program.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::manifests::objects;
use super::{MANUAL, RULES, read, words_like};

const DASHBOARD: &str = "deploy/monitoring/cutover.dashboard.json";
/// Tests of the rules: series and the alerts they raise.
const TRIALS: &str = "deploy/monitoring/cutover.rules.test.yaml";

const PRINTED: &str = "crates/http/src/metrics/monitor/snapshots/cutover_http__metrics__monitor__tests__every_metric_with_its_labels.snap";

/// Labels that Prometheus adds.
const ADDED: [&str; 2] = ["job", "instance"];

/// Every printed series with its labels.
fn printed() -> BTreeMap<String, BTreeSet<String>> {
    let text = read(PRINTED);
    let series =
        text.lines().filter(|line| line.starts_with("cutover_")).flat_map(|line| line.split(' ').skip(2));
    let entry = |series: &str| {
        let (name, labels) = series.strip_suffix(')').unwrap().split_once('(').unwrap();
        let labels = labels.split(',').filter(|label| !label.is_empty()).chain(ADDED);
        (name.to_owned(), labels.map(str::to_owned).collect())
    };
    series.map(entry).collect()
}

/// The alerts: name, expression, and heading of the manual.
fn alerts() -> Vec<(String, String, String)> {
    let rules: Value = serde_saphyr::from_str(&read(RULES)).unwrap();
    let groups = rules["groups"].as_array().unwrap().iter();
    let rules = groups.flat_map(|group| group["rules"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned();
    rules
        .map(|rule| {
            assert!(
                ["warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()),
                "{rule}"
            );
            let (alert, expr) = (text(&rule["alert"]), text(&rule["expr"]));
            text(&rule["annotations"]["summary"]);
            (alert, expr, text(&rule["annotations"]["runbook"]))
        })
        .collect()
}

/// The expressions of all panels of the dashboard.
fn panels() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&read(DASHBOARD)).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.filter_map(|target| target["expr"].as_str().map(str::to_owned)).collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_lowercase() || c == '_'
}

/// Returns the unknown names in an expression.
fn faults(expression: &str, printed: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known: BTreeSet<&str> = ADDED.into();
    for (at, _) in expression.match_indices("cutover_") {
        let rest = &expression[at..];
        let (name, rest) = rest.split_at(rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()));
        let Some(labels) = printed.get(name) else {
            faults.push(format!("{name} is not printed: {expression}"));
            continue;
        };
        known.extend(labels.iter().map(String::as_str));
        let selector = rest.strip_prefix('{').and_then(|rest| rest.split('}').next()).unwrap_or_default();
        let matchers = selector.split("\",").filter_map(|matcher| matcher.split(['=', '!']).next());
        let unknown = matchers.map(str::trim).filter(|label| !label.is_empty() && !labels.contains(*label));
        faults.extend(unknown.map(|label| format!("{name} has no label {label}: {expression}")));
    }
    let grouped = expression.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    let labels = grouped.flat_map(|list| list.split(',').map(str::trim));
    let unknown = labels.filter(|label| !known.contains(label));
    faults.extend(unknown.map(|label| format!("nothing has the label {label}: {expression}")));
    faults
}

#[test]
fn alerts_and_dashboard_name_metrics_and_labels_that_are_printed() {
    let printed = printed();
    assert!(printed.len() > 20, "{printed:?}");
    let alerts = alerts();
    let asked: Vec<String> = alerts.into_iter().map(|(_, expr, _)| expr).chain(panels()).collect();
    let scalers = objects("ScaledObject")
        .into_iter()
        .map(|scaler| scaler["spec"]["triggers"][0]["metadata"]["query"].as_str().unwrap().to_owned());
    let asked: Vec<String> = asked.into_iter().chain(scalers).collect();
    assert!(asked.len() > 40, "{}", asked.len());
    let faults: Vec<String> = asked.iter().flat_map(|expression| faults(expression, &printed)).collect();
    assert_eq!(faults, [""; 0]);
}

#[test]
fn names_and_labels_that_are_not_printed_are_found() {
    let printed =
        BTreeMap::from([("cutover_x_total".to_owned(), ["route", "job"].map(str::to_owned).into())]);
    for (expression, expected) in [
        ("sum by (route) (rate(cutover_x_total{job=\"c\",route=~\"/v.*\"}[5m]))", 0),
        ("cutover_y_total > 0", 1),
        ("cutover_x_total{status!=\"5xx\"}", 1),
        ("sum by (status) (cutover_x_total)", 1),
    ] {
        assert_eq!(faults(expression, &printed).len(), expected, "{expression}");
    }
}

/// Returns the metric of a series: those of a histogram or counter share one, which the manual names without
/// suffix.
#[test]
fn every_metric_is_in_the_manual_and_no_other() {
    let manual = read(MANUAL);
    let metrics = manual.split("\n## Metrics\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let named: BTreeSet<String> = words_like(metrics, "cutover_", is_of_name).into_iter().collect();
    let base = |name: &String| ["_sum", "_count"].iter().all(|end| !name.ends_with(end));
    let printed = printed();
    let expected: BTreeSet<String> = printed.keys().filter(|name| base(name)).cloned().collect();
    assert_eq!(named, expected);
    let elsewhere: Vec<_> = words_like(&manual, "cutover_", is_of_name)
        .into_iter()
        .filter(|name| !names_one(name, &printed))
        .collect();
    assert_eq!(elsewhere, [""; 0]);
}

/// Roles and databases of the manual are named alike.
fn names_one(name: &str, printed: &BTreeMap<String, BTreeSet<String>>) -> bool {
    ["cutover_a", "cutover_b", "cutover_drill", "cutover_owner", "cutover_run"].contains(&name)
        || printed.contains_key(name)
}

#[test]
fn every_alert_has_its_text_in_the_manual() {
    let manual = read(MANUAL);
    let alerts = alerts();
    let unnamed: Vec<_> =
        alerts.iter().filter(|(name, ..)| !manual.contains(&format!("| `{name}` |"))).collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
    let anchors = super::names::anchors(&manual);
    for (name, _, runbook) in &alerts {
        let (page, anchor) = runbook.split_once('#').unwrap();
        assert!(page == MANUAL && anchors.contains(anchor), "{name}: {runbook}");
    }
    let told: BTreeSet<String> =
        words_like(&manual, "| `Cutover", |c| c.is_ascii_alphabetic()).into_iter().collect();
    assert_eq!(told.len(), alerts.len(), "{told:?}");
}

/// promtool checks that each trial ends as it says.
#[test]
fn every_alert_fires_in_a_trial_and_stays_silent_in_another() {
    let trials: Value = serde_saphyr::from_str(&read(TRIALS)).unwrap();
    let trials = trials["tests"].as_array().unwrap().iter();
    let trials: Vec<&Value> = trials.flat_map(|trial| trial["alert_rule_test"].as_array().unwrap()).collect();
    let is_tried = |name: &str, fires: bool| {
        let mut of_alert = trials.iter().filter(|trial| trial["alertname"] == name);
        of_alert.any(|trial| trial["exp_alerts"].as_array().unwrap().is_empty() != fires)
    };
    let untried: Vec<String> = alerts()
        .into_iter()
        .map(|(name, ..)| name)
        .filter(|name| !is_tried(name, true) || !is_tried(name, false))
        .collect();
    assert_eq!(untried, [""; 0]);
}
