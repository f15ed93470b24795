use crate::prelude::*;

/// A meter that is removed before it is installed.
pub(super) const MTR_01: Rule = Rule {
    id: RuleId("MTR-01"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.removed_on` / `.active_to`",
    condition: "before `installed_on` / `active_from`",
    on: On::Meter(meter),
    ..Rule::OF_PAYLOAD
};

/// A register that ends before it starts.
pub(super) const MTR_02: Rule = Rule {
    id: RuleId("MTR-02"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.registers.#.active_to`",
    condition: "before `active_from`",
    on: On::Meter(registers),
    ..Rule::OF_PAYLOAD
};

/// A connection period that ends before it starts.
pub(super) const MTR_10: Rule = Rule {
    id: RuleId("MTR-10"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.connection_periods.#.end_at`",
    condition: "before `start_at`",
    on: On::Meter(connection_periods),
    ..Rule::OF_PAYLOAD
};

fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let zone = checker.facts.now.zone;
    let reversed = match meter.object {
        MeterObject::Electricity(m) if dates_reversed(&m.installed_on, &m.removed_on) => "removed_on",
        MeterObject::Gas(m) if dates_reversed(&m.installed_on, &m.removed_on) => "removed_on",
        MeterObject::EmbeddedElectricity(m) if datetimes_reversed(&m.active_from, &m.active_to, zone) => {
            "active_to"
        }
        _ => return,
    };
    checker.report(at.member(reversed), Code::StartDateLaterThanEndDate);
}

fn registers(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::EmbeddedElectricity(meter) = meter.object else { return };
    let zone = checker.facts.now.zone;
    for (index, register) in meter.registers.usable().into_iter().flat_map(|list| list.usable()) {
        if datetimes_reversed(&register.active_from, &register.active_to, zone) {
            let register = at.item("registers", index);
            checker.report(register.member("active_to"), Code::StartDateLaterThanEndDate);
        }
    }
}

fn connection_periods(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let MeterObject::EmbeddedWater(meter) = meter.object else { return };
    let zone = checker.facts.now.zone;
    for (index, period) in meter.connection_periods.usable().into_iter().flat_map(|list| list.usable()) {
        if datetimes_reversed(&period.start_at, &period.end_at, zone) {
            let period = at.item("connection_periods", index);
            checker.report(period.member("end_at"), Code::StartDateLaterThanEndDate);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_meter_is_not_removed_before_it_is_installed() {
        let reversed = |member: &str| vec![format!("{member} start_date_later_than_end_date (error)")];
        for kind in ["ELECTRICITY", "GAS"] {
            let check =
                |from, to| found("MTR-01", meter(kind, json!({"installed_on": from, "removed_on": to})));
            assert_eq!(check(json!("2026-01-02"), json!("2026-01-01")), reversed("removed_on"));
            assert!(check(json!("2026-01-01"), json!("2026-01-01")).is_empty());
            assert!(check(json!("2026-01-02"), json!(null)).is_empty());
            assert!(check(json!(null), json!("2026-01-01")).is_empty());
            assert!(check(json!(2026), json!("2026-01-01")).is_empty());
        }
        let embedded = |from, to| {
            found("MTR-01", meter("EMBEDDED_ELECTRICITY", json!({"active_from": from, "active_to": to})))
        };
        assert_eq!(embedded("2026-01-01T12:00:00Z", "2026-01-01T11:59:00Z"), reversed("active_to"));
        assert!(embedded("2026-01-01T12:00:00Z", "2026-01-01T22:00:00+10:00").is_empty());
        assert!(embedded("2026-01-01", "2025-01-01T22:00:00+10:00").is_empty());
    }

    #[test]
    fn a_register_does_not_end_before_it_starts() {
        let registers = json!([
            {"active_from": "2026-01-01T00:00:00Z", "active_to": "2026-01-02T00:00:00Z"},
            7,
            {"active_from": "2026-01-01T00:00:00Z", "active_to": "2025-01-02T00:00:00Z"},
            {"active_from": "2026-01-01T00:00:00Z", "active_to": null},
        ]);
        assert_eq!(
            found("MTR-02", meter("EMBEDDED_ELECTRICITY", json!({"registers": registers}))),
            ["registers.2.active_to start_date_later_than_end_date (error)"]
        );
    }

    #[test]
    fn a_connection_period_does_not_end_before_it_starts() {
        let periods = json!([
            {"start_at": "2026-01-01T00:00:00Z", "end_at": "2025-12-31T23:00:00Z"},
            {"start_at": "2026-01-01T00:00:00Z", "end_at": "2026-01-01T00:00:00"},
            {"start_at": "2026-01-01T00:00:00Z", "end_at": null},
            {"start_at": "2026-01-01", "end_at": "2025-12-31T23:00:00Z"},
            7,
            {"start_at": "2026-01-01T00:00:00Z", "end_at": "2026-01-01T09:00:00+10:00"},
        ]);
        assert_eq!(
            found("MTR-10", meter("EMBEDDED_WATER", json!({"connection_periods": periods}))),
            [
                "connection_periods.0.end_at start_date_later_than_end_date (error)",
                "connection_periods.5.end_at start_date_later_than_end_date (error)",
            ]
        );
    }
}
