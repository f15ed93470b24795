use crate::prelude::*;

/// A malformed postcode of a British address.
pub(super) const GBR_05: Rule = Rule {
    id: RuleId("GBR-05"),
    codes: &[Code::InvalidBritishPostcode],
    place: "`postal_code` of `customers.#.address` and `supply_addresses.#.supply_address`; \
        `MP.address.postcode` (gas)",
    condition: "`country` upper-cased is `GB` (gas: always), and the value is not a \
        [British postcode](#1012-british-postcodes)",
    level: Level::Off,
    on: On::Address(address),
    ..Rule::OF_PAYLOAD
};

/// A billing postcode that is not a British one.
pub(super) const GBR_06: Rule = Rule {
    id: RuleId("GBR-06"),
    codes: &[Code::InvalidBritishPostcode],
    place: "`billing_postcode`",
    condition: "not a [British postcode](#1012-british-postcodes) (the country is unknown)",
    level: Level::Off,
    on: On::Account(billing),
    ..Rule::OF_PAYLOAD
};

fn address(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if let Address::Gas(address) = address {
        check(&address.postcode, at.member("postcode"), checker);
    } else if let Some(address) = address.in_country("GB") {
        check(&address.postal_code, at.member("postal_code"), checker);
    }
}

fn billing(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.billing_postcode, At::ROOT.member("billing_postcode"), checker);
}

fn check(postcode: &Field<Text<'_>>, at: At<'_>, checker: &mut Checker<'_>) {
    if postcode.usable().is_some_and(|code| !is_postcode(code.trimmed())) {
        checker.report(at, Code::InvalidBritishPostcode);
    }
}

fn is_postcode(text: &str) -> bool {
    let Some((outward, inward)) = text.as_bytes().split_last_chunk() else { return false };
    let outward = outward.strip_suffix(b" ").unwrap_or(outward);
    let is_girobank = outward.eq_ignore_ascii_case(b"GIR") && inward.eq_ignore_ascii_case(b"0AA");
    is_girobank || is_outward(outward) && is_inward(*inward)
}

/// Returns true for one or two letters, a digit, and perhaps a digit or letter.
fn is_outward(code: &[u8]) -> bool {
    let letters = code.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_district = match &code[letters..] {
        [digit] => digit.is_ascii_digit(),
        [digit, last] => digit.is_ascii_digit() && last.is_ascii_alphanumeric(),
        _ => false,
    };
    (1..=2).contains(&letters) && is_district
}

/// Returns true for a digit and two letters that are not mistaken for others.
fn is_inward([digit, first, second]: [u8; 3]) -> bool {
    let is_unit = |byte: u8| byte.is_ascii_alphabetic() && !b"CIKMOV".contains(&byte.to_ascii_uppercase());
    digit.is_ascii_digit() && is_unit(first) && is_unit(second)
}

#[cfg(test)]
mod tests {
    use super::is_postcode;
    use crate::testing::*;

    #[test]
    fn forms_of_postcodes() {
        for text in [
            "M1 1AE", "B33 8TH", "W1A 0AX", "CR2 6XH", "DN55 1PT", "EC1A 1BB", "GIR 0AA", "EC1A1BB",
            "ec1a 1bb",
        ] {
            assert!(is_postcode(text), "{text}");
        }
        for text in [
            "",
            "3000",
            "M1",
            "1AE",
            "M 1AE",
            "MM1 AE",
            "M1 1A",
            "M1 1AEE",
            "M1  1AE",
            "M1-1AE",
            "EC1AA 1BB",
            "EC123 1BB",
            "ECX1 1BB",
            "1M1 1AE",
            "M1 1CE",
            "M1 1AI",
            "M1 1Kk",
            "M1 1Mm",
            "M1 1oA",
            "M1 1VA",
            "M1 IAE",
            "GIR 1AA",
            "GIS 0AA",
            "GIR",
            "M1 1É",
        ] {
            assert!(!is_postcode(text), "{text}");
        }
    }

    fn postal(country: Value, postcode: Value) -> Vec<String> {
        let address = json!({"country": country, "postal_code": postcode});
        run(
            "GBR-05",
            json!({"customers": [{"address": address}], "supply_addresses": [{"supply_address": address}]}),
        )
    }

    #[test]
    fn postcodes_of_british_addresses_are_judged() {
        let places = ["customers.0.address.postal_code", "supply_addresses.0.supply_address.postal_code"];
        let expected = places.map(|place| format!("{place} invalid_british_postcode (warning)"));
        assert_eq!(postal(json!("GB"), json!("3000")), expected);
        assert_eq!(postal(json!("gb"), json!("EC1A 1B")), expected);
        for (country, postcode) in [
            (json!("GB"), json!(" EC1A 1BB ")),
            (json!("AU"), json!("3000")),
            (json!("FR"), json!("75001")),
            (json!(7), json!("3000")),
            (json!("GB"), json!(3000)),
            (json!("GB"), json!("")),
        ] {
            assert_eq!(postal(country, postcode), [""; 0]);
        }
    }

    #[test]
    fn postcodes_of_gas_meter_points_are_judged() {
        let gas = |postcode: Value| {
            found("GBR-05", point(json!({"supply_type": "GAS", "address": {"postcode": postcode}})))
        };
        assert_eq!(gas(json!("3000")), ["address.postcode invalid_british_postcode (warning)"]);
        for postcode in [json!("LS1 4DY"), json!(3000), json!(" ")] {
            assert_eq!(gas(postcode), [""; 0]);
        }
    }

    #[test]
    fn billing_postcodes_are_judged() {
        let expected = ["billing_postcode invalid_british_postcode (warning)"];
        assert_eq!(run("GBR-06", json!({"billing_postcode": "3000"})), expected);
        for postcode in [json!("SW1A 1AA"), json!(" "), json!(3000), json!("x".repeat(513))] {
            assert_eq!(run("GBR-06", json!({"billing_postcode": postcode})), [""; 0]);
        }
    }
}
