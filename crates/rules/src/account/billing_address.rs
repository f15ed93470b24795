use crate::prelude::*;

/// A customer without a billing address.
pub(super) const ACC_11: Rule = Rule {
    id: RuleId("ACC-11"),
    codes: &[Code::BillingAddressNotProvided],
    place: "`billing_address1`, `billing_postcode`",
    condition: "absent, `customers` given and not empty, `unknown_occupier` not true",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let is_known = match account.unknown_occupier.presence() {
        Presence::Usable(unknown) => !unknown,
        Presence::Absent => true,
        Presence::Faulty => false,
    };
    if !is_known || account.customers.usable().is_none_or(List::is_empty) {
        return;
    }
    for (member, name) in
        [(&account.billing_address1, "billing_address1"), (&account.billing_postcode, "billing_postcode")]
    {
        if member.is_absent() {
            checker.report(At::ROOT.member(name), Code::BillingAddressNotProvided);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn customers_have_a_billing_address() {
        let line = "billing_address1 billing_address_not_provided (warning)";
        let postcode = "billing_postcode billing_address_not_provided (warning)";
        let customers = json!([{"family_name": "Ng"}]);
        assert_eq!(run("ACC-11", json!({"customers": customers, "billing_address1": " "})), [line, postcode]);
        for (body, expected) in [
            (json!({"customers": customers, "billing_address1": "PO Box 12"}), &[postcode][..]),
            (json!({"customers": [7], "billing_postcode": "3000"}), &[line]),
            (json!({"customers": customers, "unknown_occupier": false, "billing_postcode": "3000"}), &[line]),
            (
                json!({"customers": customers, "billing_address1": "PO Box 12", "billing_postcode": "3000"}),
                &[],
            ),
            (json!({"customers": customers, "billing_address1": 12, "billing_postcode": 3000}), &[]),
            (json!({"customers": customers, "unknown_occupier": true}), &[]),
            (json!({"customers": customers, "unknown_occupier": "no"}), &[]),
            (json!({"customers": []}), &[]),
            (json!({"customers": 7}), &[]),
            (json!({}), &[]),
        ] {
            assert_eq!(run("ACC-11", body.clone()), expected, "{body}");
        }
    }
}
