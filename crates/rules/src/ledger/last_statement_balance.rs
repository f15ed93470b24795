use super::arithmetic::signed_sum;
use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A last statement balance that its transactions do not give: equation (b) of rules 8.2.
pub(crate) const LED_02: Rule = Rule {
    id: RuleId("LED-02"),
    codes: &[Code::HistoricalStatementTransactionsBalanceMismatch],
    place: "`ledgers.#.last_statement_balance`",
    condition: "not the signed sum of the historical transactions, of which there is at least one",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let historical = ledger.historical_statement_transactions.usable().filter(|list| !list.is_empty());
    if let (Some(balance), Some(sum)) =
        (ledger.last_statement_balance.usable(), historical.and_then(signed_sum))
        && balance.value() != sum
    {
        checker.report(
            at.member("last_statement_balance"),
            Code::HistoricalStatementTransactionsBalanceMismatch,
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, transaction};
    use serde_json::json;

    #[test]
    fn the_last_balance_is_the_sum_of_the_historical_transactions() {
        let charge = transaction("CHARGE", "2026-10-01", "20.5");
        for (ledger, wrong) in [
            (
                json!({"last_statement_balance": "-20.50", "historical_statement_transactions": [charge]}),
                false,
            ),
            (json!({"last_statement_balance": "20.50", "historical_statement_transactions": [charge]}), true),
            (json!({"last_statement_balance": -20.51, "historical_statement_transactions": [charge]}), true),
            (json!({"last_statement_balance": 1, "historical_statement_transactions": []}), false),
            (json!({"last_statement_balance": 1}), false),
            (json!({"last_statement_balance": 1, "historical_statement_transactions": [charge, 7]}), false),
            (json!({"historical_statement_transactions": [charge]}), false),
        ] {
            let expected = [
                "ledgers.0.last_statement_balance historical_statement_transactions_balance_mismatch (error)",
            ];
            fires("LED-02", &ledger, if wrong { &expected } else { &[] });
        }
    }
}
