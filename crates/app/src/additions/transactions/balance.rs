use crate::port::{LedgerHead, StoreError};
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::service::exact_sum;

/// Returns the amount by which a transaction changes a balance. A balance above 0 is in credit (rules 8.1).
fn signed(kind: TransactionType, amount: Value) -> Value {
    match kind {
        TransactionType::Payment | TransactionType::Credit => amount,
        TransactionType::Charge | TransactionType::SupplyCharge | TransactionType::Repayment => -amount,
    }
}

/// Adds transactions to a balance.
///
/// # Errors
/// [`StoreError::Failed`] if the balance needs more than 28 digits.
pub(super) fn after(
    balance: Value,
    transactions: impl IntoIterator<Item = (TransactionType, Value)>,
) -> Result<Value, StoreError> {
    let out_of_range = || StoreError::Failed("a balance is out of range".into());
    transactions.into_iter().try_fold(balance, |balance, (kind, amount)| {
        exact_sum(balance, signed(kind, amount)).ok_or_else(out_of_range)
    })
}

/// Returns the current balance of a ledger. Without one, adds the transactions since the last statement to
/// the balance of that statement (rules 8.2).
pub(super) fn of_payload(
    ledger: &LedgerHead,
    current: impl FnOnce() -> Result<Vec<(TransactionType, Value)>, StoreError>,
) -> Result<Value, StoreError> {
    match ledger.balance {
        Some(balance) => Ok(balance),
        None => after(ledger.last_statement_balance.unwrap_or_default(), current()?),
    }
}

/// Returns the change of the supplier's totals for a new balance. A ledger without a balance counts as 0.
pub(super) fn change(ledger: &LedgerHead, after: Value) -> Result<Value, StoreError> {
    exact_sum(after, -ledger.balance.unwrap_or_default())
        .ok_or_else(|| StoreError::Failed("a balance is out of range".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransactionType::{Charge, Credit, Payment, Repayment, SupplyCharge};
    use proptest::prelude::*;

    fn value(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn types_carry_the_sign() {
        for (kind, result) in [
            (Payment, "12.50"),
            (Credit, "12.50"),
            (Charge, "7.50"),
            (SupplyCharge, "7.50"),
            (Repayment, "7.50"),
        ] {
            assert_eq!(after(value("10.00"), [(kind, value("2.5"))]).unwrap().to_string(), result);
        }
        assert_eq!(after(value("1"), [(Charge, value("-2.25"))]).unwrap().to_string(), "3.25");
    }

    #[test]
    fn zeros_keep_the_digits_after_the_point() {
        for (balance, kind, amount, sum) in [
            ("0.00", Credit, "5", "5.00"),
            ("100", Credit, "0.00", "100.00"),
            ("0", Charge, "0.0", "0.0"),
            ("-0.00", Charge, "0", "0.00"),
            ("5.00", Charge, "5", "0.00"),
            ("0.000", Charge, "1.5", "-1.500"),
        ] {
            let after = after(value(balance), [(kind, value(amount))]).unwrap();
            assert_eq!(after.to_string(), sum, "{balance} {amount}");
        }
    }

    #[test]
    fn what_cannot_be_held_exactly_is_refused() {
        let large = value("79228162514264337593543950335");
        for amount in ["1", "0.1"] {
            assert!(after(large, [(Credit, value(amount))]).is_err(), "{amount}");
        }
    }

    #[test]
    fn a_ledger_without_a_balance_begins_with_its_last_statement() {
        let mut ledger = LedgerHead {
            position: 0,
            last_statement_closing_date: None,
            last_statement_balance: Some(value("-5.00")),
            balance: None,
        };
        let current = || Ok(vec![(Payment, value("7.25")), (Charge, value("1"))]);
        assert_eq!(of_payload(&ledger, current).unwrap().to_string(), "1.25");
        ledger.balance = Some(value("3.0"));
        let unread =
            || -> Result<Vec<_>, StoreError> { panic!("transactions are read although there is a balance") };
        assert_eq!(of_payload(&ledger, unread).unwrap().to_string(), "3.0");
    }

    proptest! {
        /// The balance is the exact sum, whatever the order and the number of calls.
        #[test]
        fn balances_add_up(
            sent in proptest::collection::vec((0_usize..5, -3_i64..1_000_000_000, 0_u32..4), 0..50),
            cut in 0_usize..50,
        ) {
            let kinds = [Payment, Credit, Charge, SupplyCharge, Repayment];
            let all: Vec<_> = sent.iter().map(|(kind, n, scale)| (kinds[*kind], Value::new(*n, *scale))).collect();
            let mills = |n: i64, scale: u32| n * 10_i64.pow(3 - scale);
            let sign = |kind: usize| if kind < 2 { 1 } else { -1 };
            let plus: i64 = sent.iter().map(|(kind, n, scale)| sign(*kind) * mills(*n, *scale)).sum();
            let (first, second) = all.split_at(cut.min(all.len()));
            let in_two = after(after(Value::ZERO, first.iter().copied())?, second.iter().copied())?;
            let backwards = after(Value::ZERO, all.iter().rev().copied())?;
            prop_assert_eq!(in_two, Value::new(plus, 3));
            prop_assert_eq!(backwards, in_two);
            let scale = sent.iter().map(|(_, _, scale)| *scale).max().unwrap_or_default();
            prop_assert_eq!(in_two.scale(), scale);
        }
    }
}
