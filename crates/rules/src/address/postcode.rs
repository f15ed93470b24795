use crate::prelude::*;

/// A malformed postcode in an Australian address of a customer or a supply address.
pub(super) const ADR_01: Rule = Rule {
    id: RuleId("ADR-01"),
    codes: &[Code::InvalidPostcode],
    place: "`postal_code` of `customers.#.address` and `supply_addresses.#.supply_address`",
    condition: "`country` upper-cased is `AU` and the value is not exactly four ASCII digits",
    on: On::Address(postal),
    ..Rule::OF_PAYLOAD
};

/// A malformed postcode of a gas meter point.
pub(super) const ADR_02: Rule = Rule {
    id: RuleId("ADR-02"),
    codes: &[Code::InvalidPostcode],
    place: "`MP.address.postcode` (gas)",
    condition: "not exactly four ASCII digits",
    on: On::Address(gas),
    ..Rule::OF_PAYLOAD
};

/// A billing postcode that is not an Australian one.
pub(super) const ADR_03: Rule = Rule {
    id: RuleId("ADR-03"),
    codes: &[Code::InvalidPostcode],
    place: "`billing_postcode`",
    condition: "not four digits (the country is unknown)",
    level: Level::Warning,
    on: On::Account(billing),
    ..Rule::OF_PAYLOAD
};

fn postal(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Some(address) = address.in_country("AU") {
        check(&address.postal_code, at.member("postal_code"), checker);
    }
}

fn gas(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Address::Gas(address) = address {
        check(&address.postcode, at.member("postcode"), checker);
    }
}

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.billing_postcode, At::ROOT.member("billing_postcode"), checker);
}

fn check(postcode: &Field<Text<'_>>, at: At<'_>, checker: &mut Checker<'_>) {
    let is_postcode = |code: &str| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
    if postcode.usable().is_some_and(|code| !is_postcode(code.trimmed())) {
        checker.report(at, Code::InvalidPostcode);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn postal(country: Value, postcode: Value) -> Vec<String> {
        let address = json!({"country": country, "postal_code": postcode});
        run(
            "ADR-01",
            json!({"customers": [{"address": address}], "supply_addresses": [{"supply_address": address}]}),
        )
    }

    fn gas(postcode: Value) -> Vec<String> {
        let point = json!({"supply_type": "GAS", "address": {"postcode": postcode}});
        run("ADR-02", json!({"supply_addresses": [{"meter_points": [point]}]}))
    }

    #[test]
    fn australian_postcodes_are_four_digits() {
        let places = ["customers.0.address.postal_code", "supply_addresses.0.supply_address.postal_code"];
        let expected = places.map(|place| format!("{place} invalid_postcode (error)"));
        assert_eq!(postal(json!("au"), json!("30000")), expected);
        assert_eq!(postal(json!("AU"), json!("3OOO")), expected);
        for (country, postcode) in [
            (json!("AU"), json!(" 3000 ")),
            (json!("NZ"), json!("30000")),
            (json!("AUS"), json!("30000")),
            (json!(7), json!("30000")),
            (json!("AU"), json!(3000)),
            (json!("AU"), json!("")),
        ] {
            assert_eq!(postal(country, postcode), [""; 0]);
        }
        assert_eq!(run("ADR-01", json!({"customers": [{"address": {"postal_code": "x"}}, {}]})), [""; 0]);
    }

    #[test]
    fn gas_postcodes_are_four_digits() {
        let expected = ["supply_addresses.0.meter_points.0.address.postcode invalid_postcode (error)"];
        for postcode in ["300", "٣٠٠٠", "30 00"] {
            assert_eq!(gas(json!(postcode)), expected);
        }
        for postcode in [json!("0800"), json!(800), json!("\n"), json!("12345678901")] {
            assert_eq!(gas(postcode), [""; 0]);
        }
    }

    #[test]
    fn billing_postcodes_of_other_forms_are_warnings() {
        let expected = ["billing_postcode invalid_postcode (warning)"];
        assert_eq!(run("ADR-03", json!({"billing_postcode": "SW1A 1AA"})), expected);
        for postcode in [json!("3000 "), json!(" "), json!(3000), json!("x".repeat(513))] {
            assert_eq!(run("ADR-03", json!({"billing_postcode": postcode})), [""; 0]);
        }
    }
}
