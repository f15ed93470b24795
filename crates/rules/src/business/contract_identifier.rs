use crate::prelude::*;

/// A link to a business that does not name a contract.
pub(super) const BUS_01: Rule = Rule {
    id: RuleId("BUS-01"),
    codes: &[Code::MissingContractIdentifier],
    place: "`business.business_contract_identifier`",
    condition: "account payload: `business` given and the identifier missing",
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(business) = account.business.usable() else { return };
    if business.business_contract_identifier.is_absent() {
        let at = At::ROOT.member("business");
        checker.report(at.member("business_contract_identifier"), Code::MissingContractIdentifier);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_link_to_a_business_names_a_contract() {
        let expected = ["business.business_contract_identifier missing_contract_identifier (error)"];
        for business in [json!({}), json!({"business_type": "LTD"})] {
            assert_eq!(run("BUS-01", json!({"business": business})), expected);
        }
        for identifier in [json!("C-1"), json!(""), json!(null), json!(7)] {
            let business = json!({"business_contract_identifier": identifier});
            assert_eq!(run("BUS-01", json!({"business": business})), [""; 0]);
        }
        for body in [json!({}), json!({"business": null}), json!({"business": "C-1"})] {
            assert_eq!(run("BUS-01", body), [""; 0]);
        }
    }
}
