//! The difference of two attempts: which members of the payload changed, and which errors.

use super::mask::{Mask, is_envelope};
use super::payload::shortened;
use super::value::Value;
use cutover_app::port::StoredIssue;
use std::collections::BTreeSet;

/// A member that differs.
#[derive(Debug, PartialEq)]
pub(super) struct Change<'v> {
    /// Its path in the later payload; in the earlier one if it was removed.
    pub(super) path: String,
    /// The value before; `None` if it was added.
    pub(super) before: Option<&'v Value>,
    /// The value after; `None` if it was removed.
    pub(super) after: Option<&'v Value>,
    /// The extent to which the values are masked.
    pub(super) mask: Mask,
}

/// Returns the members that differ between two payloads, in the order of the later one. Objects are compared by the
/// names of their members, in any order. Items that are equal at the beginning and at the end of two lists belong together,
/// and those between them in their order, so that an item that was added is one change. Numbers are compared as written.
pub(super) fn changes<'v>(before: &'v Value, after: &'v Value) -> Vec<Change<'v>> {
    let (mut found, path) = (Vec::new(), Path::default());
    match (is_envelope(before), is_envelope(after)) {
        (false, false) => compare(before, after, &path, Mask::Personal, &mut found),
        (true, true) => compare(before, after, &path, Mask::OfEnvelope, &mut found),
        // The account may have moved into an envelope or out of it: paths are those inside the account.
        _ => {
            let (old, new) = (parts(before), parts(after));
            compare_members(&old, &new, &path, Mask::OfEnvelope, &mut found);
        }
    }
    found
}

/// Returns the members of an envelope, or of the one that the account could be in.
fn parts(root: &Value) -> Vec<(&str, &Value)> {
    match root {
        Value::Object(members) if is_envelope(root) => {
            members.iter().map(|(name, value)| (name.as_str(), value)).collect()
        }
        account => vec![("payload", account)],
    }
}

/// A path, without the name of the member that holds the account in an envelope.
#[derive(Clone, Default)]
struct Path(String);

impl Path {
    fn child(&self, segment: &str, mask: Mask) -> Self {
        match (mask, segment, self.0.as_str()) {
            (Mask::OfEnvelope, "payload", _) => self.clone(),
            (_, segment, "") => Self(segment.to_owned()),
            (_, segment, path) => Self(format!("{path}.{segment}")),
        }
    }
}

fn compare<'v>(before: &'v Value, after: &'v Value, path: &Path, mask: Mask, found: &mut Vec<Change<'v>>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(old), Value::Object(new)) => {
            let named = |members: &'v [(String, Value)]| {
                members.iter().map(|(name, value)| (name.as_str(), value)).collect::<Vec<_>>()
            };
            compare_members(&named(old), &named(new), path, mask, found);
        }
        (Value::List(old), Value::List(new)) => compare_items(old, new, path, mask, found),
        _ => found.push(Change { path: path.0.clone(), before: Some(before), after: Some(after), mask }),
    }
}

fn compare_members<'v>(
    old: &[(&str, &'v Value)],
    new: &[(&str, &'v Value)],
    path: &Path,
    mask: Mask,
    found: &mut Vec<Change<'v>>,
) {
    let find = |members: &[(&str, &'v Value)], name: &str| {
        members.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    };
    for (name, after) in new {
        let (path, inner) = (path.child(name, mask), mask.of(name));
        match find(old, name) {
            Some(before) => compare(before, after, &path, inner, found),
            None => found.push(Change { path: path.0, before: None, after: Some(after), mask: inner }),
        }
    }
    for (name, before) in old.iter().filter(|(name, _)| find(new, name).is_none()) {
        let path = path.child(name, mask).0;
        found.push(Change { path, before: Some(before), after: None, mask: mask.of(name) });
    }
}

fn compare_items<'v>(
    old: &'v [Value],
    new: &'v [Value],
    path: &Path,
    mask: Mask,
    found: &mut Vec<Change<'v>>,
) {
    let begin = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[begin..], &new[begin..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
    for n in 0..old_rest.len().max(new_rest.len()) {
        let path = path.child(&(begin + n).to_string(), mask);
        match (old_rest.get(n), new_rest.get(n)) {
            (Some(before), Some(after)) => compare(before, after, &path, mask, found),
            (before, after) => found.push(Change { path: path.0, before, after, mask }),
        }
    }
}

/// Returns a value for a table: `None` if it is hidden.
pub(super) fn shown(value: &Value, mask: Mask) -> Option<String> {
    match value {
        Value::Null => Some("null".to_owned()),
        Value::Object(members) => Some(format!("{{ {} }}", counted(members.len(), "member"))),
        Value::List(items) => Some(format!("[ {} ]", counted(items.len(), "item"))),
        _ if mask.hides() => None,
        Value::Text(text) => Some(shortened(&serde_json::Value::from(text.as_str()).to_string())),
        Value::Plain(written) => Some(shortened(written)),
    }
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// The errors of two attempts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Errors<'i> {
    /// Those of the earlier attempt that the later one does not have.
    pub(super) fixed: Vec<&'i StoredIssue>,
    /// Those of both, as the later one has them.
    pub(super) stay: Vec<&'i StoredIssue>,
    /// Those of the later attempt alone.
    pub(super) new: Vec<&'i StoredIssue>,
}

/// Compares errors by path and code: their texts may hold lengths and sums.
pub(super) fn errors<'i>(before: &'i [StoredIssue], after: &'i [StoredIssue]) -> Errors<'i> {
    fn keys(issues: &[StoredIssue]) -> BTreeSet<(&str, &str)> {
        issues.iter().map(|issue| (issue.attr.as_str(), issue.code.as_str())).collect()
    }
    let (old, known) = (keys(before), keys(after));
    let is_in = |keys: &BTreeSet<(&str, &str)>, issue: &StoredIssue| {
        keys.contains(&(issue.attr.as_str(), issue.code.as_str()))
    };
    let (stay, new) = after.iter().partition(|issue| is_in(&old, issue));
    Errors { fixed: before.iter().filter(|issue| !is_in(&known, issue)).collect(), stay, new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> Value {
        Value::read(json).unwrap()
    }

    fn lines(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (read(before), read(after));
        let side = |value: Option<&Value>, mask| match value {
            None => "-".to_owned(),
            Some(value) => shown(value, mask).unwrap_or_else(|| "hidden".to_owned()),
        };
        let line = |change: &Change<'_>| {
            let sides = (side(change.before, change.mask), side(change.after, change.mask));
            format!("{}: {} > {}", change.path, sides.0, sides.1)
        };
        changes(&before, &after).iter().map(line).collect()
    }

    #[test]
    fn changed_members_are_named_by_their_path() {
        assert_eq!(lines(r#"{"a":1,"b":{"c":"x"}}"#, r#"{"b":{"c":"x"},"a":1}"#), [""; 0], "in any order");
        let before = r#"{"ledgers":[{"ledger_balance":"1.10"}],"sales_channel":"DIRECT","events":null}"#;
        let after = r#"{"ledgers":[{"ledger_balance":"1.1"}],"events":[],"date_of_sale":"2026-01-01"}"#;
        assert_eq!(
            lines(before, after),
            [
                "ledgers.0.ledger_balance: \"1.10\" > \"1.1\"",
                "events: null > [ 0 items ]",
                "date_of_sale: - > \"2026-01-01\"",
                "sales_channel: \"DIRECT\" > -",
            ]
        );
    }

    #[test]
    fn personal_values_are_hidden() {
        let before = r#"{"customers":[{"email":"a@b.test","role":null}],"unknown":1}"#;
        let after = r#"{"customers":[{"email":"c@d.test","role":"PRIMARY"}],"unknown":2}"#;
        assert_eq!(
            lines(before, after),
            [
                "customers.0.email: hidden > hidden",
                "customers.0.role: null > hidden",
                "unknown: hidden > hidden",
            ]
        );
    }

    #[test]
    fn an_item_that_was_added_is_one_change() {
        let list = |items: &str| format!(r#"{{"ledgers":[{items}]}}"#);
        let item = |n: u32| format!(r#"{{"ledger_balance":{n}}}"#);
        let all = |numbers: &[u32]| list(&numbers.iter().map(|n| item(*n)).collect::<Vec<_>>().join(","));
        assert_eq!(lines(&all(&[1, 2, 3]), &all(&[9, 1, 2, 3])), ["ledgers.0: - > { 1 member }"]);
        assert_eq!(lines(&all(&[1, 2, 3]), &all(&[1, 3])), ["ledgers.1: { 1 member } > -"]);
        assert_eq!(lines(&all(&[1, 2, 3]), &all(&[1, 7, 3])), ["ledgers.1.ledger_balance: 2 > 7"]);
        assert_eq!(lines(&all(&[1, 1]), &all(&[1, 1, 1])), ["ledgers.2: - > { 1 member }"]);
    }

    #[test]
    fn paths_begin_inside_of_the_account() {
        let bare = r#"{"sales_channel":"A"}"#;
        let wrapped = r#"{"payload":{"sales_channel":"B"},"task_params":{"is_dry_run":true}}"#;
        let both = ["sales_channel: \"A\" > \"B\"", "task_params: - > { 1 member }"];
        assert_eq!(lines(bare, wrapped), both);
        let other = r#"{"payload":{"sales_channel":"B"},"task_params":{"is_dry_run":false}}"#;
        assert_eq!(lines(wrapped, other), ["task_params.is_dry_run: true > false"]);
    }

    #[test]
    fn errors_are_fixed_stay_or_are_new() {
        let issue = |attr: &str, code: &str, detail: &str| StoredIssue {
            attr: attr.into(),
            code: code.into(),
            detail: detail.into(),
            ..StoredIssue::default()
        };
        let before = [issue("a", "required", ""), issue("b", "max_length", "It has 300.")];
        let after = [issue("b", "max_length", "It has 299."), issue("b", "blank", "")];
        let found = errors(&before, &after);
        let expected = Errors { fixed: vec![&before[0]], stay: vec![&after[0]], new: vec![&after[1]] };
        assert_eq!(found, expected);
    }

    /// Returns JSON with members that are shown and members that are not.
    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            (0..3_u32).prop_map(Into::into),
            "[a-b]{0,2}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let names = prop::sample::select(vec!["ledgers", "email", "role", "payload", "x"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::btree_map(names, inner, 0..4).prop_map(|members| {
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                }),
            ]
        })
    }

    proptest! {
        /// There is no change if and only if the payloads are equal. Otherwise each change is of two values that differ,
        /// and both payloads have the same changes the other way round.
        #[test]
        fn changes_are_those_that_differ(before in json(), after in json()) {
            let (old, new) = (read(&before.to_string()), read(&after.to_string()));
            let found = changes(&old, &new);
            if is_envelope(&old) == is_envelope(&new) {
                prop_assert_eq!(found.is_empty(), before == after);
            }
            prop_assert!(found.iter().all(|change| change.before != change.after));
            let key = |path: &str, before: Option<&Value>, after: Option<&Value>| format!("{path} {before:?} {after:?}");
            let mut there: Vec<_> = found.iter().map(|c| key(&c.path, c.before, c.after)).collect();
            let back = changes(&new, &old);
            let mut back: Vec<_> = back.iter().map(|c| key(&c.path, c.after, c.before)).collect();
            there.sort();
            back.sort();
            prop_assert_eq!(there, back);
        }
    }
}
