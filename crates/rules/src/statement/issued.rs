use crate::at::At;
use crate::check::Checker;
use crate::form::dates_reversed;
use crate::rule::{Needs, On, Rule};
use crate::view::Statement;
use cutover_core::{Code, Level, RuleId};

/// A statement sent out before its period was over.
pub(crate) const STM_03: Rule = Rule {
    id: RuleId("STM-03"),
    codes: &[Code::StatementIssuedBeforePeriodEnd],
    place: "`statements.#.issued_date`",
    condition: "before `bill_period_to_date`",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::Statement(check),
};

fn check(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(issued) = statement.issued_date else { return };
    if dates_reversed(statement.bill_period_to_date, issued) {
        checker.report(at.member("issued_date"), Code::StatementIssuedBeforePeriodEnd);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{facts, of_statements};
    use serde_json::{Value, json};

    fn found(to: Value, issued: Value) -> Vec<String> {
        let statements = json!([{"bill_period_to_date": to, "issued_date": issued}]);
        of_statements("STM-03", json!({"statements": statements}), facts())
    }

    #[test]
    fn statements_are_sent_out_after_their_period() {
        let expected = ["statements.0.issued_date statement_issued_before_period_end (warning)"];
        assert_eq!(found(json!("2026-01-31"), json!("2026-01-30")), expected);
        for issued in [json!("2026-01-31"), json!("2026-02-03"), json!(null), json!("2026-01-00")] {
            assert_eq!(found(json!("2026-01-31"), issued), [""; 0]);
        }
        assert_eq!(found(json!("2026-02-30"), json!("2026-01-30")), [""; 0]);
        let without = json!({"statements": [{"issued_date": "2026-01-30"}]});
        assert_eq!(of_statements("STM-03", without, facts()), [""; 0]);
    }
}
