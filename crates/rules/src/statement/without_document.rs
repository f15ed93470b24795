use crate::prelude::*;

/// A statement of an account without its document.
///
/// In a historical statements request the path is optional, and its absence no fault.
pub(super) const STM_04: Rule = Rule {
    id: RuleId("STM-04"),
    codes: &[Code::MissingStatementPathOrPdfContext],
    place: "`statements.#.statement_path` (account payload)",
    condition: "absent",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    items(&account.statements, "statements", &At::ROOT, |statement, at| {
        if statement.statement_path.is_absent() {
            checker.report(at.member("statement_path"), Code::MissingStatementPathOrPdfContext);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_statement_of_an_account_has_a_document() {
        let statements =
            json!([{}, {"statement_path": " "}, {"statement_path": "a.pdf"}, {"statement_path": 7}, 7]);
        let line =
            |i| format!("statements.{i}.statement_path missing_statement_path_or_pdf_context (warning)");
        assert_eq!(run("STM-04", json!({"statements": statements})), [0, 1].map(line));
        assert_eq!(run_statements("STM-04", json!({"statements": statements}), facts()), [""; 0]);
    }
}
