use crate::prelude::*;

/// An e-mail address of the operator itself.
pub(super) const CUS_12: Rule = Rule {
    id: RuleId("CUS-12"),
    codes: &[Code::InternalEmailAddress],
    place: "`customers.#.email`",
    condition: "lower-cased, one of the operator's own addresses, or at one of its domains, where the supplier has such a list",
    on: On::Customer(check),
    ..Rule::OF_SETTINGS
};

fn check(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let own = &checker.values.own_email_addresses;
    if own.is_empty() {
        return;
    }
    let Some(email) = customer.email.usable().map(|email| email.trimmed().to_ascii_lowercase()) else {
        return;
    };
    let is_own = |text: &str| own.binary_search_by(|own| own.as_str().cmp(text)).is_ok();
    if is_own(&email) || email.rfind('@').is_some_and(|at| is_own(&email[at..])) {
        checker.report(at.member("email"), Code::InternalEmailAddress);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use cutover_model::RuleValues;

    #[test]
    fn customers_have_no_address_of_the_operator() {
        let found = |email: Value| {
            let own_email_addresses = ["@acme.example", "help@b.example"].map(String::from).to_vec();
            let values = RuleValues { own_email_addresses, ..RuleValues::default() };
            run_with_values("CUS-12", json!({"customers": [{"email": email}]}), values)
        };
        for email in [" Jo@Acme.example", "HELP@b.example"] {
            assert_eq!(found(json!(email)), ["customers.0.email internal_email_address (error)"], "{email}");
        }
        for email in
            [json!("jo@b.example"), json!("jo@x.acme.example"), json!("acme.example"), json!(7), json!(null)]
        {
            assert_eq!(found(email), [""; 0]);
        }
        let body = json!({"customers": [{"email": "jo@acme.example"}]});
        assert_eq!(run_with_values("CUS-12", body, RuleValues::default()), [""; 0]);
    }
}
