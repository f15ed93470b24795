//! Bounds for texts of the service before they reach terminals, tables and journals.

use serde::{Deserialize, Deserializer};

/// Replacement for an invalid code.
const INVALID: &str = "invalid";
/// Maximum length of a code.
const MAX_CODE: usize = 64;
/// Maximum number of characters of a path or a location.
const MAX_ATTR: usize = 512;
/// Maximum number of characters of a text for people.
const MAX_DETAIL: usize = 1_024;

/// Returns a code of lower-case letters, digits and underscores; anything else becomes `invalid`.
pub(crate) fn code(text: &str) -> &str {
    let is_known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let is_code = (1..=MAX_CODE).contains(&text.len()) && text.bytes().all(is_known);
    if is_code { text } else { INVALID }
}

/// Truncates a path in an account.
pub(crate) fn attr(text: &str) -> String {
    text.chars().take(MAX_ATTR).collect()
}

/// Truncates a text for people.
pub(crate) fn detail(text: &str) -> String {
    text.chars().take(MAX_DETAIL).collect()
}

/// Deserializes a [`code`].
///
/// # Errors
/// The error of the deserializer, if it is not a text.
pub(crate) fn read_code<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|text| code(&text).to_owned())
}

/// Deserializes a path that may be null, truncated like [`attr`].
///
/// # Errors
/// The error of the deserializer, if it is not a text.
pub(crate) fn read_attr<'d, D: Deserializer<'d>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(|text| attr(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_codes_are_replaced() {
        assert_eq!(code("invalid_phone_number_2"), "invalid_phone_number_2");
        for text in ["", "=1+1", "a\u{1b}[31m", "A", "a b", "ä", &"a".repeat(65)] {
            assert_eq!(code(text), "invalid", "{text:?}");
        }
        assert_eq!(code(&"a".repeat(64)).len(), 64);
    }

    #[test]
    fn texts_are_bounded_in_characters() {
        let long = "ä".repeat(2_000);
        assert_eq!((attr(&long).chars().count(), detail(&long).chars().count()), (512, 1_024));
    }
}
