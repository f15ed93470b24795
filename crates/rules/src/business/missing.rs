use crate::prelude::*;

/// An account without a business, for suppliers whose accounts all have one.
pub(super) const BUS_09: Rule = Rule {
    id: RuleId("BUS-09"),
    codes: &[Code::BusinessFieldRequired],
    place: "`business`",
    condition: "absent",
    level: Level::Off,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    if account.business.is_absent() {
        checker.report(At::ROOT.member("business"), Code::BusinessFieldRequired);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_account_has_a_business_if_that_is_asked_for() {
        assert_eq!(run("BUS-09", json!({})), ["business business_field_required (warning)"]);
        for business in [json!({}), json!({"business_contract_identifier": "C-1"}), json!(7)] {
            assert_eq!(run("BUS-09", json!({"business": business})), [""; 0]);
        }
    }
}
