//! Raw paths: split into segments before percent-decoding, so that `%2F` stays inside its segment, and
//! decoded once, so that `%252F` reads `%2F` (contract D1).

use std::borrow::Cow;

/// Returns the segments between slashes; a trailing slash adds none.
pub(crate) fn segments(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path).split('/')
}

/// Decodes a segment once; invalid escapes stay as they are. `None` if the result is not UTF-8.
pub(crate) fn decode(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    let mut decoded = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (first, &rest[1..]),
            },
            _ => (first, after),
        };
        decoded.push(byte);
        rest = after;
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

/// Escapes the bytes of a raw path that URLs must not contain (RFC 3986).
pub(crate) fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_split_before_they_are_decoded() {
        let read = |path| segments(path).map(decode).collect::<Option<Vec<_>>>();
        assert_eq!(read("/a/b/").unwrap(), ["a", "b"]);
        assert_eq!(read("/a/b").unwrap(), ["a", "b"]);
        assert_eq!(read("/a/A%2F1/").unwrap(), ["a", "A/1"]);
        assert_eq!(read("/a//").unwrap(), ["a", ""]);
        assert_eq!(read("/").unwrap(), [""]);
        assert_eq!(read("/a/%ff/"), None);
    }

    #[test]
    fn only_forbidden_bytes_are_encoded() {
        assert_eq!(encode("/v1/A-1_%2F.~/"), "/v1/A-1_%2F.~/");
        assert_eq!(encode("/\"é>{\r\n|"), "/%22%C3%A9%3E%7B%0D%0A%7C");
    }

    #[test]
    fn a_segment_is_decoded_once() {
        for (sent, read) in [
            ("A%252F1", "A%2F1"),
            ("%20A%20", " A "),
            ("%E2%82%ac", "€"),
            ("€", "€"),
            ("a+b", "a+b"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%zz%41", "%zzA"),
            ("%%41", "%A"),
            ("%00", "\0"),
            ("%2e%2E", ".."),
        ] {
            assert_eq!(decode(sent).unwrap(), read, "{sent}");
        }
        for bad in ["%ff", "%C3", "%ED%A0%80", "a%80"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
