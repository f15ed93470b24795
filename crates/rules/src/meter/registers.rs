use crate::prelude::*;

/// A meter of metered electricity without registers.
pub(super) const MTR_15: Rule = Rule {
    id: RuleId("MTR-15"),
    codes: &[Code::RegistersMissingForActiveElectricityMeter],
    place: "`MP.meters.#.registers`",
    condition: "ELECTRICITY, [on supply](#4-meter-points-and-agreements), meter \
        [in place](#5-meters-registers-readings): absent or empty",
    level: Level::Warning,
    on: On::Meter(missing),
    ..Rule::OF_PAYLOAD
};

/// A register that is billed up to a day on which its meter was not there.
pub(super) const MTR_18: Rule = Rule {
    id: RuleId("MTR-18"),
    codes: &[Code::LastBilledToDateOnNewMeter],
    place: "`MP.meters.#.registers.#.last_billed_to_date`",
    condition: "before the start or after the end of the meter's [life](#5-meters-registers-readings)",
    level: Level::Warning,
    on: On::Meter(outside_life),
    ..Rule::OF_PAYLOAD
};

fn missing(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::Electricity(own) = meter.object else { return };
    let is_active = meter.is_in_place() && meter.point.is_on_supply(checker.today);
    if is_active && is_absent_or_empty(&own.registers) {
        checker.report(at.member("registers"), Code::RegistersMissingForActiveElectricityMeter);
    }
}

fn outside_life(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::Electricity(own) = meter.object else { return };
    items(&own.registers, "registers", at, |register, at| {
        let Some(billed) = register.last_billed_to_date.usable() else { return };
        let is_early = matches!(meter.life.start, Presence::Usable(start) if *billed < start);
        let is_late = matches!(meter.life.end, Presence::Usable(end) if *billed > end);
        if is_early || is_late {
            checker.report(at.member("last_billed_to_date"), Code::LastBilledToDateOnNewMeter);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_electricity_meter_in_place_has_registers() {
        let missing = ["registers registers_missing_for_active_electricity_meter (warning)"];
        for (body, expected) in [
            (json!({}), &missing[..]),
            (json!({"registers": []}), &missing),
            (json!({"registers": [7]}), &[]),
            (json!({"registers": 7}), &[]),
            (json!({"removed_on": "2019-03-14"}), &[]),
            (json!({"removed_on": "2019"}), &[]),
        ] {
            assert_eq!(found("MTR-15", meter("ELECTRICITY", body.clone())), expected, "{body}");
        }
        assert_eq!(found("MTR-15", meter("EMBEDDED_ELECTRICITY", json!({}))), [""; 0]);
        assert_eq!(found("MTR-15", meter("GAS", json!({}))), [""; 0]);
        let ended = json!({"supply_type": "ELECTRICITY", "supply_end_date": "2026-11-21", "meters": [{}]});
        assert_eq!(found("MTR-15", point(ended)), [""; 0]);
    }

    #[test]
    fn a_register_is_billed_while_its_meter_is_there() {
        let line = |i: usize| {
            format!("registers.{i}.last_billed_to_date last_billed_to_date_on_new_meter (warning)")
        };
        let dates = ["2019-03-13", "2019-03-14", "2026-09-30", "2026-10-01", "2026-02-30"];
        let registers: Value = dates.iter().map(|date| json!({"last_billed_to_date": date})).collect();
        let check = |life: Value| {
            let mut body = life;
            body["registers"] = registers.clone();
            found("MTR-18", meter("ELECTRICITY", body))
        };
        assert_eq!(
            check(json!({"installed_on": "2019-03-14", "removed_on": "2026-09-30"})),
            [0, 3].map(line)
        );
        assert_eq!(check(json!({"installed_on": "2019-03-14"})), [line(0)]);
        assert_eq!(check(json!({"installed_on": 7, "removed_on": "2026-09-30"})), [line(3)]);
        assert_eq!(check(json!({})), [""; 0]);
    }
}
