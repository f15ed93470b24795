use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{HISTORICAL, dates};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A historical transaction of a day that the last statement has not closed.
pub(crate) const LED_05: Rule = Rule {
    id: RuleId("LED-05"),
    codes: &[Code::HistoricalStatementTransactionAfterLastStatementClosingDate],
    place: "`ledgers.#.historical_statement_transactions.#.transaction_date`",
    condition: "after `last_statement_closing_date`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(closing) = ledger.last_statement_closing_date.usable() else { return };
    for (index, date) in dates(&ledger.historical_statement_transactions) {
        if date > *closing {
            let at = at.item(HISTORICAL, index);
            let code = Code::HistoricalStatementTransactionAfterLastStatementClosingDate;
            checker.report(at.member("transaction_date"), code);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, on};
    use serde_json::json;

    #[test]
    fn historical_transactions_lie_on_or_before_the_closing_day() {
        let historical = json!([on("2026-09-30"), null, on("2026-10-01")]);
        let closed = |day| json!({"historical_statement_transactions": historical, "last_statement_closing_date": day});
        fires("LED-05", &closed("2026-10-01"), &[]);
        fires("LED-05", &closed("faulty"), &[]);
        fires("LED-05", &json!({"historical_statement_transactions": historical}), &[]);
        fires(
            "LED-05",
            &closed("2026-09-30"),
            &[
                "ledgers.0.historical_statement_transactions.2.transaction_date historical_statement_transaction_after_last_statement_closing_date (error)",
            ],
        );
    }
}
