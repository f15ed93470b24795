use crate::prelude::*;

/// A bill period that ends before it starts.
pub(super) const STM_01: Rule = Rule {
    id: RuleId("STM-01"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`statements.#.bill_period_to_date`",
    condition: "before `bill_period_from_date`",
    on: On::Statement(period),
    ..Rule::OF_PAYLOAD
};

/// A statement issued before its period ended.
pub(super) const STM_03: Rule = Rule {
    id: RuleId("STM-03"),
    codes: &[Code::StatementIssuedBeforePeriodEnd],
    place: "`statements.#.issued_date`",
    condition: "before `bill_period_to_date`",
    level: Level::Warning,
    on: On::Statement(issued),
    ..Rule::OF_PAYLOAD
};

fn period(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if dates_reversed(statement.bill_period_from_date, statement.bill_period_to_date) {
        checker.report(at.member("bill_period_to_date"), Code::StartDateLaterThanEndDate);
    }
}

fn issued(statement: &Statement<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(issued) = statement.issued_date else { return };
    if dates_reversed(statement.bill_period_to_date, issued) {
        checker.report(at.member("issued_date"), Code::StatementIssuedBeforePeriodEnd);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn run_period(from: Value, to: Value) -> Vec<String> {
        run("STM-01", json!({"statements": [{"bill_period_from_date": from, "bill_period_to_date": to}]}))
    }

    #[test]
    fn a_period_does_not_end_before_it_starts() {
        let expected = ["statements.0.bill_period_to_date start_date_later_than_end_date (error)"];
        assert_eq!(run_period(json!("2026-02-01"), json!("2026-01-31")), expected);
        assert_eq!(run_period(json!("2026-02-01"), json!("2026-02-01")), [""; 0]);
        assert_eq!(run_period(json!("2026-02-30"), json!("2026-01-31")), [""; 0]);
        assert_eq!(run_period(json!("2026-02-01"), json!(null)), [""; 0]);
        assert_eq!(run("STM-01", json!({"statements": [{"bill_period_to_date": "2026-01-31"}]})), [""; 0]);
    }

    fn run_issued(to: Value, issued: Value) -> Vec<String> {
        let statements = json!([{"bill_period_to_date": to, "issued_date": issued}]);
        run_statements("STM-03", json!({"statements": statements}), facts())
    }

    #[test]
    fn statements_issued_before_the_period_ends_are_reported() {
        let expected = ["statements.0.issued_date statement_issued_before_period_end (warning)"];
        assert_eq!(run_issued(json!("2026-01-31"), json!("2026-01-30")), expected);
        for issued in [json!("2026-01-31"), json!("2026-02-03"), json!(null), json!("2026-01-00")] {
            assert_eq!(run_issued(json!("2026-01-31"), issued), [""; 0]);
        }
        assert_eq!(run_issued(json!("2026-02-30"), json!("2026-01-30")), [""; 0]);
        let without = json!({"statements": [{"issued_date": "2026-01-30"}]});
        assert_eq!(run_statements("STM-03", without, facts()), [""; 0]);
    }
}
