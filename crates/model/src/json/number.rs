/// A number as nearly all are: up to 18 digits with at most one point between them, and no exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainNumber {
    /// All digits as one whole number.
    pub(crate) digits: u64,
    /// Whether a minus stands before them.
    pub(crate) is_negative: bool,
    /// How many of them stand before the point.
    pub(crate) before: u32,
    /// And how many behind it.
    pub(crate) after: u32,
    /// Where the text goes on behind it.
    pub(crate) end: usize,
}

/// So many digits fit the number whatever they are.
const MAX_DIGITS: usize = 18;

impl PlainNumber {
    /// The number that stands here in the text, as far as it goes; `None` if it is of another form.
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

/// The number with the digits that stand here behind it, and where they end. Too many of them make it a wrong one.
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

/// The powers of ten by which a number grows with fewer than eight digits behind it.
const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The same for many digits, and at the end of the text.
#[cold]
#[inline(never)]
fn read_more_digits(mut number: u64, text: &[u8], mut at: usize) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    (number, at)
}

/// The number that the digits at the head of the text write, if there are any, and how many they are.
///
/// All eight bytes are one word: a loop that ends after as many digits as there are by chance is guessed wrong by the
/// processor, which costs more than what is done here.
#[inline]
fn leading_digits(text: [u8; 8]) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(text) ^ (ONES * u64::from(b'0'));
    // The highest bit of a byte that is no digit is set; what a carry sets wrongly lies behind such a byte.
    let others = (word.wrapping_add(ONES * (0x80 - 10)) | word) & (ONES * 0x80);
    let count = others.trailing_zeros() as usize / 8;
    // What follows the digits is moved out, and zeros are put before them.
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
    fn what_it_is_made_of() {
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
        fn its_digits_are_those_of_the_text(text in "-?[0-9]{1,12}(\\.[0-9]{1,6})?", rest in "[^0-9.]?") {
            let number = PlainNumber::at(["x", text.as_str(), &rest].concat().as_bytes(), 1).unwrap();
            let digits: i64 = text.replace('.', "").parse().unwrap();
            let after = text.split_once('.').map_or(0, |(_, after)| after.len());
            prop_assert_eq!((number.digits, number.is_negative), (digits.unsigned_abs(), text.starts_with('-')));
            prop_assert_eq!((number.after as usize, number.end), (after, 1 + text.len()));
        }
    }
}
