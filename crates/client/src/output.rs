//! What is printed.

use crate::error::Error;
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
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }
}
