/// Returns true if a trimmed text is a BSB, the number of an Australian bank branch (rules 10.4).
pub(crate) fn is_bsb(text: &str) -> bool {
    let is_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    match text.as_bytes() {
        [a, b, c, b'-' | b' ', rest @ ..] if rest.len() == 3 => is_digits(&[*a, *b, *c]) && is_digits(rest),
        bytes => bytes.len() == 6 && is_digits(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bsb_is_three_digits_and_three_digits() {
        for text in ["062-000", "012003", "111111", "062 000"] {
            assert!(is_bsb(text), "{text}");
        }
        for text in [
            "62", "", "06-2000", "062--000", "062- 000", "06200", "0620000", "062-00a", "O62-000", "062_000",
            "-62000",
        ] {
            assert!(!is_bsb(text), "{text}");
        }
    }
}
