//! Properties of the issues of valid requests in which one value is replaced, removed or repeated.

use crate::{Check, REQUESTS, every_rule, valid_fixtures};
use cutover_core::{AttrPath, Segment};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Each valid fixture with its check.
static FIXTURES: LazyLock<Vec<(Check, Value)>> = LazyLock::new(|| {
    let of = |(folder, check)| valid_fixtures(folder).into_iter().map(move |body| (check, body));
    REQUESTS.into_iter().flat_map(of).collect()
});

/// Collects the JSON pointers of all values inside.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let mut each = |name: &str, value: &Value| {
        let at = format!("{at}/{name}");
        pointers(value, &at, all);
        all.push(at);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| each(name, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, value)| each(&i.to_string(), value)),
        _ => {}
    }
}

/// Values of the wrong kind, and of the right kind at the edges.
fn replacements() -> Vec<Value> {
    let texts =
        ["", " ", "x", "0", "-0.001", "9999999999.9999999999", "0001-01-01", "9999-12-31", "2026-11-22"];
    let texts = texts.into_iter().chain([
        "2026-11-22T00:00:00Z",
        "9999-12-31T23:59:59",
        "CARD",
        "GAS",
        "\u{e9}\u{1f600}",
    ]);
    let others =
        [json!(null), json!(true), json!([]), json!({}), json!([null]), json!(-1), json!(0), json!(1e9)];
    texts.map(Value::from).chain(others).collect()
}

fn remove(body: &mut Value, pointer: &str) {
    let Some((outer, name)) = pointer.rsplit_once('/') else { return };
    match body.pointer_mut(outer) {
        Some(Value::Object(members)) => {
            members.remove(name);
        }
        Some(Value::Array(items)) => {
            items.remove(name.parse().unwrap());
        }
        _ => {}
    }
}

fn repeat(body: &mut Value, pointer: &str) {
    if let Some(Value::Array(items)) = body.pointer_mut(pointer) {
        let again = items.clone();
        items.extend(again);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn issues_are_sorted_unique_and_at_paths_that_exist(which: Index, place: Index, with: Index, mutation in 0..4u8) {
        let (check, mut body) = which.get(&FIXTURES).clone();
        let mut all = Vec::new();
        pointers(&body, "", &mut all);
        let pointer = place.get(&all);
        match mutation {
            0 => remove(&mut body, pointer),
            1 => repeat(&mut body, pointer),
            _ => *body.pointer_mut(pointer).unwrap() = with.get(&replacements()).clone(),
        }
        let report = check(body.to_string().as_bytes(), &every_rule());
        for issues in [&report.errors, &report.warnings] {
            prop_assert!(issues.windows(2).all(|pair| pair[0].key() < pair[1].key()), "{:#?}", issues);
            prop_assert!(issues.iter().all(|issue| exists_in(&body, &issue.attr)), "{:#?}", issues);
        }
    }
}

/// Returns true if the path is that of a value, or of a member that its object lacks.
fn exists_in(body: &Value, attr: &AttrPath) -> bool {
    let account = body.get("payload").unwrap_or(body);
    let envelope =
        ["payload", "task_params"].contains(&attr.to_string().split('.').next().unwrap_or_default());
    let mut value = Some(if envelope { body } else { account });
    for segment in attr.segments() {
        value = match (segment, value) {
            (Segment::Index(index), Some(Value::Array(items))) if (*index as usize) < items.len() => {
                items.get(*index as usize)
            }
            (Segment::Name(name), Some(Value::Object(members))) => members.get(name.as_ref()),
            _ => return false,
        };
    }
    true
}
