use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A last statement that closes in the future.
pub(crate) const LED_10: Rule = Rule {
    id: RuleId("LED-10"),
    codes: &[Code::HistoricalStatementPeriodEndInFuture],
    place: "`ledgers.#.last_statement_closing_date`",
    condition: "after today",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if ledger.last_statement_closing_date.usable().is_some_and(|day| *day > checker.today) {
        checker.report(at.member("last_statement_closing_date"), Code::HistoricalStatementPeriodEndInFuture);
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::fires;
    use crate::testing::{facts_at, of_with};
    use serde_json::json;

    const FUTURE: &str =
        "ledgers.0.last_statement_closing_date historical_statement_period_end_in_future (error)";

    #[test]
    fn a_statement_closes_today_at_the_latest() {
        fires("LED-10", &json!({"last_statement_closing_date": "2026-11-21"}), &[]);
        fires("LED-10", &json!({"last_statement_closing_date": "2026-11-22"}), &[FUTURE]);
        fires("LED-10", &json!({"last_statement_closing_date": "2026-13-22"}), &[]);
        fires("LED-10", &json!({}), &[]);
    }

    #[test]
    fn today_is_the_day_of_the_supplier() {
        let body = json!({"ledgers": [{"last_statement_closing_date": "2026-11-22"}]});
        let at = |zone| of_with("LED-10", &body, facts_at("2026-11-21T14:30:00Z", zone));
        assert_eq!(at("UTC"), [FUTURE]);
        assert_eq!(at("Australia/Sydney"), [""; 0]);
    }
}
