use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// An account number without what people overlook: white space, zeros at the beginning, the case of letters, and the
/// Unicode form of characters. Two numbers of a supplier with the same folded number look alike, and may be one account.
///
/// Most numbers are their own folded number and are borrowed. Letters are in upper case, as they are in most numbers.
pub fn folded(number: &str) -> Cow<'_, str> {
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !byte.is_ascii_lowercase();
    if number.bytes().all(|byte| is_plain(&byte)) {
        return Cow::Borrowed(without_zeros(number));
    }
    let visible = number.nfkc().filter(|c| !c.is_whitespace());
    // Upper case may be decomposed, which is composed again.
    let text: String = visible.flat_map(char::to_uppercase).nfkc().collect();
    Cow::Owned(without_zeros(&text).to_owned())
}

/// The text without zeros at the beginning; one of several zeros stays if there is nothing else.
fn without_zeros(text: &str) -> &str {
    match text.trim_start_matches('0') {
        "" => &text[..text.len().min(1)],
        rest => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_look_alike_are_equal_when_folded() {
        for (number, expected) in [
            ("A-1001", "A-1001"),
            ("a-1001", "A-1001"),
            ("0012", "12"),
            ("000", "0"),
            ("", ""),
            (" 10\u{a0}01\t", "1001"),
            ("\u{2009}00 7", "7"),
            ("\u{ff11}\u{ff12}", "12"),
            ("E\u{301}1", "\u{c9}1"),
            ("e\u{301}1", "\u{c9}1"),
            ("\u{e9}1", "\u{c9}1"),
        ] {
            assert_eq!(folded(number), expected, "{number:?}");
        }
    }

    #[test]
    fn other_numbers_stay_different() {
        for (one, other) in [("A-1001", "A1001"), ("A-0012", "A-12"), ("120", "12"), ("O1", "01")] {
            assert_ne!(folded(one), folded(other));
        }
    }

    #[test]
    fn numbers_as_most_are_cost_nothing() {
        assert!(matches!(folded("0NMI-4102.7"), Cow::Borrowed("NMI-4102.7")));
    }

    proptest! {
        #[test]
        fn a_folded_number_is_its_own(number in "\\PC{0,12}|[0a \u{e9}\u{301}\u{df}\u{a0}]{0,8}") {
            let once = folded(&number).into_owned();
            prop_assert_eq!(folded(&once), once.as_str());
        }
    }
}
