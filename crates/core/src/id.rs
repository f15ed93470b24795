use std::fmt;
use std::str::FromStr;

/// The text without white space at both ends, as Unicode defines it (fields 1.4): a no-break space is as invisible to
/// people as a space, and two accounts whose numbers differ in one would be taken for one.
#[inline]
pub fn trimmed(text: &str) -> &str {
    // Nearly every text is trimmed already. Two bytes show it: ASCII above the space is no white space.
    let is_black = |byte: Option<&u8>| byte.is_some_and(|byte| (b'!'..=b'~').contains(byte));
    let bytes = text.as_bytes();
    if is_black(bytes.first()) && is_black(bytes.last()) { text } else { text.trim() }
}

/// The reason why a text is not a valid identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {problem}")]
pub struct InvalidId {
    what: &'static str,
    problem: &'static str,
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

text_id! {
    /// The code of an import supplier: `[A-Za-z0-9][A-Za-z0-9_.-]{0,63}`, unique in the
    /// installation; `validate` and `bulk` are reserved as segments of routes (contract D1).
    SupplierCode
}

text_id! {
    /// The number of an account at its previous supplier, stored trimmed and compared with
    /// case (contract D1). 1 to 128 characters.
    ExternalAccountNumber
}

text_id! {
    /// The number this service gives an imported account: `A-` and 8 characters of `0-9A-Z`
    /// without I, L, O and U (contract D1).
    ServiceAccountNumber
}

impl FromStr for SupplierCode {
    type Err = InvalidId;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let invalid = |problem| InvalidId { what: "the supplier code", problem };
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if !code.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Err(invalid("does not start with a letter or a digit"));
        }
        if code.len() > 64 || !code.chars().all(legal) {
            return Err(invalid(
                "is longer than 64 characters or has others than letters, digits, '_', '.' and '-'",
            ));
        }
        if matches!(code, "validate" | "bulk") {
            return Err(invalid("is 'validate' or 'bulk', which are reserved as parts of routes"));
        }
        Ok(Self(code.to_owned()))
    }
}

impl FromStr for ExternalAccountNumber {
    type Err = InvalidId;

    /// Trims the text first.
    fn from_str(number: &str) -> Result<Self, Self::Err> {
        let invalid = |problem| InvalidId { what: "the external account number", problem };
        let number = trimmed(number);
        if number.is_empty() {
            return Err(invalid("is blank"));
        }
        if number.chars().count() > 128 {
            return Err(invalid("is longer than 128 characters"));
        }
        if number.contains('\0') {
            return Err(invalid("contains U+0000"));
        }
        Ok(Self(number.to_owned()))
    }
}

impl ServiceAccountNumber {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    /// The number made of the low 40 bits of `random`.
    pub fn from_random(random: u64) -> Self {
        let character = |i| char::from(Self::ALPHABET[(random >> (5 * i)) as usize & 31]);
        Self("A-".chars().chain((0..8).rev().map(character)).collect())
    }
}

impl FromStr for ServiceAccountNumber {
    type Err = InvalidId;

    fn from_str(number: &str) -> Result<Self, Self::Err> {
        match number.strip_prefix("A-") {
            Some(rest) if rest.len() == 8 && rest.bytes().all(|b| Self::ALPHABET.contains(&b)) => {
                Ok(Self(number.to_owned()))
            }
            _ => Err(InvalidId { what: "the service account number", problem: "is not A- and 8 characters" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplier_codes() {
        for good in ["A", "ACME_ENERGY", "0.a-b", &"x".repeat(64)] {
            assert_eq!(good.parse::<SupplierCode>().unwrap().as_str(), good);
        }
        for bad in ["", "_A", ".a", "a b", "a/b", "é", "validate", "bulk", &"x".repeat(65)] {
            assert!(bad.parse::<SupplierCode>().is_err(), "{bad}");
        }
    }

    #[test]
    fn trimming_takes_ends_only() {
        for (text, left) in [
            ("", ""),
            (" \t\r\n", ""),
            ("a", "a"),
            (" a", "a"),
            ("a\n", "a"),
            ("\ta b ", "a b"),
            ("é ", "é"),
            ("\u{85}", ""),
            ("\u{a0}B1\u{2003}\u{3000}", "B1"),
            ("\u{b}\u{c}a\u{2028}", "a"),
            ("\u{200b}a\u{feff}", "\u{200b}a\u{feff}"),
            ("a\u{a0}b", "a\u{a0}b"),
        ] {
            assert_eq!(trimmed(text), left);
        }
    }

    #[test]
    fn external_numbers_are_trimmed_of_all_white_space() {
        let number: ExternalAccountNumber = "\t A-1 \r\n".parse().unwrap();
        assert_eq!(number.as_str(), "A-1");
        let spaced: ExternalAccountNumber = "\u{a0}A 1\u{2009}".parse().unwrap();
        assert_eq!(spaced.as_str(), "A 1");
        for bad in ["", " \n", "\u{a0}", "a\0b", &"x".repeat(129)] {
            assert!(bad.parse::<ExternalAccountNumber>().is_err());
        }
    }

    #[test]
    fn service_numbers_read_back() {
        assert_eq!(ServiceAccountNumber::from_random(0).as_str(), "A-00000000");
        assert_eq!(ServiceAccountNumber::from_random(u64::MAX).as_str(), "A-ZZZZZZZZ");
        let number = ServiceAccountNumber::from_random(0x1234_5678_9abc);
        assert_eq!(number.as_str().parse::<ServiceAccountNumber>().unwrap(), number);
        assert!("A-0000000I".parse::<ServiceAccountNumber>().is_err());
    }
}
