use cutover_model::{Field, Text};

/// Returns the path as the document storage knows it, without the leading `/`, if it is usable and safe.
pub(crate) fn stored_path<'f>(path: &'f Field<Text<'_>>) -> Option<&'f str> {
    let path = path.usable()?.trimmed();
    is_document_path(path).then(|| path.strip_prefix('/').unwrap_or(path))
}

/// Maximum number of characters of a path, as the declarations of notes and statements have it.
const LONGEST: usize = 1024;

/// Returns true if a text is a path as the document storage knows it: a safe one that a payload can name, without the leading
/// `/` and without white space at its ends, which the names in payloads lose (rules 10.5).
pub fn is_stored_path(text: &str) -> bool {
    let is_bare = cutover_core::trimmed(text) == text && !text.starts_with('/');
    is_bare && text.chars().count() <= LONGEST && is_document_path(text)
}

/// Returns true if a trimmed text is a safe path relative to the supplier's root (rules 10.5).
///
/// Such a path does not leave the root, and means the same object in every storage.
pub(crate) fn is_document_path(text: &str) -> bool {
    let path = text.strip_prefix('/').unwrap_or(text);
    let bytes = path.as_bytes();
    let holds = |is: fn(u8) -> bool| bytes.iter().fold(false, |held, byte| held | is(*byte));
    // Folds are vectorised; the more expensive checks run for few paths.
    let is_odd = holds(|byte| byte.is_ascii_control() || byte == b'\\')
        || holds(|byte| byte == b':') && names_a_scheme_or_drive(path)
        || holds(|byte| byte == b'%') && bytes.windows(3).any(is_escaped_separator);
    !is_odd && bytes.split(|byte| *byte == b'/').all(|segment| !is_dots(segment))
}

fn names_a_scheme_or_drive(path: &str) -> bool {
    path.contains("://") || matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn is_escaped_separator(bytes: &[u8]) -> bool {
    bytes.eq_ignore_ascii_case(b"%2f") || bytes.eq_ignore_ascii_case(b"%5c")
}

/// Returns true if a segment is empty, or consists of one or two dots, escaped or not.
fn is_dots(mut segment: &[u8]) -> bool {
    for _ in 0..=2 {
        segment = match segment {
            [] => return true,
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return false,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    proptest! {
        /// The standard library, too, takes an accepted path for a plain and relative one once it is
        /// unescaped.
        #[test]
        fn accepted_paths_stay_under_the_root(
            text in r"(/a|a|b|é|\.a|/|\.|%2[eE]|%2[fF]|%5[cC]|\\|:|\x00){1,8}",
        ) {
            if !is_document_path(&text) {
                return Ok(());
            }
            let escapes = [("%2e", "."), ("%2f", "/"), ("%5c", "\\")];
            let lower = text.to_ascii_lowercase();
            let plain = escapes.iter().fold(lower, |text, (from, to)| text.replace(from, to));
            let relative = plain.strip_prefix('/').unwrap_or(&plain);
            let parts: Vec<_> = Path::new(relative).components().map(|part| part.as_os_str()).collect();
            prop_assert!(Path::new(relative).is_relative() && !plain.contains(['\\', '\0']));
            prop_assert!(parts.iter().all(|part| *part != ".." && *part != "."));
            prop_assert_eq!(parts.join("/".as_ref()), relative);
        }
    }

    #[test]
    fn safe_paths_are_accepted() {
        let texts = [
            "a.pdf",
            "/a.pdf",
            "statements/2026/A-1.pdf",
            "a b/ü.pdf",
            "...",
            "a/..b",
            ".hidden",
            "a/...",
            "%2e%2e%2e",
            "100%/a",
            "ab:c",
            "a/c:/b",
            "1:a",
            "a%20b",
            "%252e%252e/a",
            "é:/b",
        ];
        for text in texts {
            assert!(is_document_path(text), "{text}");
        }
    }

    #[test]
    fn stored_paths_are_bare() {
        let long = "x".repeat(LONGEST);
        for path in ["a.pdf", "a/b c.pdf", "\u{e9}.pdf", &long] {
            assert!(is_stored_path(path), "{path}");
        }
        for path in ["", "/a.pdf", " a.pdf", "a.pdf\u{a0}", "a//b", "../a", &format!("{long}x")] {
            assert!(!is_stored_path(path), "{path}");
        }
    }

    #[test]
    fn unsafe_paths_are_refused() {
        let texts = [
            "/",
            "//a",
            "a//b",
            "a/",
            "/a/",
            ".",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a/.",
            "%2e",
            "%2E%2e/a",
            "a/.%2e/b",
            "a/%2E.",
            "a\\b",
            "\\\\host\\a",
            "s3://bucket/a",
            "/http://a",
            "C:/a",
            "/c:/a",
            "C:",
            "a:b",
            "a%2fb",
            "a%2Fb",
            "a%5cb",
            "a%5Cb",
            "a\nb",
            "a\u{1f}",
            "a\u{7f}b",
            "\u{1}",
            "a/\t/b",
        ];
        for text in texts {
            assert!(!is_document_path(text), "{text}");
        }
    }
}
