use crate::prelude::*;

/// A customer without a family name.
pub(super) const CUS_08: Rule = Rule {
    id: RuleId("CUS-08"),
    codes: &[Code::CustomerFamilyNameRequired],
    place: "`customers.#.family_name`",
    condition: "absent",
    level: Level::Warning,
    on: On::Customer(family_name),
    ..Rule::OF_PAYLOAD
};

/// A customer without a role.
pub(super) const CUS_09: Rule = Rule {
    id: RuleId("CUS-09"),
    codes: &[Code::RequiredUserRole],
    place: "`customers.#.role`",
    condition: "absent",
    level: Level::Off,
    on: On::Customer(role),
    ..Rule::OF_PAYLOAD
};

fn family_name(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.family_name.is_absent() {
        checker.report(at.member("family_name"), Code::CustomerFamilyNameRequired);
    }
}

fn role(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.role.is_absent() {
        checker.report(at.member("role"), Code::RequiredUserRole);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_missing_family_name_is_reported() {
        let body =
            json!({"customers": [{}, {"family_name": "\t"}, {"family_name": "Ng"}, {"family_name": 7}, 7]});
        let expected =
            [0, 1].map(|i| format!("customers.{i}.family_name customer_family_name_required (warning)"));
        assert_eq!(run("CUS-08", body), expected);
    }

    #[test]
    fn a_missing_role_is_reported() {
        let body =
            json!({"customers": [{}, {"role": null}, {"role": " "}, {"role": "holder"}, {"role": 7}, null]});
        let expected = [0, 1, 2].map(|i| format!("customers.{i}.role required_user_role (warning)"));
        assert_eq!(run("CUS-09", body), expected);
    }
}
