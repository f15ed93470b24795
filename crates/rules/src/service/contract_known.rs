use crate::prelude::*;

/// A link to a contract that no business of the organisation has.
pub(super) const PST_10: Rule = Rule {
    id: RuleId("PST-10"),
    codes: &[Code::BusinessContractNotFound],
    place: "`business.business_contract_identifier`",
    condition: "no such contract in the organisation (validation and creation alike)",
    on: On::Account(check),
    ..Rule::OF_SERVICE
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    if checker.facts.contract_known != Some(false) {
        return;
    }
    let Some(business) = account.business.usable() else { return };
    if business.business_contract_identifier.usable().is_some() {
        let at = At::ROOT.member("business");
        checker.report(at.member("business_contract_identifier"), Code::BusinessContractNotFound);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(contract_known: Option<bool>, identifier: Value) -> Vec<String> {
        let body = json!({"business": {"business_contract_identifier": identifier}});
        run_with("PST-10", body, Facts { contract_known, ..facts() })
    }

    #[test]
    fn an_unknown_contract_is_reported() {
        let expected = ["business.business_contract_identifier business_contract_not_found (error)"];
        assert_eq!(found(Some(false), json!("C-1")), expected);
        assert_eq!(found(Some(true), json!("C-1")), [""; 0]);
        assert_eq!(found(None, json!("C-1")), [""; 0]);
        for faulty in [json!(""), json!(7), json!(null)] {
            assert_eq!(found(Some(false), faulty), [""; 0]);
        }
        let unknown = Facts { contract_known: Some(false), ..facts() };
        assert_eq!(run_with("PST-10", json!({"business": {}}), unknown), [""; 0]);
    }
}
