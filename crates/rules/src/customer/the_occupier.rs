use crate::prelude::*;

/// An unknown occupier given as a customer.
pub(super) const CUS_05: Rule = Rule {
    id: RuleId("CUS-05"),
    codes: &[Code::CustomerMayNotBeNamedTheOccupier],
    place: "`customers.#`",
    condition: "given name, a space, family name (absent = empty), outer spaces removed, lower-cased, is \
                `the occupier`",
    on: On::Customer(check),
    ..Rule::OF_PAYLOAD
};

fn check(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let (Some(given), Some(family)) = (name(&customer.given_name), name(&customer.family_name))
        && is_the_occupier(given, family)
    {
        checker.report(*at, Code::CustomerMayNotBeNamedTheOccupier);
    }
}

fn name<'a>(name: &'a Field<Text<'_>>) -> Option<&'a str> {
    match name.presence() {
        Presence::Usable(name) => Some(name.trimmed()),
        Presence::Absent => Some(""),
        Presence::Faulty => None,
    }
}

fn is_the_occupier(given: &str, family: &str) -> bool {
    let is = |name: &str, part: &str| name.eq_ignore_ascii_case(part);
    match (given, family) {
        (whole, "") | ("", whole) => is(whole, "the occupier"),
        (given, family) => is(given, "the") && is(family, "occupier"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_customer_named_the_occupier_is_reported() {
        let named = [
            json!({"given_name": "The", "family_name": " OCCUPIER "}),
            json!({"given_name": " the occupier"}),
            json!({"given_name": " ", "family_name": "The Occupier"}),
        ];
        for customer in named {
            let found = run("CUS-05", json!({"customers": [{}, customer]}));
            assert_eq!(found, ["customers.1 customer_may_not_be_named_the_occupier (error)"]);
        }
        let others = [
            json!({}),
            json!({"given_name": "The", "family_name": "Occupiers"}),
            json!({"given_name": "The occupier", "family_name": "Ng"}),
            json!({"given_name": "the  occupier"}),
            json!({"given_name": "the occupier", "family_name": 7}),
            json!({"given_name": null, "family_name": "the occupier"}),
        ];
        for customer in others {
            assert_eq!(run("CUS-05", json!({"customers": [customer]})), [""; 0]);
        }
    }
}
