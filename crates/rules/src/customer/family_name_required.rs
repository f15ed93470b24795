use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Customer;

/// A customer without a family name.
pub(crate) const CUS_08: Rule = Rule {
    id: RuleId("CUS-08"),
    codes: &[Code::CustomerFamilyNameRequired],
    place: "`customers.#.family_name`",
    condition: "absent",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::Customer(check),
};

fn check(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.family_name.is_absent() {
        checker.report(at.member("family_name"), Code::CustomerFamilyNameRequired);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::of;
    use serde_json::json;

    #[test]
    fn customers_have_a_family_name() {
        let body =
            json!({"customers": [{}, {"family_name": "\t"}, {"family_name": "Ng"}, {"family_name": 7}, 7]});
        let expected =
            [0, 1].map(|i| format!("customers.{i}.family_name customer_family_name_required (warning)"));
        assert_eq!(of("CUS-08", body), expected);
    }
}
