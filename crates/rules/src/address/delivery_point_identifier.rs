use crate::prelude::*;

/// A delivery point identifier with a character that is not allowed.
pub(super) const ADR_04: Rule = Rule {
    id: RuleId("ADR-04"),
    codes: &[Code::InvalidDeliveryPointIdentifier],
    place: "`billing_delivery_point_identifier`, `delivery_point_identifier` of every address",
    condition: "a character other than A–Z, 0–9",
    on: On::Several(&[On::Account(billing), On::Address(address)]),
    ..Rule::OF_PAYLOAD
};

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    let at = At::ROOT.member("billing_delivery_point_identifier");
    check(&account.billing_delivery_point_identifier, at, checker);
}

fn address(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(address.delivery_point_identifier(), at.member("delivery_point_identifier"), checker);
}

fn check(identifier: &Field<Text<'_>>, at: At<'_>, checker: &mut Checker<'_>) {
    let is_legal = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if identifier.usable().is_some_and(|text| !text.trimmed().bytes().all(is_legal)) {
        checker.report(at, Code::InvalidDeliveryPointIdentifier);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(identifier: Value) -> Vec<String> {
        let address = json!({"delivery_point_identifier": identifier});
        run(
            "ADR-04",
            json!({
                "billing_delivery_point_identifier": identifier,
                "customers": [{"address": address}],
                "supply_addresses": [{
                    "supply_address": address,
                    "meter_points": [{"supply_type": "GAS", "address": address}],
                }],
            }),
        )
    }

    #[test]
    fn identifiers_are_capitals_and_digits() {
        let places = [
            "billing_delivery_point_identifier",
            "customers.0.address.delivery_point_identifier",
            "supply_addresses.0.meter_points.0.address.delivery_point_identifier",
            "supply_addresses.0.supply_address.delivery_point_identifier",
        ];
        let expected = places.map(|place| format!("{place} invalid_delivery_point_identifier (error)"));
        for identifier in ["9999999a", "999-999", "É9"] {
            assert_eq!(found(json!(identifier)), expected);
        }
        for identifier in [json!("99999999AB "), json!(""), json!(99), json!("999999999999")] {
            assert_eq!(found(identifier), [""; 0]);
        }
    }
}
