use crate::at::At;
use crate::check::Checker;
use crate::form::{Folded, Seen};
use crate::rule::{Needs, On, Rule};
use crate::view::MeterPoint;
use cutover_core::{Code, Level, RuleId};
use cutover_model::draft::Variant;
use cutover_model::{Field, List, Text};

/// A serial number given twice at a meter point.
pub(crate) const MTR_03: Rule = Rule {
    id: RuleId("MTR-03"),
    codes: &[Code::DuplicateMeterSerialNumbers],
    place: "`MP.meters.#.meter_serial_number`",
    condition: "same upper-cased value as an earlier meter of the meter point",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::MeterPoint(check),
};

fn check(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
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

#[cfg(test)]
mod tests {
    use crate::testing::{found, point};
    use serde_json::{Value, json};

    #[test]
    fn serial_numbers_differ() {
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
}
