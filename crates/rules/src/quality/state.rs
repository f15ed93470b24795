use crate::prelude::*;

/// An Australian postcode of another state.
pub(super) const QUA_03: Rule = Rule {
    id: RuleId("QUA-03"),
    codes: &[Code::StateContradictsPostcode],
    place: "`postal_code` of `customers.#.address` and `supply_addresses.#.supply_address`; `MP.address.postcode` (gas)",
    condition: "`country` upper-cased is `AU` (gas: always), and the postcode is [of another state](#109-postcodes-and-states)",
    level: Level::Warning,
    on: On::Address(check),
    ..Rule::OF_PAYLOAD
};

fn check(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (state, postcode, name) = match address {
        Address::Postal(_) => match address.in_country("AU") {
            Some(address) => (&address.administrative_area, &address.postal_code, "postal_code"),
            None => return,
        },
        Address::Gas(address) => (&address.state_or_territory, &address.postcode, "postcode"),
    };
    if let (Some(state), Some(postcode)) = (state.usable(), postcode.usable())
        && contradicts(state.trimmed(), postcode.trimmed())
    {
        checker.report(at.member(name), Code::StateContradictsPostcode);
    }
}

/// Returns true if the postcode belongs to other states than this one.
fn contradicts(state: &str, postcode: &str) -> bool {
    let Some(postcode) = number(postcode) else { return false };
    let Some(own) = state_of(postcode) else { return false };
    own != state && is_state(state) && !is_beyond_border(postcode, state)
}

fn is_state(text: &str) -> bool {
    matches!(text, "ACT" | "NSW" | "NT" | "QLD" | "SA" | "TAS" | "VIC" | "WA")
}

/// Returns the state that most places with a postcode are in.
fn state_of(postcode: u16) -> Option<&'static str> {
    Some(match postcode {
        200..=299 | 2600..=2618 | 2900..=2920 => "ACT",
        800..=999 => "NT",
        1000..=2999 => "NSW",
        3000..=3999 | 8000..=8999 => "VIC",
        4000..=4999 | 9000..=9999 => "QLD",
        5000..=5999 => "SA",
        6000..=6999 => "WA",
        7000..=7999 => "TAS",
        _ => return None,
    })
}

/// Returns true if places of this state have a postcode of another, across the border.
fn is_beyond_border(postcode: u16, state: &str) -> bool {
    match state {
        "ACT" => matches!(postcode, 2540 | 2619 | 2620),
        "NSW" => {
            matches!(
                postcode,
                2611 | 2618 | 3585 | 3586 | 3644 | 3691 | 3707 | 4377 | 4380 | 4383 | 4385 | 5440
            )
        }
        "NT" => postcode == 4825,
        "QLD" => postcode == 2406,
        "SA" | "WA" => postcode == 872,
        _ => false,
    }
}

/// Returns the number of four digits.
fn number(postcode: &str) -> Option<u16> {
    let digits: &[u8; 4] = postcode.as_bytes().try_into().ok()?;
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u16::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::contradicts;
    use crate::testing::*;

    #[test]
    fn postcodes_belong_to_states() {
        for (state, postcode) in [
            ("VIC", "3056"),
            ("VIC", "8001"),
            ("NSW", "2150"),
            ("NSW", "1235"),
            ("NSW", "2619"),
            ("NSW", "2999"),
            ("ACT", "2600"),
            ("ACT", "0200"),
            ("ACT", "2913"),
            ("QLD", "4009"),
            ("QLD", "9726"),
            ("SA", "5000"),
            ("WA", "6000"),
            ("TAS", "7000"),
            ("NT", "0800"),
            ("NT", "0872"),
            ("SA", "0872"),
            ("WA", "0872"),
            ("NSW", "3644"),
            ("VIC", "3644"),
            ("NSW", "4383"),
            ("NSW", "2620"),
            ("ACT", "2620"),
            ("ACT", "2618"),
            ("NSW", "2618"),
        ] {
            assert!(!contradicts(state, postcode), "{state} {postcode}");
        }
        for (state, postcode) in [
            ("VIC", "2150"),
            ("NSW", "3056"),
            ("NSW", "2600"),
            ("ACT", "2150"),
            ("QLD", "0872"),
            ("TAS", "3000"),
            ("WA", "5000"),
            ("NSW", "2913"),
            ("SA", "6000"),
            ("NT", "4000"),
            ("VIC", "4383"),
        ] {
            assert!(contradicts(state, postcode), "{state} {postcode}");
        }
        for (state, postcode) in [
            ("XX", "2150"),
            ("vic", "2150"),
            ("VIC", "0500"),
            ("VIC", "0000"),
            ("VIC", "215"),
            ("VIC", "21500"),
            ("VIC", "2I50"),
        ] {
            assert!(!contradicts(state, postcode), "{state} {postcode}");
        }
    }

    #[test]
    fn addresses_in_australia_are_judged() {
        let found = |country: Value, state: Value, postcode: Value| {
            let address = json!({"country": country, "administrative_area": state, "postal_code": postcode});
            run(
                "QUA-03",
                json!({"customers": [{"address": address}], "supply_addresses": [{"supply_address": address}]}),
            )
        };
        let places = ["customers.0.address", "supply_addresses.0.supply_address"];
        let expected =
            places.map(|place| format!("{place}.postal_code state_contradicts_postcode (warning)"));
        assert_eq!(found(json!("au"), json!("VIC "), json!(" 2150")), expected);
        for (country, state, postcode) in [
            (json!("AU"), json!("NSW"), json!("2150")),
            (json!("NZ"), json!("VIC"), json!("2150")),
            (json!(7), json!("VIC"), json!("2150")),
            (json!("AU"), json!(7), json!("2150")),
            (json!("AU"), json!("VIC"), json!(2150)),
            (json!("AU"), json!(""), json!("2150")),
        ] {
            assert_eq!(found(country, state, postcode), [""; 0]);
        }
        let gas = json!({"supply_type": "GAS", "address": {"state_or_territory": "VIC", "postcode": "2150"}});
        assert_eq!(
            crate::testing::found("QUA-03", point(gas)),
            ["address.postcode state_contradicts_postcode (warning)"]
        );
    }
}
