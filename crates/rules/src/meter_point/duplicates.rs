use crate::prelude::*;

/// A meter point given under several supply addresses.
pub(super) const MPT_04: Rule = Rule {
    id: RuleId("MPT-04"),
    codes: &[Code::DuplicateMeterPointsOnDifferentSupplyAddressesProvided],
    place: "`MP.mpxn`",
    condition: "same upper-cased value as an earlier meter point, all earlier ones under other supply address entries",
    on: On::Account(on_other_addresses),
    ..Rule::OF_PAYLOAD
};

/// A meter point given twice under one supply address.
pub(super) const MPT_05: Rule = Rule {
    id: RuleId("MPT-05"),
    codes: &[Code::DuplicateMeterPoints],
    place: "`MP.mpxn`",
    condition: "same upper-cased value as an earlier meter point of the same entry",
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
    let mut last_entry_of = SmallMap::new();
    for (entry, address) in entries.usable() {
        let at = At::ROOT.item("supply_addresses", entry);
        let points = address.meter_points.usable().into_iter().flat_map(|points| points.usable());
        for (index, point) in points {
            let Some(mpxn) = point.common.mpxn.usable() else { continue };
            if let Some(last) = last_entry_of.slot(Folded(mpxn.trimmed()), None).replace(entry) {
                found(at.item("meter_points", index).member("mpxn"), last == entry);
            }
        }
    }
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
}
