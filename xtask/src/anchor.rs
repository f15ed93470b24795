//! Anchors of the headings of Markdown pages.

use std::collections::BTreeMap;

/// The anchor of a heading: lower case, spaces as dashes, no other punctuation.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Numbers repeated headings.
pub(crate) fn unique(slug: String, seen: &mut BTreeMap<String, usize>) -> String {
    let times = seen.entry(slug.clone()).or_default();
    *times += 1;
    if *times == 1 { slug } else { format!("{slug}-{}", *times - 1) }
}
