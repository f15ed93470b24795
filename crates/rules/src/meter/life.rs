use crate::at::At;
use crate::check::Checker;
use crate::form::{dates_reversed, datetimes_reversed};
use crate::rule::{Needs, On, Rule};
use crate::view::{Meter, Whole};
use cutover_core::{Code, Level, RuleId};

/// A meter that goes before it comes.
pub(crate) const MTR_01: Rule = Rule {
    id: RuleId("MTR-01"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.removed_on` / `.active_to`",
    condition: "before `installed_on` / `active_from`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Meter(meter),
};

/// A register that goes before it comes.
pub(crate) const MTR_02: Rule = Rule {
    id: RuleId("MTR-02"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.registers.#.active_to`",
    condition: "before `active_from`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Meter(registers),
};

fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let zone = checker.facts.now.zone;
    let reversed = match meter.whole {
        Whole::Electricity(m) if dates_reversed(&m.installed_on, &m.removed_on) => "removed_on",
        Whole::Gas(m) if dates_reversed(&m.installed_on, &m.removed_on) => "removed_on",
        Whole::EmbeddedElectricity(m) if datetimes_reversed(&m.active_from, &m.active_to, zone) => {
            "active_to"
        }
        _ => return,
    };
    checker.report(at.member(reversed), Code::StartDateLaterThanEndDate);
}

fn registers(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Whole::EmbeddedElectricity(meter) = meter.whole else { return };
    let zone = checker.facts.now.zone;
    for (index, register) in meter.registers.usable().into_iter().flat_map(|list| list.usable()) {
        if datetimes_reversed(&register.active_from, &register.active_to, zone) {
            let register = at.item("registers", index);
            checker.report(register.member("active_to"), Code::StartDateLaterThanEndDate);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, meter};
    use serde_json::json;

    #[test]
    fn a_meter_goes_after_it_comes() {
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
    fn a_register_goes_after_it_comes() {
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
}
