use super::Target;
use cutover_http::fuzzing::{self, Asked};

/// Paths and queries of URLs.
pub(crate) const TARGET: Target = Target {
    name: "queries",
    description: "paths and queries of URLs: the link to the next page reads as the same query",
    run,
    seeds,
    words: &[
        "cursor",
        "page_size",
        "status",
        "error_code",
        "warning_code",
        "modified_after",
        "validate_only",
        "PROCESSED",
        "true",
        "AAAAAAAAAAAAAAAAAAAAAQ",
        "2026-07-01T00:00:00%2B10:00",
        "%20",
        "%",
        "+",
        "%C3%A9",
        "%ED%A0%80",
    ],
    max: 4 << 10,
    executions: 600_000,
};

const NAMES: [&str; 7] =
    ["cursor", "page_size", "status", "error_code", "warning_code", "modified_after", "validate_only"];

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for read in [fuzzing::found_accounts as fn(&str) -> Asked, fuzzing::listed_accounts] {
        match read(text) {
            Asked::For(query) => {
                assert!(query.bytes().all(|b| b.is_ascii_graphic()), "not a URL query: {query:?}");
                assert_eq!(read(&query), Asked::For(query.clone()), "of {text:?}");
            }
            Asked::Faulty(names) => {
                let is_asked = |name: &&str| text_may_hold(text, name);
                assert!(!names.is_empty() && names.iter().all(|name| NAMES.contains(name) && is_asked(name)));
            }
        }
    }
    if let Ok(flag) = fuzzing::flag(text, "validate_only") {
        let is_given = text_may_hold(text, "validate_only");
        assert!(flag.is_none() || is_given, "a flag that was not sent");
    }
    segments(text);
}

/// True if a parameter can be present: by its name, or with escapes.
fn text_may_hold(text: &str, name: &str) -> bool {
    text.contains(name) || text.contains('%')
}

/// Checks that a path has one segment per slash, and that a segment without escapes is unchanged.
fn segments(path: &str) {
    let read = fuzzing::segments(path);
    let inner = path.strip_prefix('/').unwrap_or(path);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    assert_eq!(read.len(), inner.split('/').count());
    for (sent, read) in inner.split('/').zip(read) {
        match read {
            Some(read) if !sent.contains('%') => assert_eq!(read, sent),
            Some(read) => assert!(read.len() <= sent.len()),
            None => assert!(sent.contains('%'), "{sent:?}"),
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "",
        "status=PROCESSED&error_code=invalid&modified_after=2026-07-01T00:00:00%2B10:00&page_size=3",
        "cursor=AAAAAAAAAAAAAAAAAAAAAQ&page_size=10000",
        "modified_after=2026-07-01%2000:00:00.123456Z",
        "modified_after=9998-12-31T23:00:00",
        "validate_only=TRUE",
        "validate_only=1&validate_only=0",
        "%63ursor=x&page_size=%2B1",
        "/v2/data-import/accounts/ACME_ENERGY/A%2F1/",
        "/v2//data-import/%2e%2E/%252F/%ff/100%/",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
