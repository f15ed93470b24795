use crate::prelude::*;
use cutover_model::choices::SupplyType;

/// A register without a transfer reading, at a meter that is not removed.
pub(super) const MTR_12: Rule = Rule {
    id: RuleId("MTR-12"),
    codes: &[Code::MissingTransferReadingForRegister],
    place: "`MP.meters.#.transfer_readings`",
    condition: "meter not removed, a register has no transfer reading",
    level: Level::Warning,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

/// A register with several transfer readings, of a meter that is not removed.
pub(super) const MTR_14: Rule = Rule {
    id: RuleId("MTR-14"),
    codes: &[Code::MultipleTransferReadingsForRegister],
    place: "`MP.meters.#.transfer_readings.#.register_id`",
    condition: "meter [in place](#5-meters-registers-readings): same as an earlier transfer reading",
    level: Level::Warning,
    on: On::Meter(several),
    ..Rule::OF_PAYLOAD
};

fn several(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if !meter.is_in_place() || !matches!(meter.transfer_readings.count(), Presence::Usable(2..)) {
        return;
    }
    let mut seen = Seen::new();
    meter.transfer_readings.each(|index, reading| {
        if let Source::Register(Presence::Usable(id)) = reading.source
            && seen.before(id)
        {
            let at = at.item("transfer_readings", index);
            checker.report(at.member("register_id"), Code::MultipleTransferReadingsForRegister);
        }
    });
}

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if meter.life.end == Presence::Absent && meter.registers.is_known {
        let Some(mut read) = registers_read(meter) else { return };
        if meter.registers.list.each().filter_map(|(_, r)| r.id()).any(|id| !read.before(id)) {
            checker.report(at.member("transfer_readings"), Code::MissingTransferReadingForRegister);
        }
    }
}

/// Returns the registers that the transfer readings name, or `None` if one is hidden by a fault.
fn registers_read<'a>(meter: &Meter<'a, '_>) -> Option<Seen<&'a str>> {
    let mut read = Seen::new();
    let mut is_known = meter.transfer_readings.is_free_of_faults();
    meter.transfer_readings.each(|_, reading| match reading.source {
        Source::Register(Presence::Usable(id)) => {
            read.before(id);
        }
        // A reading of metered electricity may leave out the register.
        Source::Register(Presence::Absent) if meter.kind == SupplyType::Electricity => {}
        _ => is_known = false,
    });
    is_known.then_some(read)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn fires(kind: &str, readings: &Value, end: (&str, Value)) -> bool {
        let registers = json!([{"register_id": "E1"}, {"register_id": "E2"}]);
        let body = json!({"registers": registers, "transfer_readings": readings, (end.0): end.1});
        let found = found("MTR-12", meter(kind, body));
        let expected = ["transfer_readings missing_transfer_reading_for_register (warning)"];
        assert!(found.is_empty() || found == expected, "{found:?}");
        !found.is_empty()
    }

    #[test]
    fn every_register_has_a_transfer_reading() {
        let (one, two) = (json!({"register_id": "E1"}), json!({"register_id": "E2 "}));
        for (readings, electricity, embedded) in [
            (json!([one, two]), false, false),
            (json!([two, two, one]), false, false),
            (json!([one]), true, true),
            (json!([one, {"register_id": "E3"}]), true, true),
            (json!([]), true, true),
            (json!([one, {}]), true, false),
            (json!([one, {"register_id": 7}]), false, false),
            (json!([one, 7]), false, false),
            (json!(7), false, false),
        ] {
            assert_eq!(
                fires("ELECTRICITY", &readings, ("removed_on", json!(null))),
                electricity,
                "{readings}"
            );
            assert_eq!(
                fires("EMBEDDED_ELECTRICITY", &readings, ("active_to", json!(null))),
                embedded,
                "{readings}"
            );
        }
        assert!(!fires("ELECTRICITY", &json!([]), ("removed_on", json!("2026-01-01"))));
        assert!(!fires("ELECTRICITY", &json!([]), ("removed_on", json!(7))));
        assert!(!fires("EMBEDDED_ELECTRICITY", &json!([]), ("active_to", json!("2026-01-01T00:00Z"))));
    }

    #[test]
    fn silent_if_the_register_list_is_not_known() {
        let check = |body| found("MTR-12", meter("ELECTRICITY", body));
        assert_eq!(check(json!({"registers": [{"register_id": "E1"}]})).len(), 1);
        for registers in [json!([]), json!([{"register_id": "E1"}, {}]), json!([{"register_id": "E1"}, 7])] {
            assert!(check(json!({"registers": registers})).is_empty(), "{registers}");
        }
        assert!(check(json!({})).is_empty());
    }

    #[test]
    fn a_register_has_one_transfer_reading() {
        let line = |i: usize| {
            format!("transfer_readings.{i}.register_id multiple_transfer_readings_for_register (warning)")
        };
        let (one, two) = (json!({"register_id": "E1"}), json!({"register_id": "E2"}));
        let again = json!({"register_id": " E1 "});
        let readings = json!([one, two, again, 7, {}, {}, one]);
        for (kind, end) in [("ELECTRICITY", "removed_on"), ("EMBEDDED_ELECTRICITY", "active_to")] {
            let check = |readings: &Value, at: Value| {
                found("MTR-14", meter(kind, json!({"transfer_readings": readings, (end): at})))
            };
            assert_eq!(check(&readings, json!(null)), [2, 6].map(line));
            assert_eq!(check(&json!([one, two]), json!(null)), [""; 0]);
            assert_eq!(check(&readings, json!("2026-01-01T00:00:00Z")), [""; 0]);
        }
        assert_eq!(found("MTR-14", meter("GAS", json!({"transfer_readings": [one, one]}))), [""; 0]);
    }
}
