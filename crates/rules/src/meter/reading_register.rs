use crate::prelude::*;
use cutover_model::choices::SupplyType;

/// A transfer reading of a register that the meter does not have.
pub(super) const MTR_05: Rule = Rule {
    id: RuleId("MTR-05"),
    codes: &[Code::ReadingRegisterIdNotRecognised],
    place: "`MP.meters.#.transfer_readings.#.register_id`",
    condition: "[register list known](#5-meters-registers-readings), value not in it (metered and embedded electricity)",
    on: On::TransferReading(unknown_transfer),
    ..Rule::OF_PAYLOAD
};

/// A transfer reading without a register, at a meter with registers.
pub(super) const MTR_06: Rule = Rule {
    id: RuleId("MTR-06"),
    codes: &[Code::ReadingWithoutRegisterId],
    place: "`MP.meters.#.transfer_readings.#.register_id`",
    condition: "metered electricity, [register list known](#5-meters-registers-readings), value absent",
    on: On::TransferReading(nameless_transfer),
    ..Rule::OF_PAYLOAD
};

/// A historical reading of a register that the meter does not have.
pub(super) const MTR_07: Rule = Rule {
    id: RuleId("MTR-07"),
    codes: &[Code::HistoricalReadingRegisterIdNotRecognised],
    place: "`MP.meters.#.reading_history.#.register_id`",
    condition: "as MTR-05",
    on: On::HistoricalReading(unknown_history),
    ..Rule::OF_PAYLOAD
};

/// A historical reading without a register, at a meter with registers.
pub(super) const MTR_08: Rule = Rule {
    id: RuleId("MTR-08"),
    codes: &[Code::NoRegisterIdForReading],
    place: "`MP.meters.#.reading_history.#.register_id`",
    condition: "as MTR-06",
    on: On::HistoricalReading(nameless_history),
    ..Rule::OF_PAYLOAD
};

fn unknown_transfer(
    reading: &Reading<'_, '_>,
    meter: &Meter<'_, '_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    if is_unknown(reading, meter) {
        checker.report(at.member("register_id"), Code::ReadingRegisterIdNotRecognised);
    }
}

fn nameless_transfer(
    reading: &Reading<'_, '_>,
    meter: &Meter<'_, '_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    if is_nameless(reading, meter) {
        checker.report(at.member("register_id"), Code::ReadingWithoutRegisterId);
    }
}

fn unknown_history(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if is_unknown(reading, meter) {
        checker.report(at.member("register_id"), Code::HistoricalReadingRegisterIdNotRecognised);
    }
}

fn nameless_history(
    reading: &Reading<'_, '_>,
    meter: &Meter<'_, '_>,
    at: &At<'_>,
    checker: &mut Checker<'_>,
) {
    if is_nameless(reading, meter) {
        checker.report(at.member("register_id"), Code::NoRegisterIdForReading);
    }
}

/// Returns true if the reading names a register that is not in the known list.
fn is_unknown(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>) -> bool {
    match reading.source {
        Source::Register(Presence::Usable(id)) => {
            meter.registers.is_known && meter.registers.first(id).is_none()
        }
        _ => false,
    }
}

/// Returns true if the reading does not name a register although the list is known. Embedded electricity
/// requires the member, so this is about metered electricity only.
fn is_nameless(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>) -> bool {
    meter.kind == SupplyType::Electricity
        && meter.registers.is_known
        && reading.source == Source::Register(Presence::Absent)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    const KNOWN: &str = r#"[{"register_id": "E1"}, {"register_id": " E2"}]"#;

    /// Runs a rule on readings of E2, of E3, and of an absent, a blank and a faulty register.
    fn fires(id: &str, kind: &str, registers: &str) -> Vec<String> {
        let registers: Value = registers.parse().unwrap();
        let readings = json!([{"register_id": "E2 "}, {"register_id": "E3"}, {}, {"register_id": ""}, {"register_id": 7}]);
        let body =
            json!({"registers": registers, "transfer_readings": readings, "reading_history": readings});
        found(id, meter(kind, body))
    }

    #[test]
    fn readings_of_unknown_registers_are_reported() {
        for kind in ["ELECTRICITY", "EMBEDDED_ELECTRICITY"] {
            assert_eq!(
                fires("MTR-05", kind, KNOWN),
                ["transfer_readings.1.register_id reading_register_id_not_recognised (error)"]
            );
            assert_eq!(
                fires("MTR-07", kind, KNOWN),
                ["reading_history.1.register_id historical_reading_register_id_not_recognised (error)"]
            );
        }
    }

    #[test]
    fn readings_of_metered_electricity_without_a_register_are_reported() {
        assert_eq!(
            fires("MTR-06", "ELECTRICITY", KNOWN),
            [
                "transfer_readings.2.register_id reading_without_register_id (error)",
                "transfer_readings.3.register_id reading_without_register_id (error)",
            ]
        );
        assert_eq!(
            fires("MTR-08", "ELECTRICITY", KNOWN),
            [
                "reading_history.2.register_id no_register_id_for_reading (error)",
                "reading_history.3.register_id no_register_id_for_reading (error)",
            ]
        );
        assert!(fires("MTR-06", "EMBEDDED_ELECTRICITY", KNOWN).is_empty());
        assert!(fires("MTR-08", "EMBEDDED_ELECTRICITY", KNOWN).is_empty());
    }

    #[test]
    fn silent_if_the_register_list_is_not_known() {
        let lists = ["[]", "7", r#"[{"register_id": "E1"}, 7]"#, r#"[{"register_id": "E1"}, {}]"#];
        for registers in lists {
            for id in ["MTR-05", "MTR-06", "MTR-07", "MTR-08"] {
                assert!(fires(id, "ELECTRICITY", registers).is_empty(), "{id} {registers}");
            }
        }
        assert!(fires("MTR-05", "GAS", KNOWN).is_empty());
    }

    #[test]
    fn registers_of_long_lists_are_found() {
        let register = |i| json!({"register_id": format!("R{i}")});
        let registers: Value = (0..40).map(register).collect();
        let readings: Value = (0..41).map(register).collect();
        let body = json!({"registers": registers, "transfer_readings": readings});
        assert_eq!(
            found("MTR-05", meter("ELECTRICITY", body)),
            ["transfer_readings.40.register_id reading_register_id_not_recognised (error)"]
        );
    }
}
