use crate::prelude::*;
use rust_decimal::Decimal;

/// A negative amount; the type carries the sign.
pub(super) const TXN_02: Rule = Rule {
    id: RuleId("TXN-02"),
    codes: &[Code::NegativeAmount],
    place: "`TX.amount`",
    condition: "below 0 (the type carries the sign)",
    level: Level::Warning,
    on: On::Transaction(check),
    ..Rule::OF_PAYLOAD
};

fn check(transaction: &Transaction<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if transaction.transaction.amount.usable().is_some_and(|amount| amount.value() < Decimal::ZERO) {
        checker.report(at.member("amount"), Code::NegativeAmount);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn negative_amounts_are_reported() {
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
