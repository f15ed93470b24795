use crate::json::PlainNumber;
use rust_decimal::Decimal as Value;
use std::borrow::Cow;

/// Maximum number of digits of a sent decimal on either side of the point (fields 1.5).
const MAX_SENT: usize = 40;
/// Maximum number of digits after the point of a JSON number without its exponent (fields 1.5).
const MAX_WRITTEN_AFTER: usize = 80;

/// An exact decimal with the digits that were sent: `10.10` stays `10.10` (contract D3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal<'j> {
    sent: Cow<'j, str>,
    quoted: bool,
    value: Value,
}

/// A whole number with the digits that were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integer<'j> {
    sent: Cow<'j, str>,
    quoted: bool,
    value: i64,
}

macro_rules! sent_number {
    ($name:ident, $value:ty) => {
        impl<'j> $name<'j> {
            pub(crate) fn new(sent: Cow<'j, str>, quoted: bool, value: $value) -> Self {
                Self { sent, quoted, value }
            }

            /// The value.
            pub fn value(&self) -> $value {
                self.value
            }

            /// The digits as sent, without quotes.
            pub fn as_sent(&self) -> &str {
                &self.sent
            }

            /// Returns true if it was sent as a string instead of a number.
            pub fn is_quoted(&self) -> bool {
                self.quoted
            }

            /// A copy that borrows nothing.
            pub fn into_owned(self) -> $name<'static> {
                $name { sent: Cow::Owned(self.sent.into_owned()), quoted: self.quoted, value: self.value }
            }
        }

        impl From<$value> for $name<'static> {
            /// The value as a JSON number.
            fn from(value: $value) -> Self {
                $name { sent: Cow::Owned(value.to_string()), quoted: false, value }
            }
        }
    };
}

sent_number!(Decimal, Value);
sent_number!(Integer, i64);

/// The error for a text that is not a decimal of a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text is not a decimal number in plain digits")]
pub struct InvalidNumber;

impl std::str::FromStr for Decimal<'static> {
    type Err = InvalidNumber;

    /// Reads a decimal as in a string member, and writes it as a string.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = read_decimal(text, true, 20, 20).map_err(|_| InvalidNumber)?;
        Ok(Self { sent: Cow::Owned(text.to_owned()), quoted: true, value })
    }
}

impl Decimal<'_> {
    /// The value without trailing zeros, for comparison of content.
    pub(crate) fn canonical(&self) -> Cow<'_, str> {
        match significant(&self.sent) {
            Some(digits) => Cow::Borrowed(digits),
            None => Cow::Owned(self.value.normalize().to_string()),
        }
    }

    /// The digits in the form of a string member: those sent, unless they are a number with an exponent or
    /// more than 40 digits, which is written out without trailing zeros.
    pub fn digits(&self) -> Cow<'_, str> {
        let fits = self.sent.len() <= MAX_SENT && !self.sent.contains(['e', 'E']);
        if self.quoted || fits { Cow::Borrowed(&self.sent) } else { self.canonical() }
    }

    /// The decimal that was sent as these digits, which the store keeps. `None` if no payload can have them.
    pub fn from_sent(sent: &str, quoted: bool) -> Option<Decimal<'static>> {
        let value = read_decimal(sent, quoted, 20, 20).ok()?;
        Some(Decimal { sent: Cow::Owned(sent.to_owned()), quoted, value })
    }
}

impl Integer<'_> {
    /// The value, for comparison of content.
    pub(crate) fn canonical(&self) -> Cow<'_, str> {
        match significant(&self.sent) {
            Some(digits) if !digits.contains('.') => Cow::Borrowed(digits),
            _ => Cow::Owned(self.value.to_string()),
        }
    }
}

/// The digits without trailing zeros, as a slice; `None` if the number must be rewritten for that, which is
/// rare.
fn significant(sent: &str) -> Option<&str> {
    let digits = sent.strip_prefix('-').unwrap_or(sent);
    let is_padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_padded || !is_plain {
        return None;
    }
    let whole = match digits.contains('.') {
        true => sent.trim_end_matches('0').trim_end_matches('.'),
        false => sent,
    };
    Some(if whole == "-0" { "0" } else { whole })
}

/// The reason why a number is refused, in the order of the checks (fields 1.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFault {
    Invalid,
    TooManyDigits,
    TooManyPlaces,
}

/// The parts of a number: digits before and after the point, and the exponent.
struct Digits<'t> {
    negative: bool,
    /// The digits of the mantissa before the point; `after` has the others.
    before: &'t [u8],
    after: &'t [u8],
    /// The exponent: the number of places by which the point moves to the right.
    shift: i64,
}

impl<'t> Digits<'t> {
    /// Splits a decimal: a JSON number if `exponent` is set, otherwise plain digits.
    fn of(text: &'t [u8], exponent: bool) -> Option<Self> {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let run = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
        let (before, rest) = rest.split_at(run(rest));
        let (after, rest) = match rest {
            [b'.', rest @ ..] if run(rest) > 0 => rest.split_at(run(rest)),
            rest => (&[][..], rest),
        };
        if before.is_empty() {
            return None;
        }
        let shift = match rest {
            [] => 0,
            [b'e' | b'E', rest @ ..] if exponent => parse_exponent(rest),
            _ => return None,
        };
        Some(Self { negative, before, after, shift })
    }

    fn digit(&self, i: usize) -> u8 {
        let byte = if i < self.before.len() { self.before[i] } else { self.after[i - self.before.len()] };
        byte - b'0'
    }

    fn len(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// The index of the first digit that is not 0, and the index after the last one.
    fn significant(&self) -> Option<(usize, usize)> {
        let first = (0..self.len()).find(|i| self.digit(*i) != 0)?;
        let last = (0..self.len()).rev().find(|i| self.digit(*i) != 0)?;
        Some((first, last + 1))
    }

    /// The position of the point, in digits from the first one.
    fn point(&self) -> i64 {
        i64::try_from(self.before.len()).unwrap_or(i64::MAX).saturating_add(self.shift)
    }
}

/// Clamps the exponent: larger ones make no difference.
fn parse_exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let clamped = |e: i64, b: &u8| (e * 10 + i64::from(b - b'0')).min(1 << 40);
    let value = digits.iter().fold(0, clamped);
    if negative { -value } else { value }
}

/// Reads a decimal of at most `before` and `after` digits; `quoted` decimals have no exponent.
#[inline(never)]
pub(crate) fn read_decimal(text: &str, quoted: bool, before: u32, after: u32) -> Result<Value, NumberFault> {
    if let Some(value) = read_short(text.as_bytes(), before, after) {
        return Ok(value);
    }
    let digits = Digits::of(text.as_bytes(), !quoted).ok_or(NumberFault::Invalid)?;
    if quoted && (digits.before.len() > MAX_SENT || digits.after.len() > MAX_SENT) {
        return Err(NumberFault::Invalid);
    }
    let point = digits.point();
    let len = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let Some((first, end)) = digits.significant() else { return Ok(Value::ZERO) };
    let (first, end) = (first as i64, end as i64);
    if !quoted && (point > MAX_SENT as i64 || len - point > MAX_WRITTEN_AFTER as i64) {
        // Leading zeros do not count: the grammar of JSON numbers allows them only as "0.".
        if point - first > MAX_SENT as i64 || len - point > MAX_WRITTEN_AFTER as i64 {
            return Err(NumberFault::Invalid);
        }
    }
    if point - first > i64::from(before) {
        return Err(NumberFault::TooManyDigits);
    }
    if end - point > i64::from(after) {
        return Err(NumberFault::TooManyPlaces);
    }
    value_of(&digits, first, end.max(point.min(len)), point).ok_or(NumberFault::Invalid)
}

/// The number of digits of a decimal before and after its point, without zeros at both ends.
#[cold]
pub(crate) fn digits_of_decimal(text: &str, quoted: bool) -> Option<(u32, u32)> {
    let digits = Digits::of(text.as_bytes(), !quoted)?;
    let (first, end) = digits.significant()?;
    let point = digits.point();
    let count = |digits: i64| u32::try_from(digits.max(0)).unwrap_or(u32::MAX);
    Some((count(point - first as i64), count(end as i64 - point)))
}

/// The value of the digits from `first` to `end`, with the point at `point`.
fn value_of(digits: &Digits<'_>, first: i64, end: i64, point: i64) -> Option<Value> {
    let mut mantissa: i128 = 0;
    for i in first..end {
        mantissa = mantissa.checked_mul(10)?.checked_add(digits.digit(usize::try_from(i).ok()?).into())?;
    }
    for _ in end..point {
        mantissa = mantissa.checked_mul(10)?;
    }
    if digits.negative {
        mantissa = -mantissa;
    }
    Value::try_from_i128_with_scale(mantissa, u32::try_from((end - point).max(0)).ok()?).ok()
}

/// Fast path: few digits, all within the limits, no exponent. Otherwise `None`.
#[inline]
fn read_short(text: &[u8], before: u32, after: u32) -> Option<Value> {
    let number = PlainNumber::at(text, 0).filter(|number| number.end == text.len())?;
    plain_decimal(number, before, after)
}

/// The value of plain digits, if they are within the limits on both sides of the point.
#[inline]
pub(crate) fn plain_decimal(number: PlainNumber, before: u32, after: u32) -> Option<Value> {
    let fits = number.before <= before && number.after <= after;
    let (low, high) = (number.digits as u32, (number.digits >> 32) as u32);
    fits.then(|| Value::from_parts(low, high, 0, number.is_negative, number.after))
}

/// Reads a whole number of a magnitude below 10^18 (fields 1.5).
pub(crate) fn read_integer(text: &str, quoted: bool) -> Option<i64> {
    if quoted {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let legal = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        return if legal { text.parse().ok() } else { None };
    }
    let digits = Digits::of(text.as_bytes(), true)?;
    let Some((first, end)) = digits.significant() else { return Some(0) };
    let point = digits.point();
    if (end as i64) > point || point - first as i64 > 18 {
        return None;
    }
    let len = i64::try_from(digits.len()).ok()?;
    let value = value_of(&digits, first as i64, (end as i64).max(point.min(len)), point)?;
    i64::try_from(value.mantissa()).ok()
}

/// Writes a JSON number by value: significant digits and an exponent of any size.
pub(crate) fn canonical_number(text: &str, out: &mut String) {
    let Some(digits) = Digits::of(text.as_bytes(), true) else { return out.push_str(text) };
    let Some((first, end)) = digits.significant() else { return out.push('0') };
    if digits.negative {
        out.push('-');
    }
    out.extend((first..end).map(|i| char::from(digits.digit(i) + b'0')));
    let exponent = digits.point() - end as i64;
    if exponent != 0 {
        out.push_str(&format!("e{exponent}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NumberFault::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Result<String, NumberFault> {
        read_decimal(text, false, 10, 10).map(|v| v.normalize().to_string())
    }

    fn string(text: &str) -> Result<String, NumberFault> {
        read_decimal(text, true, 10, 10).map(|v| v.normalize().to_string())
    }

    #[test]
    fn both_wire_forms_are_read_exactly() {
        for (text, value) in
            [("0", "0"), ("-0", "0"), ("10.10", "10.1"), ("-1.5", "-1.5"), ("9999999999", "9999999999")]
        {
            assert_eq!(number(text).unwrap(), value);
            assert_eq!(string(text).unwrap(), value);
        }
        assert_eq!(string("0000000000000000000000012.5000000000000000000000").unwrap(), "12.5");
        assert_eq!(string("9999999999.9999999999").unwrap(), "9999999999.9999999999");
        assert_eq!(number("1e2").unwrap(), "100");
        assert_eq!(number("1.50e-3").unwrap(), "0.0015");
        assert_eq!(number("123456e-4").unwrap(), "12.3456");
        assert_eq!(number("0e400").unwrap(), "0");
    }

    proptest! {
        /// The canonical form depends only on the value.
        #[test]
        fn the_canonical_form_is_of_the_value(
            text in "-?(0|[1-9][0-9]{0,9})([.][0-9]{1,12})?([eE][+-]?[0-9]{1,2})?"
        ) {
            if let Ok(value) = read_decimal(&text, false, 20, 20) {
                let decimal = Decimal::new(Cow::Borrowed(&text), false, value);
                prop_assert_eq!(decimal.canonical(), value.normalize().to_string());
            }
            if let Some(value) = read_integer(&text, false) {
                let integer = Integer::new(Cow::Borrowed(&text), false, value);
                prop_assert_eq!(integer.canonical(), value.to_string());
            }
        }
    }

    #[test]
    fn limits_count_neither_leading_nor_trailing_zeros() {
        assert_eq!(number("10000000000"), Err(TooManyDigits));
        assert_eq!(number("1e10"), Err(TooManyDigits));
        assert_eq!(number("0.00000000001"), Err(TooManyPlaces));
        assert_eq!(number("10000000000.00000000001"), Err(TooManyDigits));
        assert_eq!(number("0.10000000000000000").unwrap(), "0.1");
        assert_eq!(number("1e-10").unwrap(), "0.0000000001");
        assert_eq!(number("1e-11"), Err(TooManyPlaces));
    }

    #[test]
    fn other_forms_are_refused() {
        for text in ["", "-", "+1", "1.", ".5", "1e2", "1,000", " 1", "1 ", "0x1", "NaN", "--1", "1.2.3", "٣"]
        {
            assert_eq!(string(text), Err(Invalid), "{text}");
        }
        assert_eq!(string(&"9".repeat(41)), Err(Invalid));
        assert_eq!(string(&"9".repeat(40)), Err(TooManyDigits));
        assert_eq!(string(&format!("1.{}", "0".repeat(41))), Err(Invalid));
        assert_eq!(number("1e400"), Err(Invalid));
        assert_eq!(number("1e-400"), Err(Invalid));
        assert_eq!(number("1e99999999999999999999"), Err(Invalid));
        assert_eq!(number("1e40"), Err(Invalid));
        assert_eq!(number("1e39"), Err(TooManyDigits));
    }

    #[test]
    fn integers() {
        for (text, value) in [("4", 4), ("4.0", 4), ("4e0", 4), ("40e-1", 4), ("-12e3", -12_000), ("0.0", 0)]
        {
            assert_eq!(read_integer(text, false), Some(value), "{text}");
        }
        assert_eq!(read_integer("999999999999999999", false), Some(999_999_999_999_999_999));
        for text in ["4.5", "1e18", "1e400", "1000000000000000000"] {
            assert_eq!(read_integer(text, false), None, "{text}");
        }
        assert_eq!(read_integer("-007", true), Some(-7));
        for text in ["4.0", "", "-", "+4", " 4", "1000000000000000000", "4e0"] {
            assert_eq!(read_integer(text, true), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_agrees_with_the_slow_one(text in "-?[0-9]{1,12}(\\.[0-9]{1,8})?") {
            let digits = Digits::of(text.as_bytes(), false).unwrap();
            let long = digits.significant().map_or(Some(Value::ZERO), |(first, end)| {
                let (point, len) = (digits.point(), digits.len() as i64);
                value_of(&digits, first as i64, (end as i64).max(point.min(len)), point)
            });
            if let Some(short) = read_short(text.as_bytes(), 20, 20) {
                prop_assert_eq!(Some(short), long);
            }
        }

        #[test]
        fn reading_is_exact(mantissa in -99_999_999_999_999i64..99_999_999_999_999, scale in 0u32..10) {
            let value = Value::new(mantissa, scale);
            prop_assert_eq!(read_decimal(&value.to_string(), false, 20, 20), Ok(value));
        }
    }
}
