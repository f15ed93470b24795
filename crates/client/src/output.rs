//! Output and number formats.

use crate::error::Error;
use cutover_model::rust_decimal::Decimal;
use serde::Serialize;
use std::io::Write;

/// Prints to standard output. A reader that went away is no error.
///
/// # Errors
/// [`Error`] if standard output fails.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let printed = std::io::stdout().lock().write_all(text.as_bytes()).map_err(Error::from);
    match printed {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(()),
    }
}

/// Formats a value as one JSON document. Values consist of texts and numbers, so this cannot fail.
pub(crate) fn document(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Formats an integer with thousands separators: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    cutover_core::grouped(&number.to_string())
}

/// Formats a number of things: `1 account`, `1,234 accounts`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// Formats an amount with thousands separators and at least two decimal places: `-1,234.50`.
pub(crate) fn money(amount: Decimal) -> String {
    let mut amount = amount.normalize();
    amount.rescale(amount.scale().max(2));
    let text = amount.abs().to_string();
    let sign = if amount.is_sign_negative() && !amount.is_zero() { "-" } else { "" };
    format!("{sign}{}", cutover_core::grouped(&text))
}

/// Formats the number of warnings, of accounts with warnings, and of warnings that are about many accounts.
pub(crate) fn warnings(all: u64, accounts: u64, across: u64) -> String {
    match across {
        0 => format!("{}, in {} accounts", grouped(all), grouped(accounts)),
        _ => format!(
            "{}: {} in {} accounts, {} across accounts",
            grouped(all),
            grouped(all - across),
            grouped(accounts),
            grouped(across)
        ),
    }
}

/// Accounts per second.
pub(crate) fn rate(accounts: u64, milliseconds: u64) -> u64 {
    accounts.saturating_mul(1_000) / milliseconds.max(1)
}

/// Formats the duration of a run and its rate.
pub(crate) fn duration(accounts: u64, milliseconds: u64) -> String {
    let (seconds, rest) = (grouped(milliseconds / 1_000), milliseconds % 1_000);
    format!("{seconds}.{rest:03} s, {} accounts a second", grouped(rate(accounts, milliseconds)))
}

/// Formats the number of opened inputs, and of those that were not readable to their end.
pub(crate) fn inputs(opened: u64, unreadable: u64) -> String {
    match unreadable {
        0 => grouped(opened),
        _ => format!("{} opened, {} not readable to the end", grouped(opened), grouped(unreadable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_plural() {
        let numbers = [0, 1, 1_000].map(|number| counted(number, "account"));
        assert_eq!(numbers, ["0 accounts", "1 account", "1,000 accounts"]);
    }

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
        let amounts = ["0", "-0.00", "1", "-1234.5", "1234567.891", "0.10"];
        let amounts = amounts.map(|text| money(text.parse().unwrap()));
        assert_eq!(amounts, ["0.00", "0.00", "1.00", "-1,234.50", "1,234,567.891", "0.10"]);
    }
}
