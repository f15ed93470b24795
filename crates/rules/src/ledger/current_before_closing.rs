use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{CURRENT, dates};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A current transaction of a day that the last statement has closed.
pub(crate) const LED_04: Rule = Rule {
    id: RuleId("LED-04"),
    codes: &[Code::CurrentStatementTransactionBeforeLastStatementClosingDate],
    place: "`ledgers.#.current_statement_transactions.#.transaction_date`",
    condition: "on or before `last_statement_closing_date`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(closing) = ledger.last_statement_closing_date.usable() else { return };
    for (index, date) in dates(&ledger.current_statement_transactions) {
        if date <= *closing {
            let at = at.item(CURRENT, index);
            let code = Code::CurrentStatementTransactionBeforeLastStatementClosingDate;
            checker.report(at.member("transaction_date"), code);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::{fires, on};
    use serde_json::json;

    #[test]
    fn current_transactions_lie_after_the_closing_day() {
        let current = json!([on("2026-09-29"), on("2026-09-30"), on("2026-10-01"), on("bad"), null]);
        let closed =
            |day| json!({"current_statement_transactions": current, "last_statement_closing_date": day});
        fires("LED-04", &closed("2026-09-28"), &[]);
        fires("LED-04", &closed("faulty"), &[]);
        fires("LED-04", &json!({"current_statement_transactions": current}), &[]);
        fires(
            "LED-04",
            &json!({"historical_statement_transactions": current, "last_statement_closing_date": "2026-11-01"}),
            &[],
        );
        fires(
            "LED-04",
            &closed("2026-09-30"),
            &[
                "ledgers.0.current_statement_transactions.0.transaction_date current_statement_transaction_before_last_statement_closing_date (error)",
                "ledgers.0.current_statement_transactions.1.transaction_date current_statement_transaction_before_last_statement_closing_date (error)",
            ],
        );
    }
}
