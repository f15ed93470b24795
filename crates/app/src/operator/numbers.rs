use super::jobs::{ITEMS, MAX_NUMBERS};
use super::{Operations, OperatorError};
use cutover_core::ExternalAccountNumber;
use std::collections::BTreeSet;

/// Maximum number of unknown numbers that a refusal names.
const NAMED: usize = 5;

impl Operations<'_> {
    /// Checks that a supplier has an account, in any state, with each of these numbers. Blank ones do not count.
    ///
    /// # Errors
    /// [`OperatorError`] that names the first numbers without an account; there is no such supplier, or there are too many
    /// numbers.
    pub fn check_numbers(&self, supplier: &str, numbers: &[String]) -> Result<(), OperatorError> {
        let supplier = self.show_supplier(supplier)?;
        if numbers.len() > MAX_NUMBERS {
            return Err(OperatorError::Refused(format!("there are more than {MAX_NUMBERS} numbers")));
        }
        let distinct: BTreeSet<&str> = numbers.iter().map(|number| cutover_core::trimmed(number)).collect();
        let distinct: Vec<&str> = distinct.into_iter().filter(|number| !number.is_empty()).collect();
        let mut unknown: Vec<&str> = Vec::new();
        for some in distinct.chunks(ITEMS) {
            let found = self.read_committed(|tx| {
                let mut found = Vec::new();
                for number in some {
                    found.push(match number.parse::<ExternalAccountNumber>() {
                        Ok(number) => tx.process(supplier.id, &number)?.is_some(),
                        Err(_) => false,
                    });
                }
                Ok::<_, OperatorError>(found)
            })?;
            unknown
                .extend(some.iter().zip(found).filter(|(_, is_found)| !is_found).map(|(number, _)| number));
        }
        match unknown.len() {
            0 => Ok(()),
            count => Err(OperatorError::Refused(unknown_numbers(supplier.code.as_str(), &unknown, count))),
        }
    }
}

fn unknown_numbers(supplier: &str, unknown: &[&str], count: usize) -> String {
    let named: Vec<String> = unknown.iter().take(NAMED).map(|number| format!("{number:?}")).collect();
    let more = match count.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let noun = if count == 1 { "number" } else { "numbers" };
    format!("{supplier} has no account with the {noun} {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::unknown_numbers;

    #[test]
    fn unknown_numbers_are_named() {
        assert_eq!(
            unknown_numbers("ACME", &["A\u{1b}1"], 1),
            r#"ACME has no account with the number "A\u{1b}1""#
        );
        let text = unknown_numbers("ACME", &["1", "2", "3", "4", "5", "6", "7"], 7);
        assert_eq!(text, r#"ACME has no account with the numbers "1", "2", "3", "4", "5" and 2 more"#);
    }
}
