use crate::prelude::*;

/// A serial number given twice at a meter point.
pub(super) const MTR_03: Rule = Rule {
    id: RuleId("MTR-03"),
    codes: &[Code::DuplicateMeterSerialNumbers],
    place: "`MP.meters.#.meter_serial_number`",
    condition: "same upper-cased value as an earlier meter of the meter point, unless the life of one begins on the day \
        on which that of the other ends, or on the day after",
    level: Level::Warning,
    on: On::MeterPoint(serial_numbers),
    ..Rule::OF_PAYLOAD
};

/// A register given twice at a meter.
pub(super) const MTR_04: Rule = Rule {
    id: RuleId("MTR-04"),
    codes: &[Code::MeterWithDuplicateRegisterIds],
    place: "`MP.meters.#.registers.#.register_id`",
    condition: "same as an earlier register of the meter",
    on: On::Meter(register_ids),
    ..Rule::OF_PAYLOAD
};

fn serial_numbers(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let mut last_of = None;
    let mut check = |index, serial, life: Life| {
        let Some(serial) = serial else { return };
        let last_of = last_of.get_or_insert_with(SmallMap::new);
        let earlier = last_of.slot(Folded(serial), None).replace(life);
        if earlier.is_some_and(|earlier| !earlier.is_followed_by(life) && !life.is_followed_by(earlier)) {
            let meter = at.item("meters", index);
            checker.report(meter.member("meter_serial_number"), Code::DuplicateMeterSerialNumbers);
        }
    };
    match &point.point.variant {
        Variant::Electricity(own) => {
            several(&own.meters, |i, m| {
                check(i, trimmed(&m.meter_serial_number), Life::of_dates(&m.installed_on, &m.removed_on))
            });
        }
        Variant::Gas(own) => {
            several(&own.meters, |i, m| {
                check(i, trimmed(&m.meter_serial_number), Life::of_dates(&m.installed_on, &m.removed_on))
            });
        }
        Variant::EmbeddedElectricity(own) => {
            several(&own.meters, |i, m| {
                check(i, trimmed(&m.meter_serial_number), Life::of_times(&m.active_from, &m.active_to))
            });
        }
        Variant::EmbeddedGas(own) => {
            several(&own.meters, |i, m| {
                check(i, trimmed(&m.meter_serial_number), Life::since_time(&m.active_from))
            });
        }
        Variant::EmbeddedWater(own) => {
            several(&own.meters, |i, m| {
                check(i, trimmed(&m.meter_serial_number), Life::since_date(&m.installed_on))
            });
        }
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) | Variant::Undecided => {}
    }
}

fn trimmed<'a>(text: &'a Field<Text<'_>>) -> Option<&'a str> {
    text.usable().map(Text::trimmed)
}

/// Calls `f` with the index of each usable item and the item, if the list has more than one.
fn several<'a, T>(meters: &'a Field<List<T>>, mut f: impl FnMut(u32, &'a T)) {
    let meters = meters.usable().filter(|meters| meters.len() > 1);
    meters.into_iter().flat_map(List::usable).for_each(|(index, meter)| f(index, meter));
}

fn register_ids(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if meter.registers.count < 2 {
        return;
    }
    let mut seen = Seen::new();
    for (index, register) in meter.registers.list.each() {
        if register.id().is_some_and(|id| seen.before(id)) {
            let register = at.item("registers", index);
            checker.report(register.member("register_id"), Code::MeterWithDuplicateRegisterIds);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn duplicate_serial_numbers_are_reported() {
        let serials = ["a1", "A2", " A1", "", "", "a1 "].map(|serial| json!({"meter_serial_number": serial}));
        let meters: Value =
            serials.into_iter().chain([json!(7), json!({"meter_serial_number": 7})]).collect();
        for kind in ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"] {
            assert_eq!(
                found("MTR-03", point(json!({"supply_type": kind, "meters": meters}))),
                [
                    "meters.2.meter_serial_number duplicate_meter_serial_numbers (warning)",
                    "meters.5.meter_serial_number duplicate_meter_serial_numbers (warning)",
                ],
                "{kind}"
            );
        }
        assert!(found("MTR-03", point(json!({"meters": 7}))).is_empty());
    }

    #[test]
    fn a_meter_that_follows_itself_is_no_duplicate() {
        let code = "meters.1.meter_serial_number duplicate_meter_serial_numbers (warning)";
        let dates = |from: Value, to: Value| json!({"meter_serial_number": "A1", "installed_on": from, "removed_on": to});
        let first = dates(json!("2019-03-14"), json!("2024-05-01"));
        for (second, expected) in [
            (dates(json!("2024-05-01"), json!(null)), &[][..]),
            (dates(json!("2024-05-02"), json!(null)), &[]),
            (dates(json!("2010-01-01"), json!("2019-03-13")), &[]),
            (dates(json!("2024-05-03"), json!(null)), &[code]),
            (dates(json!("2024-04-30"), json!(null)), &[code]),
            (dates(json!("2024"), json!(null)), &[code]),
            (dates(json!(null), json!(null)), &[code]),
        ] {
            for kind in ["ELECTRICITY", "GAS"] {
                let body = json!({"supply_type": kind, "meters": [first, second]});
                assert_eq!(found("MTR-03", point(body)), expected, "{second}");
            }
        }
        let times = |from: Value, to: Value| json!({"meter_serial_number": "A1", "active_from": from, "active_to": to});
        let meters = json!([
            times(json!("2019-03-14T00:00:00Z"), json!("2024-05-01T10:00:00Z")),
            times(json!("2024-05-01T10:00:00Z"), json!(null)),
        ]);
        let body = json!({"supply_type": "EMBEDDED_ELECTRICITY", "meters": meters});
        assert_eq!(found("MTR-03", point(body)), [""; 0]);
    }

    #[test]
    fn duplicate_register_ids_are_reported() {
        let registers = json!([
            {"register_id": "E1"},
            {"register_id": "e1"},
            {"register_id": " E1"},
            {"register_id": ""},
            {"register_id": " "},
            {"register_id": 7},
            7,
            {},
        ]);
        for kind in ["ELECTRICITY", "EMBEDDED_ELECTRICITY"] {
            assert_eq!(
                found("MTR-04", meter(kind, json!({"registers": registers}))),
                ["registers.2.register_id meter_with_duplicate_register_ids (error)"],
                "{kind}"
            );
        }
        assert!(found("MTR-04", meter("ELECTRICITY", json!({"registers": 7}))).is_empty());
        assert!(found("MTR-04", meter("GAS", json!({"registers": registers}))).is_empty());
    }
}
