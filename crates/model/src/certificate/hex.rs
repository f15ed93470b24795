use super::Hash;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes bytes as hexadecimal digits in lower case.
pub fn to_hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(DIGITS[usize::from(four)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads a hash from its 64 hexadecimal digits in lower case.
pub fn from_hex(text: &str) -> Option<Hash> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut hash = [0; 32];
    if text.len() != 2 * hash.len() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_one_text() {
        let hash: Hash = std::array::from_fn(|n| n as u8 * 8);
        let text = to_hex(&hash);
        assert!(text.starts_with("000810") && text.ends_with("f8"));
        assert_eq!(from_hex(&text), Some(hash));
        for other in [&text[1..], &text.to_uppercase(), &text.replace('8', "é")] {
            assert_eq!(from_hex(other), None, "{other}");
        }
    }
}
