use crate::prelude::*;

/// A statement id given twice. In the statements request it is an error by default: rule PST-08 would refuse
/// the second one.
pub(super) const STM_02: Rule = Rule {
    id: RuleId("STM-02"),
    codes: &[Code::DuplicateStatementIds],
    place: "`statements.#.statement_id`",
    condition: "same as an earlier statement of the payload",
    level: Level::Warning,
    on: On::Several(&[On::Account(account), On::AtLevel(Level::Error, &On::StatementsRequest(request))]),
    ..Rule::OF_PAYLOAD
};

fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(statements) = account.statements.usable() else { return };
    check(statements.usable().map(|(index, statement)| (index, &statement.statement_id)), checker);
}

fn request(request: &HistoricalStatementsRequest<'_>, checker: &mut Checker<'_>) {
    let Some(statements) = request.statements.usable() else { return };
    check(statements.usable().map(|(index, statement)| (index, &statement.statement_id)), checker);
}

fn check<'a>(ids: impl Iterator<Item = (u32, &'a Field<Text<'a>>)>, checker: &mut Checker<'_>) {
    let mut seen = Seen::new();
    for (index, id) in ids {
        if id.usable().is_some_and(|id| seen.before(id.trimmed())) {
            let at = At::ROOT.item("statements", index);
            checker.report(at.member("statement_id"), Code::DuplicateStatementIds);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(statements: Value) -> Vec<String> {
        run("STM-02", json!({"statements": statements}))
    }

    #[test]
    fn duplicate_statement_ids_are_reported() {
        let one = json!({"statement_id": "S-1"});
        let line = |index| format!("statements.{index}.statement_id duplicate_statement_ids (warning)");
        assert_eq!(
            found(json!([one, {"statement_id": "s-1"}, {"statement_id": " S-1 "}, one])),
            [2, 3].map(line)
        );
        assert_eq!(found(json!([one, null, {}, one])), [3].map(line));
        for other in [json!({}), json!({"statement_id": 1}), json!({"statement_id": ""}), json!(null)] {
            assert_eq!(found(json!([other, other])), [""; 0]);
        }
    }

    #[test]
    fn duplicate_statement_ids_in_a_request_are_errors() {
        let statements = json!([{"statement_id": "S-1"}, {"statement_id": " S-1"}, {"statement_id": ""}, {"statement_id": ""}]);
        assert_eq!(
            run_statements("STM-02", json!({"statements": statements}), facts()),
            ["statements.1.statement_id duplicate_statement_ids (error)"]
        );
    }
}
