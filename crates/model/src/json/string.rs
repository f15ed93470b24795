use super::syntax::SyntaxErrorKind;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The offset of the next quote, backslash or control character, or the end of the text.
///
/// Works on eight bytes at a time: a byte of the mask is set for each such character. Bytes over 0x7F never
/// set it, and a borrow affects only bytes behind a true hit.
#[inline]
pub(super) fn find_special(bytes: &[u8], from: usize) -> usize {
    let (words, rest) = bytes.get(from..).unwrap_or_default().as_chunks::<8>();
    let mut at = from;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // With this bit flipped, a quote is 0x20 and follows the control characters: one comparison finds
        // both.
        let quote_or_control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
        let hits = (quote_or_control | backslash) & !word & HIGHS;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// Returns true if the text begins with a name. Names are short: a call to `memcmp` would cost more.
#[inline]
pub(super) fn starts_with(text: &[u8], name: &[u8]) -> bool {
    let Some(text) = text.get(..name.len()) else { return false };
    // The remaining bytes are compared as part of a last, overlapping chunk.
    if let (Some(text_end), Some(name_end)) = (text.last_chunk::<16>(), name.last_chunk::<16>()) {
        let (parts, expected) = (text.as_chunks::<16>().0, name.as_chunks::<16>().0);
        return parts.iter().zip(expected).all(|(a, b)| a == b) && text_end == name_end;
    }
    if let (Some(text_end), Some(name_end)) = (text.last_chunk::<8>(), name.last_chunk::<8>()) {
        return text.first_chunk::<8>() == name.first_chunk::<8>() && text_end == name_end;
    }
    text.iter().zip(name).all(|(a, b)| a == b)
}

/// The character of the escape at the start of the bytes, and the length of the escape.
pub(super) fn unescape(bytes: &[u8]) -> Result<(char, usize), SyntaxErrorKind> {
    let character = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unescape_unicode(bytes),
        _ => return Err(SyntaxErrorKind::Escape),
    };
    Ok((character, 2))
}

fn unescape_unicode(bytes: &[u8]) -> Result<(char, usize), SyntaxErrorKind> {
    let first = code_unit(bytes)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 6));
    }
    let rest = &bytes[6..];
    if first >= 0xDC00 || !rest.starts_with(b"\\u") {
        return Err(SyntaxErrorKind::LoneSurrogate);
    }
    match code_unit(rest)? {
        second @ 0xDC00..=0xDFFF => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(code).map(|c| (c, 12)).ok_or(SyntaxErrorKind::LoneSurrogate)
        }
        _ => Err(SyntaxErrorKind::LoneSurrogate),
    }
}

fn code_unit(bytes: &[u8]) -> Result<u32, SyntaxErrorKind> {
    let digits = bytes.get(2..6).ok_or(SyntaxErrorKind::Escape)?;
    digits.iter().try_fold(0, |unit, b| {
        let digit = char::from(*b).to_digit(16).ok_or(SyntaxErrorKind::Escape)?;
        Ok(unit << 4 | digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_loop_finds(text in "[ -~éß漢\u{7f}]{0,40}[ -~\u{0}-\u{1f}éß漢\u{7f}]{0,40}", from in 0usize..5) {
            let bytes = text.as_bytes();
            let from = from.min(bytes.len());
            let plain = (from..bytes.len())
                .find(|i| bytes[*i] < 0x20 || bytes[*i] == b'"' || bytes[*i] == b'\\')
                .unwrap_or(bytes.len());
            prop_assert_eq!(find_special(bytes, from), plain);
        }

        #[test]
        fn begins_as_slices_do(name in "a{0,40}b?a{0,2}", text in "a{0,40}b?a{0,5}") {
            let (text, name) = (text.as_bytes(), name.as_bytes());
            let both = [name, text].concat();
            prop_assert_eq!(starts_with(text, name), text.starts_with(name));
            prop_assert!(starts_with(&both, name));
        }
    }
}
