use super::arithmetic::{signed_sum, sum_or_zero};
use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::Presence;
use cutover_model::draft::Ledger;
use rust_decimal::Decimal;

/// A ledger balance that its own parts do not give: equation (a) of rules 8.2.
pub(crate) const LED_01: Rule = Rule {
    id: RuleId("LED-01"),
    codes: &[Code::BalanceMismatchOnLedgerBalance],
    place: "`ledgers.#.ledger_balance`",
    condition: "not `last_statement_balance` + signed sum of the current transactions \
        (at least one of the two is given; the other counts as 0)",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(balance), Some(expected)) = (ledger.ledger_balance.usable(), expected(ledger))
        && balance.value() != expected
    {
        checker.report(at.member("ledger_balance"), Code::BalanceMismatchOnLedgerBalance);
    }
}

fn expected(ledger: &Ledger<'_>) -> Option<Decimal> {
    let closed = match ledger.last_statement_balance.presence() {
        Presence::Usable(balance) => balance.value(),
        Presence::Absent if ledger.current_statement_transactions.is_absent() => return None,
        Presence::Absent => Decimal::ZERO,
        Presence::Faulty => return None,
    };
    Some(closed + sum_or_zero(&ledger.current_statement_transactions, signed_sum)?)
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, transaction};
    use serde_json::json;

    #[test]
    fn the_balance_is_that_of_the_last_statement_and_the_current_transactions() {
        let current = json!([
            transaction("PAYMENT", "2026-10-01", "100.10"),
            transaction("CREDIT", "2026-10-01", "0.0000000001"),
            transaction("CHARGE", "2026-10-01", "20"),
            transaction("SUPPLY_CHARGE", "2026-10-01", "30.05"),
            transaction("REPAYMENT", "2026-10-01", "-1"),
        ]);
        let unusable = json!([transaction("GIFT", "2026-10-01", "1")]);
        for (ledger, wrong) in [
            (json!({"ledger_balance": "51.0500000001", "current_statement_transactions": current}), false),
            (json!({"ledger_balance": "51.05", "current_statement_transactions": current}), true),
            (
                json!({"ledger_balance": "-1.2", "last_statement_balance": "-52.2500000001",
                    "current_statement_transactions": current}),
                false,
            ),
            (json!({"ledger_balance": 7.50, "last_statement_balance": "7.5"}), false),
            (json!({"ledger_balance": 7, "last_statement_balance": "7.5"}), true),
            (json!({"ledger_balance": 7, "current_statement_transactions": []}), true),
            (json!({"ledger_balance": 7}), false),
            (json!({"last_statement_balance": 7}), false),
            (json!({"ledger_balance": 7, "last_statement_balance": "x"}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": {}}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": [null]}), false),
            (json!({"ledger_balance": 7, "current_statement_transactions": unusable}), false),
        ] {
            let expected = ["ledgers.0.ledger_balance balance_mismatch_on_ledger_balance (error)"];
            fires("LED-01", &ledger, if wrong { &expected } else { &[] });
        }
    }
}
