use crate::prelude::*;

/// A serial number given twice at a meter point.
pub(super) const MTR_03: Rule = Rule {
    id: RuleId("MTR-03"),
    codes: &[Code::DuplicateMeterSerialNumbers],
    place: "`MP.meters.#.meter_serial_number`",
    condition: "same upper-cased value as an earlier meter of the meter point",
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
    let report = |index| {
        let meter = at.item("meters", index);
        checker.report(meter.member("meter_serial_number"), Code::DuplicateMeterSerialNumbers);
    };
    match &point.point.variant {
        Variant::Electricity(own) => duplicates(&own.meters, |m| &m.meter_serial_number, report),
        Variant::Gas(own) => duplicates(&own.meters, |m| &m.meter_serial_number, report),
        Variant::EmbeddedElectricity(own) => duplicates(&own.meters, |m| &m.meter_serial_number, report),
        Variant::EmbeddedGas(own) => duplicates(&own.meters, |m| &m.meter_serial_number, report),
        Variant::EmbeddedWater(own) => duplicates(&own.meters, |m| &m.meter_serial_number, report),
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) | Variant::Undecided => {}
    }
}

fn duplicates<'a, 'j: 'a, T>(
    meters: &'a Field<List<T>>,
    serial: fn(&'a T) -> &'a Field<Text<'j>>,
    mut found: impl FnMut(u32),
) {
    let Some(meters) = meters.usable().filter(|meters| meters.len() > 1) else { return };
    let mut seen = Seen::new();
    for (index, meter) in meters.usable() {
        if serial(meter).usable().is_some_and(|serial| seen.before(Folded(serial.trimmed()))) {
            found(index);
        }
    }
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
