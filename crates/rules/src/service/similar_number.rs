use crate::prelude::*;

/// A number that looks like that of an earlier account of the supplier: one account may have been sent twice.
pub(crate) const PST_20: Rule = Rule {
    id: RuleId("PST-20"),
    codes: &[Code::SimilarAccountNumber],
    place: "`external_account_number`",
    condition: "the supplier has an earlier account, not cancelled, whose number differs only in case, zeros at the beginning, \
        white space or Unicode form",
    level: Level::Warning,
    fixed: false,
    on: On::Account(check),
    ..Rule::OF_SERVICE
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(similar) = checker.facts.similar_number else { return };
    if account.external_account_number.usable().is_some() {
        let text = format_args!("The supplier has an account {similar}.");
        checker.report_as(At::ROOT.member("external_account_number"), Code::SimilarAccountNumber, text);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_number_that_looks_like_another_is_reported() {
        let found = |number: Value, similar_number| {
            run_with(
                "PST-20",
                json!({"external_account_number": number}),
                Facts { similar_number, ..facts() },
            )
        };
        assert_eq!(
            found(json!("12"), Some("0012")),
            ["external_account_number similar_account_number (warning)"]
        );
        assert_eq!(found(json!("12"), None), [""; 0]);
        for unusable in [json!(""), json!(12), json!(null)] {
            assert_eq!(found(unusable, Some("0012")), [""; 0]);
        }
    }
}
