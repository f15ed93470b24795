use crate::prelude::*;
use cutover_model::choices::SupplyType;
use cutover_model::draft;

/// A meter point given under several supply addresses.
pub(super) const MPT_04: Rule = Rule {
    id: RuleId("MPT-04"),
    codes: &[Code::DuplicateMeterPointsOnDifferentSupplyAddressesProvided],
    place: "`MP.mpxn`",
    condition: "[same](#41-same-meter-point) as an earlier meter point, all earlier ones under other supply address entries",
    on: On::Account(on_other_addresses),
    ..Rule::OF_PAYLOAD
};

/// A meter point given twice under one supply address.
pub(super) const MPT_05: Rule = Rule {
    id: RuleId("MPT-05"),
    codes: &[Code::DuplicateMeterPoints],
    place: "`MP.mpxn`",
    condition: "[same](#41-same-meter-point) as an earlier meter point of the same entry",
    on: On::Account(on_the_same_address),
    ..Rule::OF_PAYLOAD
};

fn on_other_addresses(account: &Account<'_>, checker: &mut Checker<'_>) {
    duplicates(account, |mpxn, is_same_entry| {
        if !is_same_entry {
            checker.report(mpxn, Code::DuplicateMeterPointsOnDifferentSupplyAddressesProvided);
        }
    });
}

fn on_the_same_address(account: &Account<'_>, checker: &mut Checker<'_>) {
    duplicates(account, |mpxn, is_same_entry| {
        if is_same_entry {
            checker.report(mpxn, Code::DuplicateMeterPoints);
        }
    });
}

/// Calls `found` for each repeated meter point, with true if the same entry has it already. Entries are
/// visited one after the other, so it is enough to remember the last entry of each meter point.
fn duplicates(account: &Account<'_>, mut found: impl FnMut(At<'_>, bool)) {
    let Some(entries) = account.supply_addresses.usable() else { return };
    let points = |entry: &draft::SupplyAddressEntry<'_>| entry.meter_points.usable().map_or(0, List::len);
    if entries.usable().map(|(_, entry)| points(entry)).sum::<usize>() < 2 {
        return;
    }
    let mut last_entry_of = SmallMap::new();
    for (entry, address) in entries.usable() {
        let at = At::ROOT.item("supply_addresses", entry);
        let points = address.meter_points.usable().into_iter().flat_map(|points| points.usable());
        for (index, point) in points {
            let Some(mpxn) = point.common.mpxn.usable().map(Text::trimmed) else { continue };
            let as_sent = last_entry_of.slot((None, Folded(mpxn)), None).replace(entry);
            let within_kind = without_prefix(point, mpxn)
                .and_then(|(kind, rest)| last_entry_of.slot((Some(kind), Folded(rest)), None).replace(entry));
            // The later of the two: `None` comes first.
            if let Some(last) = as_sent.max(within_kind) {
                found(at.item("meter_points", index).member("mpxn"), last == entry);
            }
        }
    }
}

/// Returns the kind of an unmetered or embedded meter point, and its identifier without the prefix that may name the
/// kind.
fn without_prefix<'a>(point: &draft::MeterPoint<'_>, mpxn: &'a str) -> Option<(SupplyType, &'a str)> {
    let (kind, prefix) = match &point.variant {
        Variant::UnmeteredElectricity(_) => (SupplyType::UnmeteredElectricity, "UNMETERED_ELECTRICITY_"),
        Variant::UnmeteredGas(_) => (SupplyType::UnmeteredGas, "UNMETERED_GAS_"),
        Variant::EmbeddedElectricity(_) => (SupplyType::EmbeddedElectricity, "EMBEDDED_ELECTRICITY_"),
        Variant::EmbeddedGas(_) => (SupplyType::EmbeddedGas, "EMBEDDED_GAS_"),
        Variant::EmbeddedWater(_) => (SupplyType::EmbeddedWater, "EMBEDDED_WATER_"),
        Variant::Electricity(_) | Variant::Gas(_) | Variant::Undecided => return None,
    };
    Some((kind, mpxn.strip_prefix(prefix).unwrap_or(mpxn)))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// An account with these meter points under its supply addresses.
    fn account(entries: &[&[&str]]) -> Value {
        let points = |entry: &&[&str]| entry.iter().map(|mpxn| json!({"mpxn": mpxn})).collect();
        let entry = |entry| json!({"meter_points": Value::Array(points(entry))});
        json!({"supply_addresses": entries.iter().map(entry).collect::<Vec<_>>()})
    }

    fn places(id: &str, entries: &[&[&str]]) -> Vec<String> {
        let found = run(id, account(entries));
        let place = |line: &String| {
            let parts: Vec<_> = line.split('.').collect();
            format!("{}.{}", parts[1], parts[3])
        };
        found.iter().map(place).collect()
    }

    #[test]
    fn duplicate_meter_points_are_reported() {
        for (entries, others, same) in [
            (&[&["A", "B"][..], &["C"]][..], &[][..], &[][..]),
            (&[&["A", " a "]], &[], &["0.1"]),
            (&[&["A"], &["a"]], &["1.0"], &[]),
            (&[&["A"], &["A", "A"], &["A"]], &["1.0", "2.0"], &["1.1"]),
            (&[&["A", "A"], &["A"]], &["1.0"], &["0.1"]),
            (&[&["", " "], &[""]], &[], &[]),
        ] {
            assert_eq!(places("MPT-04", entries), others, "{entries:?}");
            assert_eq!(places("MPT-05", entries), same, "{entries:?}");
        }
    }

    #[test]
    fn codes_and_paths() {
        let body = account(&[&["A", "A"], &["A"]]);
        assert_eq!(
            run("MPT-05", &body),
            ["supply_addresses.0.meter_points.1.mpxn duplicate_meter_points (error)"]
        );
        assert_eq!(
            run("MPT-04", &body),
            [
                "supply_addresses.1.meter_points.0.mpxn duplicate_meter_points_on_different_supply_addresses_provided (error)"
            ]
        );
    }

    #[test]
    fn faulty_identifiers_are_ignored_and_undecided_kinds_are_not() {
        let point = |mpxn: Value, supply_type: &str| json!({"mpxn": mpxn, "supply_type": supply_type});
        let points = [point(json!(1), "GAS"), point(json!("1"), "NONE"), point(json!("1"), "GAS")];
        let body = json!({"supply_addresses": [7, {"meter_points": 7}, {"meter_points": points}]});
        assert_eq!(
            run("MPT-05", body),
            ["supply_addresses.2.meter_points.2.mpxn duplicate_meter_points (error)"]
        );
    }

    #[test]
    fn duplicates_among_many_meter_points_are_reported() {
        let names: Vec<_> = (0..100).map(|i| format!("N{}", i % 50)).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(places("MPT-05", &[&names]).len(), 50);
        assert_eq!(places("MPT-04", &[&names[..50], &names[50..]]).len(), 50);
    }

    #[test]
    fn a_prefix_that_names_the_kind_does_not_count() {
        let point = |kind: &str, mpxn: &str| json!({"supply_type": kind, "mpxn": mpxn});
        let found = |id: &str, entries: Value| {
            let entry = |points: &Value| json!({"meter_points": points});
            let entries: Value = entries.as_array().unwrap().iter().map(entry).collect();
            run(id, json!({"supply_addresses": entries}))
        };
        let (prefixed, bare) =
            (point("EMBEDDED_WATER", "EMBEDDED_WATER_HT-1"), point("EMBEDDED_WATER", "ht-1"));
        for pair in [[&prefixed, &bare], [&bare, &prefixed]] {
            let line = "supply_addresses.0.meter_points.1.mpxn duplicate_meter_points (error)";
            assert_eq!(found("MPT-05", json!([pair])), [line]);
            let [first, second] = pair;
            assert_eq!(found("MPT-04", json!([[first], [second]])).len(), 1);
            assert_eq!(found("MPT-05", json!([[first], [second]])), [""; 0]);
        }
        for other in [
            point("EMBEDDED_GAS", "EMBEDDED_GAS_HT-1"),
            point("ELECTRICITY", "HT-1"),
            point("EMBEDDED_WATER", "EMBEDDED_WATER_HT-2"),
        ] {
            assert_eq!(found("MPT-05", json!([[prefixed, other]])), [""; 0], "{other}");
        }
        let same_text = json!([[point("EMBEDDED_GAS", "HT-1"), point("ELECTRICITY", "HT-1")]]);
        assert_eq!(found("MPT-05", same_text).len(), 1, "as sent they are equal, whatever their kind");
    }
}
