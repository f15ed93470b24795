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

/// A customer of a business without a given name.
pub(super) const CUS_10: Rule = Rule {
    id: RuleId("CUS-10"),
    codes: &[Code::CustomerGivenNameRequired],
    place: "`customers.#.given_name`",
    condition: "absent, the account has a `business`",
    level: Level::Off,
    on: On::Account(given_names),
    ..Rule::OF_PAYLOAD
};

fn given_names(account: &Account<'_>, checker: &mut Checker<'_>) {
    if account.business.usable().is_none() {
        return;
    }
    items(&account.customers, "customers", &At::ROOT, |customer, at| {
        if customer.given_name.is_absent() {
            checker.report(at.member("given_name"), Code::CustomerGivenNameRequired);
        }
    });
}

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
    fn a_customer_of_a_business_has_a_given_name() {
        let customers = json!([{}, {"given_name": " "}, {"given_name": "Ann"}, {"given_name": 7}, 7]);
        let with = |business: Value| run("CUS-10", json!({"customers": customers, "business": business}));
        let expected =
            [0, 1].map(|i| format!("customers.{i}.given_name customer_given_name_required (warning)"));
        assert_eq!(with(json!({})), expected);
        assert_eq!(with(json!(7)), [""; 0]);
        assert_eq!(run("CUS-10", json!({"customers": customers})), [""; 0]);
    }

    #[test]
    fn a_missing_role_is_reported() {
        let body =
            json!({"customers": [{}, {"role": null}, {"role": " "}, {"role": "holder"}, {"role": 7}, null]});
        let expected = [0, 1, 2].map(|i| format!("customers.{i}.role required_user_role (warning)"));
        assert_eq!(run("CUS-09", body), expected);
    }
}
