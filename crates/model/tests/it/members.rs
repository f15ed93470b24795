//! The checks that each member's description names are those that the decoder makes.

use super::findings;
use cutover_model::Code;
use cutover_model::describe::{Member, members};
use std::collections::BTreeSet;

/// Values that some member refuses, with more than any limit.
fn values() -> Vec<String> {
    let long = format!("\"{}\"", "9".repeat(2_000));
    let fraction = "\"0.12345678901234567890123\"".to_owned();
    let items = format!("[{}]", vec!["{}"; 10_001].join(","));
    let others = [
        "null",
        "\"\"",
        "\" \"",
        "\"x\"",
        "\"\\u0000\"",
        "7",
        "0",
        "-1",
        "true",
        "{}",
        "[]",
        "99999",
        "100000",
    ];
    others.map(str::to_owned).into_iter().chain([long, fraction, "9".repeat(18), items]).collect()
}

/// An account with a value at a path, and the path with indexes.
fn account(member: &Member, value: &str) -> (String, String) {
    let mut body = value.to_owned();
    for part in member.path.rsplit('.') {
        let supply_type = member.supply_types.first().filter(|_| body.starts_with('{') && part == "#");
        body = match (part, supply_type) {
            ("#", _) => format!("[{body}]"),
            (name, _) => format!("{{\"{name}\":{body}}}"),
        };
    }
    if let (Some(kind), Some((point, rest))) =
        (member.supply_types.first(), body.split_once("\"meter_points\":[{"))
    {
        body = format!("{point}\"meter_points\":[{{\"supply_type\":\"{}\",{rest}", kind.as_str());
    }
    if member.path.starts_with("task_params") {
        body = format!("{{\"payload\":{{}},{}", &body[1..]);
    }
    (body, member.path.replace('#', "0"))
}

#[test]
fn the_checks_of_a_member_are_those_of_the_decoder() {
    let values = values();
    let of_account = members().into_iter().filter(|member| member.requests.contains(&"account"));
    let mut count = 0;
    for member in of_account {
        let mut found = BTreeSet::new();
        // Only an array has too many items.
        let is_list = member.checks.iter().any(|check| check.code == Code::NotAList);
        for value in values.iter().filter(|value| is_list || value.len() < 10_000) {
            let (body, path) = account(&member, value);
            let here = |line: String| line.strip_prefix(&format!("{path}: ")).map(str::to_owned);
            found.extend(findings(&body).into_iter().filter_map(here));
        }
        let mut checks: BTreeSet<String> =
            member.checks.iter().map(|check| check.code.as_str().to_owned()).collect();
        // It is missing in none of the bodies.
        checks.remove(Code::Required.as_str());
        assert_eq!(found, checks, "{}", member.path);
        count += 1;
    }
    assert!(count > 400, "{count}");
}
