use crate::prelude::*;
use cutover_model::draft::Address;

/// A supply address given twice.
pub(super) const ADR_06: Rule = Rule {
    id: RuleId("ADR-06"),
    codes: &[Code::DuplicateSupplyAddressesFound],
    place: "`supply_addresses.#.supply_address`",
    condition: "every member, lower-cased, is that of an earlier entry (absent ones equal empty ones)",
    level: Level::Warning,
    on: On::Account(supply_addresses),
    ..Rule::OF_PAYLOAD
};

/// Several administrators of the same premises.
pub(super) const ADR_07: Rule = Rule {
    id: RuleId("ADR-07"),
    codes: &[Code::MultiplePropertyAdministrators],
    place: "`supply_addresses.#.property_administrators`",
    condition: "more than one item (faulty ones count)",
    level: Level::Warning,
    on: On::Account(administrators),
    ..Rule::OF_PAYLOAD
};

fn supply_addresses(account: &Account<'_>, checker: &mut Checker<'_>) {
    if account.supply_addresses.usable().is_none_or(|entries| entries.len() < 2) {
        return;
    }
    let mut seen = Seen::new();
    items(&account.supply_addresses, "supply_addresses", &At::ROOT, |entry, at| {
        if entry.supply_address.usable().and_then(members).is_some_and(|members| seen.before(members)) {
            checker.report(at.member("supply_address"), Code::DuplicateSupplyAddressesFound);
        }
    });
}

fn administrators(account: &Account<'_>, checker: &mut Checker<'_>) {
    items(&account.supply_addresses, "supply_addresses", &At::ROOT, |entry, at| {
        if entry.property_administrators.usable().is_some_and(|list| list.len() > 1) {
            checker.report(at.member("property_administrators"), Code::MultiplePropertyAdministrators);
        }
    });
}

/// Returns the members of an address, or `None` if one is faulty or all are absent.
fn members<'a>(address: &'a Address<'_>) -> Option<[Folded<'a>; 9]> {
    let street = match address.structured_street_address.presence() {
        Presence::Usable(street) => Some(street),
        Presence::Absent => None,
        Presence::Faulty => return None,
    };
    let of_street = |member: Option<&'a Field<Text<'_>>>| member.map_or(Some(Folded("")), text);
    let house = match street.map(|street| street.house_number_1.presence()) {
        Some(Presence::Usable(house)) => Folded(house.text.trimmed()),
        Some(Presence::Faulty) => return None,
        Some(Presence::Absent) | None => Folded(""),
    };
    let members = [
        text(&address.administrative_area)?,
        text(&address.country)?,
        text(&address.delivery_point_identifier)?,
        text(&address.locality)?,
        text(&address.postal_code)?,
        of_street(street.map(|street| &street.flat_or_unit_type))?,
        house,
        of_street(street.map(|street| &street.street_name))?,
        of_street(street.map(|street| &street.street_type))?,
    ];
    members.iter().any(|member| !member.0.is_empty()).then_some(members)
}

fn text<'a>(field: &'a Field<Text<'_>>) -> Option<Folded<'a>> {
    match field.presence() {
        Presence::Usable(text) => Some(Folded(text.trimmed())),
        Presence::Absent => Some(Folded("")),
        Presence::Faulty => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn address(locality: Value, house: Value) -> Value {
        let street = json!({"house_number_1": house, "street_name": "Banksia", "street_type": "ST"});
        json!({"locality": locality, "country": "AU", "structured_street_address": street})
    }

    fn found(addresses: &[Value]) -> Vec<String> {
        let entries: Value = addresses.iter().map(|address| json!({"supply_address": address})).collect();
        run("ADR-06", json!({"supply_addresses": entries}))
    }

    #[test]
    fn an_address_is_given_once() {
        let line =
            |i| format!("supply_addresses.{i}.supply_address duplicate_supply_addresses_found (warning)");
        let one = address(json!("Brunswick"), json!("12"));
        let equal = address(json!(" BRUNSWICK "), json!(12));
        assert_eq!(
            found(&[one.clone(), address(json!("Fitzroy"), json!("12")), equal.clone()]),
            [2].map(line)
        );
        assert_eq!(found(&[one.clone(), json!(7), one.clone(), one.clone()]), [2, 3].map(line));
        let without_blank = json!({"locality": "Brunswick"});
        let with_blank = json!({"locality": "Brunswick", "delivery_point_identifier": " "});
        assert_eq!(found(&[without_blank, with_blank]), [1].map(line));
        for other in [
            address(json!("Brunswick"), json!("12A")),
            address(json!("Brunswick"), json!(1.5)),
            address(json!(7), json!("12")),
            json!({"locality": "Brunswick", "country": "AU"}),
            json!({"locality": "Brunswick", "country": "AU", "structured_street_address": 7}),
        ] {
            assert_eq!(found(&[one.clone(), other.clone()]), [""; 0], "{other}");
        }
        let faulty = address(json!(7), json!("12"));
        assert_eq!(found(&[faulty.clone(), faulty]), [""; 0]);
        assert_eq!(found(&[json!({}), json!({})]), [""; 0]);
        assert_eq!(found(&[one]), [""; 0]);
    }

    #[test]
    fn premises_have_one_administrator() {
        let entries = json!([
            {"property_administrators": [{}, {}]},
            {"property_administrators": [{}, 7]},
            {"property_administrators": [{}]},
            {"property_administrators": []},
            {"property_administrators": 7},
            {},
        ]);
        let line = |i| {
            format!("supply_addresses.{i}.property_administrators multiple_property_administrators (warning)")
        };
        assert_eq!(run("ADR-07", json!({"supply_addresses": entries})), [0, 1].map(line));
    }
}
