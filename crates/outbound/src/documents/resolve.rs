//! Decides which paths are safe. Rules on payloads refuse unsafe paths earlier (rules 10.5), but this module
//! does not rely on that: no path leads out of a supplier's root.

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

/// True if a relative path names the same object under a folder or prefix however it is decoded, and never
/// one outside.
pub(crate) fn is_safe(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    !has_drive
        && !path.contains(|c: char| c.is_ascii_control() || c == '\\')
        && !["://", "%2f", "%5c"].iter().any(|odd| lower.contains(odd))
        && lower.split('/').all(|segment| !matches!(segment.replace("%2e", ".").as_str(), "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_names_are_safe() {
        for path in [
            "a.pdf",
            "a/b c/d.pdf",
            "50%.pdf",
            "%41",
            "a#b?c=d&e",
            "ä/日本.pdf",
            "...",
            "a..",
            ".a",
            "%2e%2e.",
        ] {
            assert!(is_safe(path), "{path}");
        }
    }

    #[test]
    fn paths_that_could_leave_the_root_are_unsafe() {
        let out = ["..", "../a", "a/../b", "a/..", ".", "a/./b", "%2e%2e/a", "a/%2E./b", "a/.%2e", "%2E"];
        let odd = ["", "/", "/a", "a/", "a//b", "a\\b", "..\\a", "a\0b", "a\nb", "a\u{7f}", "c:a", "C:/a"];
        let escaped = ["file:///a", "a%2fb", "..%2F..", "a%5Cb", "s3://b"];
        for path in out.iter().chain(&odd).chain(&escaped) {
            assert!(!is_safe(path), "{path:?}");
        }
    }

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
