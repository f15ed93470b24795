use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Ledger;

/// A last statement issued before it was closed.
pub(crate) const LED_07: Rule = Rule {
    id: RuleId("LED-07"),
    codes: &[Code::LastStatementIssuedBeforeClosingDate],
    place: "`ledgers.#.last_statement_issue_date`",
    condition: "before `last_statement_closing_date`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Ledger(check),
};

fn check(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(issued), Some(closing)) =
        (ledger.last_statement_issue_date.usable(), ledger.last_statement_closing_date.usable())
        && issued < closing
    {
        checker.report(at.member("last_statement_issue_date"), Code::LastStatementIssuedBeforeClosingDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::sample::fires;
    use serde_json::json;

    #[test]
    fn a_statement_is_issued_on_or_after_its_closing_day() {
        let closed =
            |day, issued| json!({"last_statement_closing_date": day, "last_statement_issue_date": issued});
        fires("LED-07", &closed("2026-10-01", "2026-10-01"), &[]);
        fires("LED-07", &closed("2026-10-01", "faulty"), &[]);
        fires("LED-07", &closed("faulty", "2026-10-01"), &[]);
        fires("LED-07", &json!({"last_statement_issue_date": "2026-10-01"}), &[]);
        fires(
            "LED-07",
            &closed("2026-10-01", "2026-09-30"),
            &["ledgers.0.last_statement_issue_date last_statement_issued_before_closing_date (error)"],
        );
    }
}
