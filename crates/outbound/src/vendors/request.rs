use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt;
use url::Url;

/// Unencoded characters of a segment; all others are encoded, even `/`, `?`, `#` and `%`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request for one object of a vendor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Request<'r> {
    /// Path of the collection under the base URL, without surrounding slashes.
    pub(super) collection: &'static str,
    /// Name of the object; may hold any characters.
    pub(super) name: &'r str,
    /// Header and value of the API version that the adapter reads.
    pub(super) version: Option<(&'static str, &'static str)>,
}

/// Leaves out the name, because it identifies a means of payment.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("collection", &self.collection).finish_non_exhaustive()
    }
}

impl Request<'_> {
    /// URL of the object, with the name as one segment. `None` if no URL can name it: a segment cannot be
    /// empty, `.` or `..`, however encoded.
    pub(super) fn url(&self, base: &Url) -> Option<Url> {
        if matches!(self.name, "" | "." | "..") {
            return None;
        }
        let folder = base.path().trim_end_matches('/');
        let mut url = base.clone();
        url.set_path(&format!("{folder}/{}/{}", self.collection, utf8_percent_encode(self.name, ENCODED)));
        Some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str, name: &str) -> Option<String> {
        let request = Request { collection: "a/b", name, version: None };
        request.url(&Url::parse(base).unwrap()).map(Into::into)
    }

    #[test]
    fn a_name_is_always_one_segment() {
        let segments = [
            ("pm_1-2.3~4", "pm_1-2.3~4"),
            ("a/../../b", "a%2F..%2F..%2Fb"),
            ("..\\b", "..%5Cb"),
            ("a?b#c", "a%3Fb%23c"),
            ("50%", "50%25"),
            ("%2e%2e", "%252e%252e"),
            ("...", "..."),
            ("a b\n\t", "a%20b%0A%09"),
            ("é", "%C3%A9"),
            ("@host", "%40host"),
        ];
        for (name, segment) in segments {
            let expected = format!("https://v.example/a/b/{segment}");
            assert_eq!(url("https://v.example", name).unwrap(), expected);
        }
    }

    #[test]
    fn the_base_may_have_a_path_with_or_without_a_slash() {
        for base in ["https://v.example/api/v1", "https://v.example/api/v1/"] {
            assert_eq!(url(base, "c").unwrap(), "https://v.example/api/v1/a/b/c");
        }
    }

    #[test]
    fn names_that_no_url_can_hold_have_none() {
        for name in ["", ".", ".."] {
            assert_eq!(url("https://v.example", name), None);
        }
    }
}
