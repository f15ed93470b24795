//! Paths within the console.

use cutover_core::{Code, Word};
use std::fmt::Write;

/// The start page.
pub(super) const HOME: &str = "/console/";
/// The sign-in page.
pub(super) const SIGN_IN: &str = "/console/sign-in/";

/// Returns true for paths below `/console`, whether or not they exist.
pub(crate) fn has(path: &str) -> bool {
    path.starts_with(HOME) || path == "/console"
}

/// Returns the path of a supplier's page.
pub(super) fn supplier(code: &str) -> String {
    format!("/console/suppliers/{}/", segment(code))
}

/// Returns the path of the page of the supplier that a page is below.
pub(super) fn supplier_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/console/suppliers/")?;
    let code = rest.split_once('/')?.0;
    path.get(..path.len() - rest.len() + code.len() + 1)
}

/// Returns the path of an account's page.
pub(super) fn account(code: &str, number: &str) -> String {
    format!("{}accounts/{}/", supplier(code), segment(number))
}

/// Returns the path of the page with the refused create of an account.
pub(super) fn refused(code: &str, number: &str) -> String {
    format!("{}refused/?number={}", supplier(code), segment(number))
}

/// Returns the path of a business's page.
pub(super) fn business(identifier: &str) -> String {
    format!("/console/businesses/{}/", segment(identifier))
}

/// Returns the beginning of a query that keeps a filter by time, which is empty without one.
pub(super) fn since(since: &str) -> String {
    if since.is_empty() { String::new() } else { format!("since={}&", segment(since)) }
}

/// Returns the path of a job's page.
pub(super) fn job(name: &str) -> String {
    format!("/console/jobs/{}/", segment(name))
}

/// Returns the path of a webhook's page.
pub(super) fn webhook(name: &str) -> String {
    format!("/console/webhooks/{}/", segment(name))
}

/// Returns the path of the page that explains a code, unless a newer version of the program gave it.
pub(super) fn explanation(code: &str) -> Option<String> {
    Code::from_word(code).map(|code| format!("/docs/errors/{code}/"))
}

/// Returns the path of the page that explains a rule, unless a newer version of the program has it.
pub(super) fn rule(id: &str) -> Option<String> {
    cutover_app::rule(id).map(|rule| format!("/docs/rules/{}/", rule.id))
}

/// Encodes text for a segment of a path or a value of a query.
pub(super) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns the page to show after a sign-in: the requested page of the console, or the start page. Other URLs
/// are ignored.
pub(super) fn next(asked: Option<&str>) -> &str {
    let is_ours = |path: &&str| {
        path.starts_with(HOME)
            && !path.starts_with(SIGN_IN)
            && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    asked.filter(is_ours).unwrap_or(HOME)
}

/// Reads an error code from the query of a link. It may belong to a newer version; other text is `None`.
pub(super) fn error_code(text: &str) -> Option<Word<Code>> {
    let is_code = !text.is_empty() && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    is_code.then(|| Word::read(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_contain_any_character() {
        assert_eq!(
            account("A.B", "A/1 ?#é\"<"),
            "/console/suppliers/A.B/accounts/A%2F1%20%3F%23%C3%A9%22%3C/"
        );
    }

    #[test]
    fn known_codes_are_explained() {
        assert_eq!(explanation("null").as_deref(), Some("/docs/errors/null/"));
        assert_eq!(explanation("from_the_future"), None);
        assert_eq!(rule("CUS-01").as_deref(), Some("/docs/rules/CUS-01/"));
        assert_eq!(rule("XXX-01"), None);
    }

    #[test]
    fn sign_in_redirects_stay_within_the_console() {
        for path in ["/console/", "/console/suppliers/A/?status=ERRORED"] {
            assert_eq!(next(Some(path)), path);
        }
        for path in [
            "",
            "/",
            "//evil.example/console/",
            "https://evil.example/",
            "/console/\\evil",
            "/console/\r\nx",
            "/console",
            SIGN_IN,
        ] {
            assert_eq!(next(Some(path)), HOME, "{path:?}");
        }
    }
}
