use crate::at::At;
use crate::check::Checker;
use crate::form::dates_reversed;
use crate::rule::{Needs, On, Rule};
use crate::view::Statement;
use cutover_core::{Code, Level, RuleId};

/// A bill period that ends before it starts.
pub(crate) const STM_01: Rule = Rule {
    id: RuleId("STM-01"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`statements.#.bill_period_to_date`",
    condition: "before `bill_period_from_date`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Statement(check),
};

fn check(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if dates_reversed(statement.bill_period_from_date, statement.bill_period_to_date) {
        checker.report(at.member("bill_period_to_date"), Code::StartDateLaterThanEndDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::of;
    use serde_json::{Value, json};

    fn found(from: Value, to: Value) -> Vec<String> {
        of("STM-01", json!({"statements": [{"bill_period_from_date": from, "bill_period_to_date": to}]}))
    }

    #[test]
    fn periods_run_forward() {
        let expected = ["statements.0.bill_period_to_date start_date_later_than_end_date (error)"];
        assert_eq!(found(json!("2026-02-01"), json!("2026-01-31")), expected);
        assert_eq!(found(json!("2026-02-01"), json!("2026-02-01")), [""; 0]);
        assert_eq!(found(json!("2026-02-30"), json!("2026-01-31")), [""; 0]);
        assert_eq!(found(json!("2026-02-01"), json!(null)), [""; 0]);
        assert_eq!(of("STM-01", json!({"statements": [{"bill_period_to_date": "2026-01-31"}]})), [""; 0]);
    }
}
