use cutover_model::Decimal;

/// The digits of a decimal as a whole number of its smallest declared unit: `1.5` with 2 digits after the point is 150.
/// `None` if it is no decimal or does not fit the declared digits.
pub(crate) fn scaled(text: &str, before: u32, after: u32) -> Option<i128> {
    // Only a number that was sent without quotes may have an exponent.
    let decimal = Decimal::from_sent(text, true).or_else(|| Decimal::from_sent(text, false))?;
    let value = decimal.value().normalize();
    let rest = after.checked_sub(value.scale())?;
    let scaled = value.mantissa().checked_mul(10_i128.checked_pow(rest)?)?;
    (scaled.checked_abs()? < 10_i128.checked_pow(before + after)?).then_some(scaled)
}

/// The value of a decimal in the declared digits after the point, without leading zeros and exponent. `None` if it is no
/// decimal or does not fit the declared digits.
pub fn decimal_text(text: &str, before: u32, after: u32) -> Option<String> {
    let scaled = scaled(text, before, after)?;
    let sign = if scaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", scaled.unsigned_abs(), width = after as usize + 1);
    let (whole, part) = digits.split_at(digits.len() - after as usize);
    let point = if part.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_declared_digits() {
        for (text, before, after, expected) in [
            ("1.5", 3, 2, Some("1.50")),
            ("-0.05", 3, 2, Some("-0.05")),
            ("007", 3, 0, Some("7")),
            ("1e2", 3, 1, Some("100.0")),
            ("-0", 3, 2, Some("0.00")),
            ("9999999999.9999999999", 10, 10, Some("9999999999.9999999999")),
            ("-9999999999.9999999999", 10, 10, Some("-9999999999.9999999999")),
            ("1.50", 3, 1, Some("1.5")),
            ("1.55", 3, 1, None),
            ("1000", 3, 1, None),
            ("x", 3, 1, None),
            ("", 3, 1, None),
        ] {
            assert_eq!(decimal_text(text, before, after).as_deref(), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_value_is_that_of_the_digits(units in -10_i64.pow(15)..10_i64.pow(15), scale in 0_u32..=10) {
            let sent = cutover_model::rust_decimal::Decimal::new(units, scale).to_string();
            let text = decimal_text(&sent, 16, 10).unwrap();
            let value = |text: &str| text.parse::<cutover_model::rust_decimal::Decimal>().unwrap();
            proptest::prop_assert_eq!(value(&text), value(&sent));
            proptest::prop_assert_eq!(text.split_once('.').unwrap().1.len(), 10);
        }
    }
}
