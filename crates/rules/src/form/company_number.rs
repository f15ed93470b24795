/// A number of Australian companies and businesses (rules 10.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompanyNumber {
    /// Of a company.
    Acn,
    /// Of a business.
    Abn,
}

impl CompanyNumber {
    /// Reads a trimmed text, spaces left out; `None` if it is neither, or its check digits are wrong.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut digits = [0; ABN_DIGITS];
        let mut count = 0;
        for byte in text.bytes().filter(|byte| *byte != b' ') {
            if !byte.is_ascii_digit() || count == ABN_DIGITS {
                return None;
            }
            digits[count] = i32::from(byte - b'0');
            count += 1;
        }
        match count {
            ACN_DIGITS => is_acn(&digits[..ACN_DIGITS]).then_some(Self::Acn),
            ABN_DIGITS => is_abn(&digits).then_some(Self::Abn),
            _ => None,
        }
    }
}

const ACN_DIGITS: usize = 9;
const ABN_DIGITS: usize = 11;

fn is_acn(digits: &[i32]) -> bool {
    let sum = weighted(digits, &[8, 7, 6, 5, 4, 3, 2, 1]);
    (10 - sum % 10) % 10 == digits[ACN_DIGITS - 1]
}

fn is_abn(digits: &[i32]) -> bool {
    const WEIGHTS: [i32; ABN_DIGITS] = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
    (weighted(digits, &WEIGHTS) - WEIGHTS[0]) % 89 == 0
}

fn weighted(digits: &[i32], weights: &[i32]) -> i32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acns_and_abns_are_accepted() {
        for text in [
            "004085616",
            "004 085 616",
            "000000019",
            "010499966",
            "010 749 961",
            "51824753556",
            "51 824 753 556",
            " 5 1 8 2 4 7 5 3 5 5 6 ",
            "53 004 085 616",
        ] {
            assert!(CompanyNumber::read(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_refused() {
        for text in [
            "",
            " ",
            "004085617",
            "040085616",
            "51824753557",
            "15824753556",
            "00408561",
            "0040856160",
            "518247535560",
            "004-085-616",
            "004\t085616",
            "00408561x",
            "+004085616",
            "٠٠٤٠٨٥٦١٦",
            "ABN 51824753556",
        ] {
            assert!(CompanyNumber::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn every_digit_counts() {
        for number in ["123456780", "11123456780"] {
            assert!(CompanyNumber::read(number).is_some(), "{number}");
            for place in 0..number.len() {
                let mut other = number.as_bytes().to_vec();
                other[place] = b'0' + (other[place] - b'0' + 1) % 10;
                assert!(
                    CompanyNumber::read(std::str::from_utf8(&other).unwrap()).is_none(),
                    "{number} at {place}"
                );
            }
        }
    }
}
