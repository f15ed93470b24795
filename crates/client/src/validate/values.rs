use super::finding::Finding;
use cutover_core::{AttrPath, Issue, Segment, plain};
use serde_json::Value;

/// Maximum number of characters of a value that are shown.
const MAX_SHOWN: usize = 80;

/// Converts issues to findings that show what was sent, for the eyes of the supplier.
pub(super) fn with_values(issues: Vec<Issue>, account: &[u8]) -> Vec<Finding> {
    if issues.is_empty() {
        return Vec::new();
    }
    let body: Value = serde_json::from_slice(account).unwrap_or_default();
    let find = |issue: Issue| {
        let value = value_at(&body, &issue.attr).and_then(shown);
        let finding = Finding::from(issue);
        match value {
            Some(value) => finding.with_value(value),
            None => finding,
        }
    };
    issues.into_iter().map(find).collect()
}

/// Returns the value at a path; in an envelope paths begin inside the account.
fn value_at<'v>(body: &'v Value, attr: &AttrPath) -> Option<&'v Value> {
    let inside = |value: &'v Value| {
        attr.segments().iter().try_fold(value, |value, part| match part {
            Segment::Name(name) => value.get(name.as_ref()),
            Segment::Index(index) => value.get(*index as usize),
        })
    };
    body.get("payload").and_then(inside).or_else(|| inside(body))
}

/// Writes a value that is no array or object.
fn shown(value: &Value) -> Option<String> {
    if value.is_array() || value.is_object() {
        return None;
    }
    let text = plain(&value.to_string()).to_string();
    Some(match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_found_in_both_forms_and_cut() {
        let account = json!({"customers": [{"mobile": "x".repeat(200)}], "transfer_balance": 1.10});
        let path = AttrPath::root().name("customers").index(0).name("mobile");
        for body in [account.clone(), json!({"payload": account})] {
            assert_eq!(value_at(&body, &path).and_then(shown).unwrap().chars().count(), MAX_SHOWN + 1);
            assert_eq!(value_at(&body, &AttrPath::root().name("customers")).and_then(shown), None);
            assert_eq!(value_at(&body, &AttrPath::root().name("nothing")).and_then(shown), None);
        }
    }
}
