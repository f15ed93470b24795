use crate::prelude::*;

/// A malformed e-mail address.
pub(super) const CUS_03: Rule = Rule {
    id: RuleId("CUS-03"),
    codes: &[Code::InvalidEmail],
    place: "`email` of `customers.#` and `supply_addresses.#.property_administrators.#`, \
            `MP.outage_contact_email`",
    condition: "not an [e-mail address](#102-e-mail-addresses)",
    on: On::Several(&[
        On::Customer(customer),
        On::Administrator(administrator),
        On::MeterPoint(outage_contact),
    ]),
    ..Rule::OF_PAYLOAD
};

fn customer(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&customer.email, "email", at, checker);
}

fn administrator(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&administrator.email, "email", at, checker);
}

fn outage_contact(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Variant::EmbeddedElectricity(own) = &point.point.variant {
        check(&own.outage_contact_email, "outage_contact_email", at, checker);
    }
}

fn check(email: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if email.usable().is_some_and(|email| !is_email(email.trimmed())) {
        checker.report(at.member(name), Code::InvalidEmail);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(email: Value) -> Vec<String> {
        run(
            "CUS-03",
            json!({
                "customers": [{}, {"email": email}],
                "supply_addresses": [{
                    "property_administrators": [{"email": email}],
                    "meter_points": [{"supply_type": "EMBEDDED_ELECTRICITY", "outage_contact_email": email}],
                }],
            }),
        )
    }

    #[test]
    fn malformed_addresses_are_reported() {
        let places = [
            "customers.1.email",
            "supply_addresses.0.meter_points.0.outage_contact_email",
            "supply_addresses.0.property_administrators.0.email",
        ];
        assert_eq!(
            found(json!("ann@localhost")),
            places.map(|place| format!("{place} invalid_email (error)"))
        );
        for email in [json!(" ann@example.org "), json!(null), json!(""), json!(7), json!("a".repeat(255))] {
            assert_eq!(found(email), [""; 0]);
        }
    }
}
