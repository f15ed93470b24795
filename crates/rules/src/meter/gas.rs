use crate::prelude::*;

/// A gas meter in place without members that the market needs.
pub(super) const MTR_19: Rule = Rule {
    id: RuleId("MTR-19"),
    codes: &[Code::Required],
    place: "`MP.meters.#.meter_status`, `.meter_position`, `.supply_point_code`, `.supply_point_id`",
    condition: "GAS, [on supply](#4-meter-points-and-agreements), meter [in place](#5-meters-registers-readings): absent",
    level: Level::Warning,
    on: On::Meter(required),
    ..Rule::OF_PAYLOAD
};

/// A planned reading of a day that has passed.
pub(super) const MTR_20: Rule = Rule {
    id: RuleId("MTR-20"),
    codes: &[Code::DateInPast],
    place: "`MP.meters.#.next_scheduled_read_date` (GAS)",
    condition: "before today",
    level: Level::Warning,
    on: On::Meter(planned_in_past),
    ..Rule::OF_PAYLOAD
};

fn required(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::Gas(own) = meter.object else { return };
    if !meter.is_in_place() || !meter.point.is_on_supply(checker.today) {
        return;
    }
    for (is_absent, name) in [
        (own.meter_status.is_absent(), "meter_status"),
        (own.meter_position.is_absent(), "meter_position"),
        (own.supply_point_code.is_absent(), "supply_point_code"),
        (own.supply_point_id.is_absent(), "supply_point_id"),
    ] {
        if is_absent {
            checker.report(at.member(name), Code::Required);
        }
    }
}

fn planned_in_past(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::Gas(own) = meter.object else { return };
    if own.next_scheduled_read_date.usable().is_some_and(|date| *date < checker.today) {
        checker.report(at.member("next_scheduled_read_date"), Code::DateInPast);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    const REQUIRED: [&str; 4] = ["meter_position", "meter_status", "supply_point_code", "supply_point_id"];

    #[test]
    fn a_gas_meter_in_place_has_status_position_and_supply_point() {
        let lines = REQUIRED.map(|name| format!("{name} required (warning)"));
        assert_eq!(found("MTR-19", meter("GAS", json!({}))), lines);
        let complete = json!({
            "meter_status": "Turned on", "meter_position": "FL", "supply_point_code": "Basic", "supply_point_id": "1",
        });
        assert_eq!(found("MTR-19", meter("GAS", complete.clone())), [""; 0]);
        for (name, line) in REQUIRED.into_iter().zip(&lines) {
            for (value, expected) in [(json!(null), Some(line.clone())), (json!(7), None)] {
                let mut body = complete.clone();
                body[name] = value;
                assert_eq!(found("MTR-19", meter("GAS", body.clone())), Vec::from_iter(expected), "{body}");
            }
        }
        assert_eq!(found("MTR-19", meter("GAS", json!({"removed_on": "2019-03-14"}))), [""; 0]);
        assert_eq!(found("MTR-19", meter("EMBEDDED_GAS", json!({}))), [""; 0]);
        let ended = json!({"supply_type": "GAS", "supply_end_date": "2026-11-21", "meters": [{}]});
        assert_eq!(found("MTR-19", point(ended)), [""; 0]);
    }

    #[test]
    fn the_next_reading_is_not_in_the_past() {
        let past = ["next_scheduled_read_date date_in_past (warning)"];
        let check = |date: Value| found("MTR-20", meter("GAS", json!({"next_scheduled_read_date": date})));
        assert_eq!(check(json!("2026-11-20")), past);
        for date in [json!("2026-11-21"), json!(null), json!("2026-11-31")] {
            assert_eq!(check(date), [""; 0]);
        }
    }
}
