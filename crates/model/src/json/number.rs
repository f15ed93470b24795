/// A number of the usual form: up to 18 digits with at most one point between them, and no exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainNumber {
    /// All digits as one whole number.
    pub(crate) digits: u64,
    /// True if there is a minus sign.
    pub(crate) is_negative: bool,
    /// Number of digits before the point.
    pub(crate) before: u32,
    /// Number of digits after the point.
    pub(crate) after: u32,
    /// Offset of the end of the number in the text.
    pub(crate) end: usize,
}

/// Maximum number of digits that always fit.
const MAX_DIGITS: usize = 18;

impl PlainNumber {
    /// Reads the number at an offset of the text; `None` if it has another form.
    #[inline(always)]
    pub(crate) fn at(text: &[u8], at: usize) -> Option<Self> {
        let is_negative = text.get(at) == Some(&b'-');
        let start = at + usize::from(is_negative);
        let (mut digits, point) = read_digits(0, text, start);
        let (mut end, mut after) = (point, 0);
        if text.get(point) == Some(&b'.') {
            (digits, end) = read_digits(digits, text, point + 1);
            after = end - point - 1;
            if after == 0 {
                return None;
            }
        }
        let before = point - start;
        if before == 0 || before + after > MAX_DIGITS {
            return None;
        }
        Some(Self { digits, is_negative, before: before as u32, after: after as u32, end })
    }
}

/// Appends the digits at an offset to a number, and returns it with the end of the digits. Overflows silently
/// if there are too many.
#[inline]
fn read_digits(number: u64, text: &[u8], at: usize) -> (u64, usize) {
    if let Some(chunk) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let (digits, count) = leading_digits(*chunk);
        if let Some(power) = POWERS.get(count) {
            return (number.wrapping_mul(*power).wrapping_add(digits), at + count);
        }
    }
    read_more_digits(number, text, at)
}

/// The factors by which appending fewer than eight digits multiplies a number.
const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// [`read_digits`] for many digits, and at the end of the text.
#[cold]
#[inline(never)]
fn read_more_digits(mut number: u64, text: &[u8], mut at: usize) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    (number, at)
}

/// The number that the leading digits form, and how many they are.
///
/// Works on all eight bytes as one word: the processor would mispredict the end of a loop over the digits,
/// which costs more.
#[inline]
fn leading_digits(text: [u8; 8]) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(text) ^ (ONES * u64::from(b'0'));
    // Sets the highest bit of each byte that is not a digit; a carry affects only bytes behind such a byte.
    let others = (word.wrapping_add(ONES * (0x80 - 10)) | word) & (ONES * 0x80);
    let count = others.trailing_zeros() as usize / 8;
    // Shifts out the bytes after the digits and pads the digits with leading zeros.
    let digits = word << (64 - 8 * count).min(63);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_split_into_their_parts() {
        let made = |text: &str| PlainNumber::at(text.as_bytes(), 0);
        let plain = |digits: i64, before, after, end| {
            let (digits, is_negative) = (digits.unsigned_abs(), digits < 0);
            Some(PlainNumber { digits, is_negative, before, after, end })
        };
        assert_eq!(made("10.50,"), plain(1_050, 2, 2, 5));
        assert_eq!(made("-0.5"), plain(-5, 1, 1, 4));
        assert_eq!(made("007\""), plain(7, 3, 0, 3));
        assert_eq!(made("999999999999999999"), plain(999_999_999_999_999_999, 18, 0, 18));
        assert_eq!(made("1.2.3"), plain(12, 1, 1, 3));
        for other in ["", "-", ".5", "5.", "-.5", "1234567890123456789", "x", "\"1\""] {
            assert_eq!(made(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn the_digits_are_those_of_the_text(text in "-?[0-9]{1,12}(\\.[0-9]{1,6})?", rest in "[^0-9.]?") {
            let number = PlainNumber::at(["x", text.as_str(), &rest].concat().as_bytes(), 1).unwrap();
            let digits: i64 = text.replace('.', "").parse().unwrap();
            let after = text.split_once('.').map_or(0, |(_, after)| after.len());
            prop_assert_eq!((number.digits, number.is_negative), (digits.unsigned_abs(), text.starts_with('-')));
            prop_assert_eq!((number.after as usize, number.end), (after, 1 + text.len()));
        }
    }
}
