use crate::prelude::*;

/// An account that was erased. Silent offline.
pub(crate) const PST_17: Rule = Rule {
    id: RuleId("PST-17"),
    codes: &[Code::AccountErased],
    place: "`external_account_number`",
    condition: "the account of this supplier with this number was erased, and the operator has not forgotten that since \
        (validation and creation alike)",
    fixed: false,
    on: On::Account(check),
    ..Rule::OF_SERVICE
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let is_erased = checker.facts.erased == Some(true);
    if is_erased && account.external_account_number.usable().is_some() {
        checker.report(At::ROOT.member("external_account_number"), Code::AccountErased);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(erased: Option<bool>, number: Value) -> Vec<String> {
        run_with("PST-17", json!({"external_account_number": number}), Facts { erased, ..facts() })
    }

    #[test]
    fn an_erased_account_is_reported() {
        let expected = ["external_account_number account_erased (error)"];
        assert_eq!(found(Some(true), json!("A-1")), expected);
        assert_eq!(found(Some(false), json!("A-1")), [""; 0]);
        assert_eq!(found(None, json!("A-1")), [""; 0]);
        for faulty in [json!(""), json!(7), json!(null)] {
            assert_eq!(found(Some(true), faulty), [""; 0]);
        }
    }
}
