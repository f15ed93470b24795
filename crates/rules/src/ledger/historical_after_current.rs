use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{CURRENT, dates};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A current transaction before a historical one, where no closing date parts them.
pub(crate) const LED_06: Rule = Rule {
    id: RuleId("LED-06"),
    codes: &[Code::HistoricalStatementTransactionAfterCurrentStatementTransaction],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "`last_statement_closing_date` absent, and before the latest of the ledger's usable \
        historical transaction dates",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if !ledger.last_statement_closing_date.is_absent() {
        return;
    }
    let latest = dates(&ledger.historical_statement_transactions).map(|(_, date)| date).max();
    let Some(latest) = latest else { return };
    for (index, date) in dates(&ledger.current_statement_transactions) {
        if date < latest {
            let at = at.item(CURRENT, index);
            let code = Code::HistoricalStatementTransactionAfterCurrentStatementTransaction;
            checker.report(at.member("transaction_date"), code);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, on};
    use serde_json::json;

    #[test]
    fn without_closing_date_the_latest_historical_day_parts_the_lists() {
        let current = json!([on("2026-09-30"), on("2026-10-01"), on("2026-10-02")]);
        let historical = json!([on("2026-01-01"), on("2026-10-01"), on("faulty"), null]);
        let mut ledger = json!({
            "current_statement_transactions": current, "historical_statement_transactions": historical,
        });
        fires(
            "LED-06",
            &ledger,
            &[
                "ledgers.0.current_statement_transactions.0.transaction_date historical_statement_transaction_after_current_statement_transaction (error)",
            ],
        );
        for closing in ["2026-01-01", "faulty"] {
            ledger["last_statement_closing_date"] = closing.into();
            fires("LED-06", &ledger, &[]);
        }
        fires("LED-06", &json!({"current_statement_transactions": current}), &[]);
        let faulty =
            json!({"current_statement_transactions": current, "historical_statement_transactions": 1});
        fires("LED-06", &faulty, &[]);
    }
}
