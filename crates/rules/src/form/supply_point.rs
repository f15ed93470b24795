/// A kind of supply point identifier (rules 10.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupplyPointId {
    /// The national metering identifier of electricity.
    Nmi,
    /// The meter installation registration number of gas.
    Mirn,
}

impl SupplyPointId {
    /// Returns true if the trimmed text has the form of the identifier, with or without its check digit.
    pub(crate) fn is_form_of(self, text: &str) -> bool {
        let (ten, check) = text.as_bytes().split_at(text.len().min(10));
        let first_is_right = self == Self::Nmi || text.starts_with('5');
        ten.len() == 10 && first_is_right && self.is_body(ten) && is_optional_digit(check)
    }

    /// Returns true if the trimmed text has the eleven characters of the form, and the last is not the check
    /// digit of the others. A MIRN may be any eleven digits here.
    pub(crate) fn has_wrong_check_digit(self, text: &str) -> bool {
        let Some((ten, [check])) = text.as_bytes().split_at_checked(10) else { return false };
        self.is_body(ten) && check.is_ascii_digit() && check - b'0' != check_digit(ten)
    }

    fn is_body(self, ten: &[u8]) -> bool {
        ten.iter().all(|byte| match self {
            Self::Nmi => is_nmi_character(byte.to_ascii_uppercase()),
            Self::Mirn => byte.is_ascii_digit(),
        })
    }
}

fn is_nmi_character(byte: u8) -> bool {
    byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'O'))
}

fn is_optional_digit(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [byte] => byte.is_ascii_digit(),
        _ => false,
    }
}

/// Computes the check digit: from right to left every other character code is doubled, and the digits of all
/// are added up.
fn check_digit(body: &[u8]) -> u8 {
    let code = |(i, byte): (usize, &u8)| {
        let code = u32::from(byte.to_ascii_uppercase());
        if i % 2 == 0 { 2 * code } else { code }
    };
    let digits = |code: u32| code / 100 + code / 10 % 10 + code % 10;
    let sum: u32 = body.iter().rev().enumerate().map(code).map(digits).sum();
    ((10 - sum % 10) % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::SupplyPointId::{self, Mirn, Nmi};
    use super::*;

    #[test]
    fn check_digits_of_the_published_examples() {
        for (body, digit) in [
            ("2001985732", 8),
            ("QAAAVZZZZZ", 3),
            ("qaaavzzzzz", 3),
            ("QCDWW00010", 2),
            ("NBBBX11110", 0),
            ("VKTS876510", 8),
            ("5310923708", 4),
            ("5500000278", 4),
        ] {
            assert_eq!(check_digit(body.as_bytes()), digit, "{body}");
        }
    }

    #[test]
    fn forms_of_nmi_and_mirn() {
        for (id, text, is_form) in [
            (Nmi, "2001985732", true),
            (Nmi, "20019857328", true),
            (Nmi, "qaaavzzzzz3", true),
            (Nmi, "QAAAVZZZZI", false),
            (Nmi, "QAAAVZZZZo", false),
            (Nmi, "2001985732X", false),
            (Nmi, "200198573", false),
            (Nmi, "200198573288", false),
            (Nmi, "20019-5732", false),
            (Nmi, "é01985732", false),
            (Nmi, "20019857é", false),
            (Nmi, "", false),
            (Mirn, "5310923708", true),
            (Mirn, "53109237084", true),
            (Mirn, "4310923708", false),
            (Mirn, "531092370", false),
            (Mirn, "531092370A", false),
            (Mirn, "5310923708A", false),
        ] {
            assert_eq!(id.is_form_of(text), is_form, "{id:?} {text}");
        }
    }

    #[test]
    fn only_eleven_characters_have_a_check_digit() {
        let wrong: fn((SupplyPointId, &str)) -> bool = |(id, text)| id.has_wrong_check_digit(text);
        for text in [(Nmi, "20019857327"), (Nmi, "QAAAVZZZZZ4"), (Mirn, "53109237085"), (Mirn, "43109237080")]
        {
            assert!(wrong(text), "{text:?}");
        }
        for text in [
            (Nmi, "20019857328"),
            (Nmi, "qaaavzzzzz3"),
            (Nmi, "2001985732"),
            (Nmi, "2001985732X"),
            (Nmi, "IAAAVZZZZZ4"),
            (Mirn, "53109237084"),
            (Mirn, "5310923708"),
            (Mirn, "QAAAVZZZZZ4"),
            (Mirn, "531092370850"),
        ] {
            assert!(!wrong(text), "{text:?}");
        }
    }
}
