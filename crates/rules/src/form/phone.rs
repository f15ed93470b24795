/// The kind of a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phone {
    /// A mobile number.
    Mobile,
    /// Any other number of the country.
    Fixed,
    /// A number of another country, whose kind is not judged.
    Foreign,
}

/// The international prefix `0011` and the fifteen digits of the longest number.
pub(crate) const MOST_PHONE_DIGITS: usize = 4 + 15;

impl Phone {
    /// Reads a trimmed text (rules 10.1); `None` if it is not a phone number.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut buffer = [0; MOST_PHONE_DIGITS];
        match text.as_bytes() {
            [b'+', rest @ ..] => international(phone_digits(rest, &mut buffer)?),
            rest => match phone_digits(rest, &mut buffer)? {
                [b'0', b'0', b'1', b'1', rest @ ..] => international(rest),
                [b'0', rest @ ..] => geographic(rest).or_else(|| satellite(rest)),
                rest => special(rest),
            },
        }
    }

    /// Reads the digits after the `+` of a number of another country.
    pub(crate) fn foreign(digits: &[u8]) -> Option<Self> {
        match digits {
            [b'1'..=b'9', ..] if (7..=15).contains(&digits.len()) => Some(Self::Foreign),
            _ => None,
        }
    }
}

/// Returns the digits of a text, or `None` if it contains a character that is not allowed.
pub(crate) fn phone_digits<'b>(text: &[u8], buffer: &'b mut [u8; MOST_PHONE_DIGITS]) -> Option<&'b [u8]> {
    let mut len = 0;
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                *buffer.get_mut(len)? = *byte;
                len += 1;
            }
            b' ' | b'(' | b')' | b'.' | b'-' => {}
            _ => return None,
        }
    }
    Some(&buffer[..len])
}

fn international(digits: &[u8]) -> Option<Phone> {
    match digits {
        [b'6', b'1', b'0', rest @ ..] => geographic(rest),
        [b'6', b'1', rest @ ..] => geographic(rest).or_else(|| satellite(rest)).or_else(|| special(rest)),
        _ => Phone::foreign(digits),
    }
}

/// An area or mobile number, without the 0 in front of it.
fn geographic(digits: &[u8]) -> Option<Phone> {
    match digits {
        [b'4', rest @ ..] if rest.len() == 8 => Some(Phone::Mobile),
        [b'2' | b'3' | b'7' | b'8', rest @ ..] if rest.len() == 8 => Some(Phone::Fixed),
        _ => None,
    }
}

/// A satellite number, without the 0 in front of it.
fn satellite(digits: &[u8]) -> Option<Phone> {
    matches!(digits, [b'1', b'4', b'5' | b'7', rest @ ..] if rest.len() == 6).then_some(Phone::Fixed)
}

/// A number that is free or charged at the local rate.
fn special(digits: &[u8]) -> Option<Phone> {
    let is_special = match digits {
        [b'1', b'3' | b'8', b'0', b'0', rest @ ..] if rest.len() == 6 => true,
        [b'1', b'3', b'1'..=b'9', rest @ ..] => rest.len() == 3,
        _ => false,
    };
    is_special.then_some(Phone::Fixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spaces_and_brackets_change_nothing(
            number in r"\+?(0|04|0011|61|13|1)[0-9]{3,12}",
            gaps in "[ ().-]{1,6}",
        ) {
            let (plus, digits) = number.split_at(usize::from(number.starts_with('+')));
            let spread: String = digits.chars().map(|digit| format!("{gaps}{digit}")).collect();
            prop_assert_eq!(Phone::read(&format!("{plus}{spread}{gaps}")), Phone::read(&number));
        }
    }

    #[test]
    fn numbers_and_their_kinds() {
        use Phone::{Fixed, Foreign, Mobile};
        let table = [
            ("0488008221", Mobile),
            ("04 8800-8221", Mobile),
            ("+61488008221", Mobile),
            ("+61 (0)488 008 221", Mobile),
            ("0011 61 488 008 221", Mobile),
            ("+61280082213", Fixed),
            ("+61388008221", Fixed),
            ("0212345678", Fixed),
            ("(02) 8008-2213", Fixed),
            ("07.1234.5678", Fixed),
            ("0145123456", Fixed),
            ("0147123456", Fixed),
            ("+61 147 123 456", Fixed),
            ("1300123456", Fixed),
            ("+61 1800 123 456", Fixed),
            ("13 11 14", Fixed),
            ("+61 131114", Fixed),
            ("139999", Fixed),
            ("+44 20 7946 0958", Foreign),
            ("0011442079460958", Foreign),
            ("+91 98765 43210", Foreign),
            ("+1234567", Foreign),
            ("+123456789012345", Foreign),
            ("0011123456789012345", Foreign),
        ];
        for (text, kind) in table {
            assert_eq!(Phone::read(text), Some(kind), "{text}");
        }
    }

    #[test]
    fn malformed_numbers_are_refused() {
        let texts = [
            "abcde",
            "0612345678",
            "12345",
            "+61 1",
            "++61280082213",
            "+",
            "()",
            "",
            "0488 008 22",
            "04880082211",
            "+610212345678 1",
            "+61 0145 123 456",
            "+6100488008221",
            "0146123456",
            "130000",
            "130123",
            "130012345",
            "19001234567",
            "+0123456789",
            "+123456",
            "+1234567890123456",
            "0011",
            "00110123456789",
            "00111234567890123456",
            "61488008221",
            "0488008221 x",
            "(+61)488008221",
            "0488\t008221",
            "٠488008221",
        ];
        for text in texts {
            assert_eq!(Phone::read(text), None, "{text}");
        }
    }
}
