use crate::prelude::*;
use cutover_model::choices::TransactionType::{self, Payment, Repayment};
use rust_decimal::Decimal;

/// A negative payment or repayment.
pub(super) const TXN_02: Rule = Rule {
    id: RuleId("TXN-02"),
    codes: &[Code::NegativeAmount],
    place: "`TX.amount`",
    condition: "below 0, of type PAYMENT or REPAYMENT (the type carries the sign)",
    on: On::Transaction(of_payments),
    ..Rule::OF_PAYLOAD
};

/// Another negative amount, which may be a reversal.
pub(super) const TXN_16: Rule = Rule {
    id: RuleId("TXN-16"),
    codes: &[Code::NegativeAmount],
    place: "`TX.amount`",
    condition: "below 0, of type CHARGE, CREDIT or SUPPLY_CHARGE (as reversals are)",
    level: Level::Off,
    on: On::Transaction(of_others),
    ..Rule::OF_PAYLOAD
};

fn of_payments(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if negative(transaction).is_some_and(|kind| matches!(kind, Payment | Repayment)) {
        checker.report(at.member("amount"), Code::NegativeAmount);
    }
}

fn of_others(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if negative(transaction).is_some_and(|kind| !matches!(kind, Payment | Repayment)) {
        checker.report(at.member("amount"), Code::NegativeAmount);
    }
}

/// Returns the type of a transaction whose amount is negative.
fn negative(transaction: &Transaction<'_, '_>) -> Option<TransactionType> {
    let amount = transaction.transaction.amount.usable()?.value();
    if amount < Decimal::ZERO { transaction.transaction.kind.usable().copied() } else { None }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// Returns the indexes of the transactions that a rule reports.
    fn reported(rule: &str, kind: &str, level: &str) -> Vec<usize> {
        let amounts = [json!("-0.01"), json!("-0"), json!(0), json!("-"), json!(null), json!(-3)];
        let of = |amount: &Value| json!({"type": kind, "amount": amount});
        let found = request_finds(rule, &amounts.iter().map(of).collect());
        let line = |i: &usize| format!("transactions.{i}.amount negative_amount ({level})");
        let indexes: Vec<usize> = (0..amounts.len()).filter(|i| found.contains(&line(i))).collect();
        assert_eq!(indexes.len(), found.len(), "{found:?}");
        indexes
    }

    #[test]
    fn negative_payments_are_errors_and_reversals_are_not() {
        for kind in ["PAYMENT", "REPAYMENT"] {
            assert_eq!(reported("TXN-02", kind, "error"), [0, 5], "{kind}");
            assert_eq!(reported("TXN-16", kind, "warning"), [0; 0], "{kind}");
        }
        for kind in ["CHARGE", "CREDIT", "SUPPLY_CHARGE"] {
            assert_eq!(reported("TXN-02", kind, "error"), [0; 0], "{kind}");
            assert_eq!(reported("TXN-16", kind, "warning"), [0, 5], "{kind}");
        }
        assert_eq!(reported("TXN-02", "GIFT", "error"), [0; 0]);
        assert_eq!(reported("TXN-16", "GIFT", "warning"), [0; 0]);
        assert_eq!(crate::rule("TXN-16").unwrap().level, cutover_core::Level::Off);
    }
}
