//! Exact sums and products of money (rules 8.1, 8.2).

use cutover_model::choices::TransactionType;
use cutover_model::{Field, List, Presence, draft};
use rust_decimal::Decimal;

const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Returns the signed sum of transactions (rules 8.2), or `None` if one of them, its amount or its type is
/// not usable.
pub(crate) fn signed_sum(transactions: &List<draft::Transaction<'_>>) -> Option<Decimal> {
    whole_sum(transactions, effect)
}

/// Returns the sum of a value of every item, or `None` if it is unknown for one of them.
pub(crate) fn whole_sum<T>(items: &List<T>, value: impl Fn(&T) -> Option<Decimal>) -> Option<Decimal> {
    if items.is_whole() { items.usable().map(|(_, item)| value(item)).sum() } else { None }
}

/// Returns the sum of a list, 0 if the list is absent, or `None` if it is faulty.
pub(crate) fn sum_or_zero<T>(
    items: &Field<List<T>>,
    sum: impl FnOnce(&List<T>) -> Option<Decimal>,
) -> Option<Decimal> {
    match items.presence() {
        Presence::Usable(items) => sum(items),
        Presence::Absent => Some(Decimal::ZERO),
        Presence::Faulty => None,
    }
}

/// Returns the amount with the sign that the type gives it (rules 8.1).
fn effect(transaction: &draft::Transaction<'_>) -> Option<Decimal> {
    let amount = transaction.amount.usable()?.value();
    Some(match transaction.kind.usable()? {
        TransactionType::Payment | TransactionType::Credit => amount,
        TransactionType::Charge | TransactionType::SupplyCharge | TransactionType::Repayment => -amount,
    })
}

/// Returns true if two amounts differ by at most a cent.
pub(crate) fn is_near(a: Decimal, b: Decimal) -> bool {
    (a - b).abs() <= CENT
}

/// Returns true if an amount and a product differ by at most a cent. Returns false if the product overflows.
pub(crate) fn is_near_product(amount: Decimal, a: Decimal, b: Decimal) -> bool {
    distance(amount, a, b).is_some_and(|(distance, cent)| distance <= cent)
}

/// The powers of ten that fit.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Returns the distance of amount and product, and a cent, in the same unit; `None` on overflow.
fn distance(amount: Decimal, a: Decimal, b: Decimal) -> Option<(u128, u128)> {
    let scale = a.scale() + b.scale();
    let common = scale.max(amount.scale()).max(CENT.scale());
    let units = |mantissa: i128, scale: u32| mantissa.checked_mul(*POWERS.get((common - scale) as usize)?);
    let product = units(a.mantissa().checked_mul(b.mantissa())?, scale)?;
    let distance = product.checked_sub(units(amount.mantissa(), amount.scale())?)?.unsigned_abs();
    Some((distance, units(CENT.mantissa(), CENT.scale())?.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near_product(amount: &str, a: &str, b: &str) -> bool {
        is_near_product(amount.parse().unwrap(), a.parse().unwrap(), b.parse().unwrap())
    }

    #[test]
    fn amounts_a_cent_apart_are_near() {
        for (a, b, near) in [("1.00", "1.01", true), ("1.01", "1", true), ("1.0100000001", "1", false)] {
            assert_eq!(is_near(a.parse().unwrap(), b.parse().unwrap()), near, "{a} {b}");
        }
    }

    #[test]
    fn products_are_exact() {
        assert!(near_product("0.30", "0.1", "3"));
        assert!(near_product("-0.31", "-0.1", "3"));
        assert!(!near_product("0.3100000001", "0.1", "3"));
        assert!(!near_product("0.31", "0.0999999", "2.9999"));
        // 31 digits: more than a decimal holds.
        assert!(!near_product("0", "99999999.9999999", "999999999999.9999"));
    }

    #[test]
    fn a_product_that_overflows_is_not_near() {
        let large = "999999999999999.99999";
        assert!(!near_product("9999999999.9999999999", large, large));
        assert!(!near_product("0", large, &format!("-{large}")));
    }

    proptest! {
        #[test]
        fn a_product_is_near_amounts_within_a_cent(
            a in -1_000_000_000i64..1_000_000_000, p in 0u32..8,
            b in -1_000_000_000i64..1_000_000_000, q in 0u32..5,
            away in -20_000_000i64..20_000_000,
        ) {
            let (a, b, away) = (Decimal::new(a, p), Decimal::new(b, q), Decimal::new(away, 9));
            prop_assert_eq!(is_near_product(a * b + away, a, b), away.abs() <= CENT);
        }
    }
}
