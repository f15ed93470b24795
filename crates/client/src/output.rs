//! What is printed.

use crate::error::Error;
use cutover_model::rust_decimal::Decimal;
use serde::Serialize;
use std::io::Write;

/// Prints to standard output; a reader who went away has read enough.
///
/// # Errors
/// [`Error`] if it cannot be written to.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let printed = std::io::stdout().lock().write_all(text.as_bytes()).map_err(Error::from);
    match printed {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(()),
    }
}

/// One JSON document, for programs. What it is made of are texts and numbers: it cannot fail.
pub(crate) fn document(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A whole number with its thousands apart: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    apart(&number.to_string())
}

/// The same for a number that may have digits behind the point.
pub(crate) fn apart(number: &str) -> String {
    let (whole, part) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut out = String::with_capacity(number.len() * 4 / 3);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + part
}

/// An amount of money with its thousands apart and two digits behind the point at least: `-1,234.50`.
pub(crate) fn money(amount: Decimal) -> String {
    let mut amount = amount.normalize();
    amount.rescale(amount.scale().max(2));
    let text = amount.abs().to_string();
    let sign = if amount.is_sign_negative() && !amount.is_zero() { "-" } else { "" };
    format!("{sign}{}", apart(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
        let amounts = ["0", "-0.00", "1", "-1234.5", "1234567.891", "0.10"];
        let amounts = amounts.map(|text| money(text.parse().unwrap()));
        assert_eq!(amounts, ["0.00", "0.00", "1.00", "-1,234.50", "1,234,567.891", "0.10"]);
    }
}
