use crate::prelude::*;

/// An agreement under a contract that the account does not name.
pub(super) const AGR_05: Rule = Rule {
    id: RuleId("AGR-05"),
    codes: &[Code::AgreementBusinessContractIdentifierNotDeclared],
    place: "`MP.agreements.#.business_contract_identifier`",
    condition: "given, and not equal to the account's `business.business_contract_identifier` (also when the account has no `business`, or one without the identifier; silent when that object or identifier is faulty)",
    on: On::Agreement(check),
    ..Rule::OF_PAYLOAD
};

fn check(agreement: &Agreement<'_>, point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(identifier) = agreement.business_contract_identifier.usable() else { return };
    let is_undeclared = match declared(point.account) {
        Presence::Usable(declared) => identifier.trimmed() != declared.trimmed(),
        Presence::Absent => true,
        Presence::Faulty => false,
    };
    if is_undeclared {
        let at = at.member("business_contract_identifier");
        checker.report(at, Code::AgreementBusinessContractIdentifierNotDeclared);
    }
}

fn declared<'a, 'j>(account: &'a Account<'j>) -> Presence<&'a Text<'j>> {
    match account.business.presence() {
        Presence::Usable(business) => business.business_contract_identifier.presence(),
        Presence::Absent => Presence::Absent,
        Presence::Faulty => Presence::Faulty,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn check(identifier: Value, business: Option<Value>) -> Vec<String> {
        let mut account = point(json!({"agreements": [{"business_contract_identifier": identifier}]}));
        if let Some(business) = business {
            account["business"] = business;
        }
        found("AGR-05", account)
    }

    #[test]
    fn an_agreement_names_the_contract_of_the_account() {
        let refused = "agreements.0.business_contract_identifier \
                       agreement_business_contract_identifier_not_declared (error)";
        let link = |identifier: Value| Some(json!({"business_contract_identifier": identifier}));
        for business in [None, Some(json!({})), link(json!("C-2")), link(json!("c-1"))] {
            assert_eq!(check(json!("C-1"), business.clone()), [refused], "{business:?}");
        }
        for business in
            [link(json!(" C-1 ")), link(json!("")), link(json!(7)), Some(json!(null)), Some(json!(7))]
        {
            assert!(check(json!(" C-1"), business.clone()).is_empty(), "{business:?}");
        }
        for identifier in [json!(null), json!(""), json!(7)] {
            assert!(check(identifier, None).is_empty());
        }
    }
}
