//! References: texts of a payload that name something outside of it, which operators see beside faults.

use crate::patterns::{each_value, pattern};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

/// The paths of references in an account, with `#` for indexes.
static PATTERNS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut texts: BTreeMap<String, bool> = BTreeMap::new();
    // A member of a name that several kinds of meter points have must be a reference in all of them.
    each_value(&mut |pattern, field, _| *texts.entry(pattern).or_insert(true) &= field.is_reference);
    texts.into_iter().filter(|(_, is_reference)| *is_reference).map(|(pattern, _)| pattern).collect()
});

/// Returns true for the path of a member of an account that the declarations call a reference: an operator may see its
/// value beside its faults.
///
/// ```
/// use cutover_model::is_reference;
/// assert!(is_reference("notes.0.document_paths.2.document_path"));
/// assert!(!is_reference("customers.0.email"));
/// ```
pub fn is_reference(path: &str) -> bool {
    PATTERNS.contains(&pattern(path))
}

/// Returns the texts of the references among some paths of a sent account, by path. The payload is read once, and only if a
/// path is that of a reference. What is missing, empty or not a text is left out.
pub fn references<'p>(json: &[u8], paths: impl IntoIterator<Item = &'p str>) -> BTreeMap<String, String> {
    let mut paths = paths.into_iter().filter(|path| is_reference(path)).peekable();
    if paths.peek().is_none() {
        return BTreeMap::new();
    }
    // An accepted payload is JSON.
    let Ok(root) = serde_json::from_slice::<Value>(json) else { return BTreeMap::new() };
    let account = root.get("payload").unwrap_or(&root);
    let text = |path: &'p str| {
        let value = path.split('.').try_fold(account, |value, part| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            value => value.get(part),
        });
        let text = value?.as_str().filter(|text| !text.is_empty())?;
        Some((path.to_owned(), text.to_owned()))
    };
    paths.filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_documents_contracts_tariffs_and_meter_points() {
        let mut patterns: Vec<&str> = PATTERNS.iter().map(String::as_str).collect();
        patterns.sort_unstable();
        let point = "supply_addresses.#.meter_points.#.";
        let (here, of_points): (Vec<&str>, Vec<&str>) =
            patterns.into_iter().partition(|pattern| !pattern.starts_with(point));
        assert_eq!(
            here,
            [
                "business.business_contract_identifier",
                "notes.#.document_paths.#.document_path",
                "statements.#.statement_path",
            ]
        );
        let of_points: Vec<&str> =
            of_points.iter().filter_map(|pattern| pattern.strip_prefix(point)).collect();
        assert_eq!(
            of_points,
            [
                "agreements.#.business_contract_identifier",
                "agreements.#.tariff_code",
                "distribution_tariff",
                "installation_id",
                "master_data.distribution_tariff",
                "mpxn",
                "parent_installation_id",
                "parent_mirn",
                "parent_nmi",
            ]
        );
    }

    #[test]
    fn only_texts_of_references_are_returned() {
        let json = br#"{"task_params": {}, "payload": {
            "notes": [{"body": "Jo", "document_paths": [{"document_path": "a/b.pdf"}, {"document_path": 7}]}],
            "statements": {"statement_path": "no/list.pdf"},
            "customers": [{"email": "jo@example.com"}]
        }}"#;
        let document = "notes.0.document_paths.0.document_path";
        let others = [
            "notes.0.body",
            "notes.0.document_paths.1.document_path",
            "notes.0.document_paths.9.document_path",
            "statements.0.statement_path",
            "customers.0.email",
            "payload.notes.0.document_paths.0.document_path",
            "",
        ];
        let found = references(json, others.into_iter().chain([document]));
        assert_eq!(found, BTreeMap::from([(document.to_owned(), "a/b.pdf".to_owned())]));
        let account = br#"{"business": {"business_contract_identifier": "C-1"}}"#;
        let contract = "business.business_contract_identifier";
        assert_eq!(references(account, [contract])[contract], "C-1");
        assert!(references(b"{", [contract]).is_empty());
    }
}
