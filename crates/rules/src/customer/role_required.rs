use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Customer;

/// A customer without a role.
pub(crate) const CUS_09: Rule = Rule {
    id: RuleId("CUS-09"),
    codes: &[Code::RequiredUserRole],
    place: "`customers.#.role`",
    condition: "absent",
    level: Level::Off,
    fixed: false,
    needs: Needs::Payload,
    on: On::Customer(check),
};

fn check(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.role.is_absent() {
        checker.report(at.member("role"), Code::RequiredUserRole);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::of;
    use serde_json::json;

    #[test]
    fn customers_have_a_role() {
        let body =
            json!({"customers": [{}, {"role": null}, {"role": " "}, {"role": "holder"}, {"role": 7}, null]});
        let expected = [0, 1, 2].map(|i| format!("customers.{i}.role required_user_role (warning)"));
        assert_eq!(of("CUS-09", body), expected);
    }
}
