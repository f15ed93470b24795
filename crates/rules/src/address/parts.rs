use crate::prelude::*;
use cutover_model::draft::GasAddress;

/// A number or a type without the name or type that it belongs to.
pub(super) const ADR_08: Rule = Rule {
    id: RuleId("ADR-08"),
    codes: &[Code::InvalidAddress],
    place: "`structured_street_address.street_name` of `customers.#.address` and `supply_addresses.#.supply_address`; \
        `MP.address.street.#.street_name`, `MP.address.street`, `MP.address.flat_or_unit_type`, \
        `MP.address.floor_or_level_type` (gas)",
    condition: "absent, but the house number, the street's type or its suffix is given, or the number of the flat or floor",
    level: Level::Warning,
    on: On::Address(parts),
    ..Rule::OF_PAYLOAD
};

/// The name of a building that does not fit two lines.
pub(super) const ADR_09: Rule = Rule {
    id: RuleId("ADR-09"),
    codes: &[Code::MultilineMaxLengthExceeded],
    place: "`MP.address.building_or_property_name` (gas)",
    condition: "more than two lines, or a line of more than 30 characters",
    level: Level::Warning,
    on: On::Address(lines),
    ..Rule::OF_PAYLOAD
};

const MOST_LINES: usize = 2;
const LONGEST_LINE: usize = 30;

fn parts(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    match address {
        Address::Postal(address) => {
            let Some(street) = address.structured_street_address.usable() else { return };
            let has_more = street.house_number_1.usable().is_some() || street.street_type.usable().is_some();
            if has_more && street.street_name.is_absent() {
                let at = at.member("structured_street_address");
                checker.report(at.member("street_name"), Code::InvalidAddress);
            }
        }
        Address::Gas(address) => gas(address, at, checker),
    }
}

fn gas(address: &GasAddress<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    for (number, kind, name) in [
        (&address.flat_or_unit_number, &address.flat_or_unit_type, "flat_or_unit_type"),
        (&address.floor_or_level_number, &address.floor_or_level_type, "floor_or_level_type"),
    ] {
        if number.usable().is_some() && kind.is_absent() {
            checker.report(at.member(name), Code::InvalidAddress);
        }
    }
    let mut houses = address.house.usable().into_iter().flat_map(List::usable);
    let has_house = houses.any(|(_, house)| house.house_number.usable().is_some());
    if has_house && is_absent_or_empty(&address.street) {
        checker.report(at.member("street"), Code::InvalidAddress);
    }
    items(&address.street, "street", at, |street, at| {
        let has_more =
            has_house || street.street_type.usable().is_some() || street.street_suffix.usable().is_some();
        if has_more && street.street_name.is_absent() {
            checker.report(at.member("street_name"), Code::InvalidAddress);
        }
    });
}

fn lines(address: Address<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Address::Gas(address) = address else { return };
    let Some(name) = address.building_or_property_name.usable() else { return };
    let mut lines = name.trimmed().split('\n').map(|line| line.trim_end_matches('\r'));
    // Counting characters is left to names that have that many bytes.
    let is_long = |line: &str| line.len() > LONGEST_LINE && line.chars().count() > LONGEST_LINE;
    if lines.clone().count() > MOST_LINES || lines.any(is_long) {
        checker.report(at.member("building_or_property_name"), Code::MultilineMaxLengthExceeded);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_house_number_and_a_street_type_belong_to_a_street() {
        let found = |street: &Value| {
            let address = json!({"structured_street_address": street});
            run(
                "ADR-08",
                json!({"customers": [{"address": address}], "supply_addresses": [{"supply_address": address}]}),
            )
        };
        let places = ["customers.0.address", "supply_addresses.0.supply_address"];
        let expected = places
            .map(|place| format!("{place}.structured_street_address.street_name invalid_address (warning)"));
        for street in [
            json!({"house_number_1": "12"}),
            json!({"house_number_1": 12, "street_name": " "}),
            json!({"street_type": "ST"}),
        ] {
            assert_eq!(found(&street), expected, "{street}");
        }
        for street in [
            json!({"house_number_1": "12", "street_type": "ST", "street_name": "Banksia"}),
            json!({"house_number_1": "12", "street_name": 7}),
            json!({"house_number_1": " ", "street_type": ""}),
            json!({"house_number_1": 1.5}),
            json!({"flat_or_unit_type": "U"}),
            json!({}),
            json!(7),
        ] {
            assert_eq!(found(&street), [""; 0], "{street}");
        }
    }

    fn gas(rule: &str, address: &Value) -> Vec<String> {
        found(rule, point(json!({"supply_type": "GAS", "address": address})))
    }

    #[test]
    fn numbers_and_types_of_a_gas_address_belong_together() {
        for (address, expected) in [
            (json!({"flat_or_unit_number": "3"}), &["flat_or_unit_type"][..]),
            (json!({"floor_or_level_number": "1", "floor_or_level_type": ""}), &["floor_or_level_type"]),
            (json!({"street": [{"street_name": "A"}, {"street_type": "RD"}]}), &["street.1.street_name"]),
            (json!({"street": [{"street_suffix": "N"}]}), &["street.0.street_name"]),
            (json!({"house": [{"house_number": 48}], "street": [{}]}), &["street.0.street_name"]),
            (json!({"house": [{}, {"house_number": "48"}]}), &["street"]),
            (json!({"house": [{"house_number": "48"}], "street": []}), &["street"]),
            (json!({"house": [{"house_number": "48"}], "street": [{"street_name": "A"}]}), &[]),
            (json!({"house": [{"house_number": "48"}], "street": [7]}), &[]),
            (json!({"house": [{"house_number": "48"}], "street": 7}), &[]),
            (json!({"house": [{}], "street": [{}]}), &[]),
            (json!({"flat_or_unit_type": "U", "floor_or_level_type": "L"}), &[]),
            (json!({"flat_or_unit_number": 3, "floor_or_level_number": "1", "floor_or_level_type": 7}), &[]),
        ] {
            let expected: Vec<String> =
                expected.iter().map(|at| format!("address.{at} invalid_address (warning)")).collect();
            assert_eq!(gas("ADR-08", &address), expected, "{address}");
        }
    }

    #[test]
    fn the_name_of_a_building_has_two_short_lines() {
        let long = ["address.building_or_property_name multiline_max_length_exceeded (warning)"];
        let name = |name: Value| gas("ADR-09", &json!({"building_or_property_name": name}));
        for text in ["x".repeat(31), format!("a\n{}", "x".repeat(31)), "a\nb\nc".to_owned()] {
            assert_eq!(name(json!(text)), long, "{text}");
        }
        let thirty = "é".repeat(30);
        for text in
            [json!(thirty), json!(format!("{thirty}\r\nb\n")), json!(" "), json!(7), json!("x".repeat(61))]
        {
            assert_eq!(name(text.clone()), [""; 0], "{text}");
        }
    }
}
