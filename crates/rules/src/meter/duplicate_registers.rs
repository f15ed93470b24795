use crate::at::At;
use crate::check::Checker;
use crate::form::Seen;
use crate::rule::{Needs, On, Rule};
use crate::view::Meter;
use cutover_core::{Code, Level, RuleId};

/// A register given twice at a meter.
pub(crate) const MTR_04: Rule = Rule {
    id: RuleId("MTR-04"),
    codes: &[Code::MeterWithDuplicateRegisterIds],
    place: "`MP.meters.#.registers.#.register_id`",
    condition: "same as an earlier register of the meter",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Meter(check),
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
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
    use crate::testing::{found, meter};
    use serde_json::json;

    #[test]
    fn registers_differ() {
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
