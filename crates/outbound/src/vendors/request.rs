use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt;
use url::Url;

/// What stands in a segment as it is; all else, `/`, `?`, `#` and `%` too, is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A thing to ask a vendor for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Request<'r> {
    /// The path of its collection under the base URL, without a slash at either end.
    pub(super) collection: &'static str,
    /// Its name there, however it looks.
    pub(super) name: &'r str,
    /// The version of the vendor's API that the adapter reads, and the header that says so.
    pub(super) version: Option<(&'static str, &'static str)>,
}

/// Without the name: it is what somebody pays by.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("collection", &self.collection).finish_non_exhaustive()
    }
}

impl Request<'_> {
    /// Its URL, the name being one segment of the path. `None` if no URL can name it: a segment is neither
    /// empty nor `.` nor `..`, however these are encoded.
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
    fn a_name_is_one_segment_whatever_it_holds() {
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
    fn what_no_url_can_name_has_none() {
        for name in ["", ".", ".."] {
            assert_eq!(url("https://v.example", name), None);
        }
    }
}
