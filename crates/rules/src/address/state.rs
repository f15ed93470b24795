use crate::prelude::*;

/// An Australian address with an unknown state or territory.
pub(super) const ADR_05: Rule = Rule {
    id: RuleId("ADR-05"),
    codes: &[Code::InvalidChoice],
    place: "`administrative_area` of `customers.#.address` and `supply_addresses.#.supply_address`",
    condition: "`country` upper-cased is `AU` and the value is none of ACT, NSW, NT, QLD, SA, TAS, VIC, WA",
    on: On::Address(check),
    ..Rule::OF_PAYLOAD
};

const STATES: [&str; 8] = ["ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA"];

fn check(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(address) = address.in_country("AU") else { return };
    if address.administrative_area.usable().is_some_and(|area| !STATES.contains(&area.trimmed())) {
        checker.report_as(
            at.member("administrative_area"),
            Code::InvalidChoice,
            format_args!("The country is AU, and the value is none of {}.", STATES.join(", ")),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(country: &str, area: Value) -> Vec<String> {
        let address = json!({"country": country, "administrative_area": area});
        run(
            "ADR-05",
            json!({"customers": [{"address": address}], "supply_addresses": [{"supply_address": address}]}),
        )
    }

    #[test]
    fn australian_states_and_territories_are_accepted() {
        let places = ["customers.0.address", "supply_addresses.0.supply_address"];
        let expected = places.map(|place| format!("{place}.administrative_area invalid_choice (error)"));
        for area in ["Victoria", "vic", "XX"] {
            assert_eq!(found("Au", json!(area)), expected);
        }
        for area in super::STATES {
            assert_eq!(found("AU", json!(area)), [""; 0]);
        }
        for area in [json!(" VIC "), json!(7), json!(""), json!("x".repeat(65))] {
            assert_eq!(found("AU", area), [""; 0]);
        }
        assert_eq!(found("GB", json!("Kent")), [""; 0]);
    }
}
