use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::Transaction;
use cutover_core::{Code, Level, RuleId};
use rust_decimal::Decimal;

/// A negative amount: the type carries the sign.
pub(crate) const TXN_02: Rule = Rule {
    id: RuleId("TXN-02"),
    codes: &[Code::NegativeAmount],
    place: "`TX.amount`",
    condition: "below 0 (the type carries the sign)",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::Transaction(check),
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if transaction.transaction.amount.usable().is_some_and(|amount| amount.value() < Decimal::ZERO) {
        checker.report(at.member("amount"), Code::NegativeAmount);
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::request_finds;
    use serde_json::json;

    #[test]
    fn amounts_are_not_below_zero() {
        let found = request_finds(
            "TXN-02",
            &json!([{"amount": "-0.01"}, {"amount": "-0"}, {"amount": 0}, {"amount": "-"}, {}, {"amount": -3}]),
        );
        assert_eq!(
            found,
            [
                "transactions.0.amount negative_amount (warning)",
                "transactions.5.amount negative_amount (warning)",
            ]
        );
    }
}
