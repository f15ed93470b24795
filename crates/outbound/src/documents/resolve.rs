//! Decides which paths are safe. Rules on payloads refuse unsafe paths earlier (rules 10.5), but this module
//! does not rely on that: no path leads out of a supplier's root.

use crate::location::is_safe;
use cutover_app::port::WantedDocument;
use std::collections::BTreeMap;

/// Returns the safe paths among those wanted, each once, and whether any request needs it to be a PDF.
pub(super) fn distinct(wanted: &[WantedDocument]) -> BTreeMap<String, bool> {
    let mut paths = BTreeMap::new();
    for document in wanted.iter().filter(|document| is_safe(&document.path)) {
        *paths.entry(document.path.clone()).or_default() |= document.must_be_pdf;
    }
    paths
}

/// Converts a supplier's root, `/` and plain segments, to a safe path; `None` if it is unsafe.
pub(super) fn root(text: &str) -> Option<&str> {
    text.strip_prefix('/').filter(|path| is_safe(path))
}

/// Returns a supplier's root and a path below it, if both are safe.
pub(super) fn place(root_text: &str, path: &str) -> Option<(String, String)> {
    let root = root(root_text).filter(|_| is_safe(path))?;
    Some((root.to_owned(), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_begin_with_a_slash() {
        assert_eq!(root("/a/b"), Some("a/b"));
        for odd in ["", "/", "a", "//a", "/a/", "/../a", "/a/%2e%2e/b"] {
            assert_eq!(root(odd), None, "{odd}");
        }
    }

    #[test]
    fn paths_are_deduplicated_and_unsafe_ones_dropped() {
        let wanted = |path: &str, must_be_pdf| WantedDocument { path: path.into(), must_be_pdf };
        let paths =
            distinct(&[wanted("a", false), wanted("b", false), wanted("a", true), wanted("../a", true)]);
        assert_eq!(paths, BTreeMap::from([("a".into(), true), ("b".into(), false)]));
    }
}
