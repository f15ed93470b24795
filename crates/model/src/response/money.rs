use rust_decimal::Decimal;

/// Formats an amount exactly, with at least two decimal places.
pub(crate) fn money(amount: Decimal) -> String {
    let amount = amount.normalize();
    let places = amount.scale().max(2) as usize;
    format!("{amount:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_to_the_cent_or_further() {
        for (amount, shown) in [
            ("0", "0.00"),
            ("-0.0", "0.00"),
            ("12.5", "12.50"),
            ("-3.1250", "-3.125"),
            ("79228162514264337593543950335", "79228162514264337593543950335.00"),
        ] {
            assert_eq!(money(amount.parse().unwrap()), shown);
        }
    }
}
