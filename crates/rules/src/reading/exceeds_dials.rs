use crate::prelude::*;
use cutover_model::Integer;
use rust_decimal::Decimal;

/// A reading with more digits than the meter has dials.
pub(super) const RDG_07: Rule = Rule {
    id: RuleId("RDG-07"),
    codes: &[Code::ReadingValueExceedsDials],
    place: "`MP.meters.#.transfer_readings.#.reading_value`, `MP.meters.#.reading_history.#.reading_value`",
    condition: "more integer digits than dials",
    level: Level::Warning,
    on: On::Reading(check),
    ..Rule::OF_PAYLOAD
};

fn check(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Some(dials), Some(value)) = (dials(reading, meter), reading.reading_value.usable()) else { return };
    let digits = integer_digits(value.value());
    if i64::from(digits) > dials {
        checker.report_as(
            at.member("reading_value"),
            Code::ReadingValueExceedsDials,
            format_args!(
                "The reading has {digits} digits before the point, but the meter has {dials} dials."
            ),
        );
    }
}

/// Returns the number of dials. Metered electricity does not send it.
fn dials(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>) -> Option<i64> {
    let field = match meter.object {
        MeterObject::Electricity(_) => return None,
        MeterObject::Gas(meter) => &meter.number_of_dials_on_device,
        MeterObject::EmbeddedGas(meter) => &meter.number_of_dials,
        MeterObject::EmbeddedWater(meter) => &meter.number_of_dials_on_device,
        MeterObject::EmbeddedElectricity(_) => match reading.source {
            Source::Register(Presence::Usable(id)) => meter.registers.first(id)?.dial_format_digits?,
            _ => return None,
        },
    };
    field.usable().map(Integer::value)
}

/// Counts the digits before the point. Leading zeros do not count, so 0 has none (fields 1.5).
fn integer_digits(value: Decimal) -> u32 {
    let digits = value.mantissa().unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
    digits.saturating_sub(value.scale())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn digits_before_the_point() {
        for (value, digits) in [
            ("0", 0),
            ("0.9", 0),
            ("-0.5", 0),
            ("1", 1),
            ("9.99999", 1),
            ("10.0", 2),
            ("-99999", 5),
            ("100000", 6),
        ] {
            assert_eq!(integer_digits(value.parse().unwrap()), digits, "{value}");
        }
    }

    #[test]
    fn readings_with_more_digits_than_dials_are_reported() {
        for (kind, member) in [
            ("GAS", "number_of_dials_on_device"),
            ("EMBEDDED_GAS", "number_of_dials"),
            ("EMBEDDED_WATER", "number_of_dials_on_device"),
        ] {
            let check = |dials: Value| {
                let readings = ["9999.999", "10000", "-10000.5"].map(|value| json!({"reading_value": value}));
                let history = json!([{"reading_value": "10000"}, {"reading_value": "many"}, {}]);
                let body =
                    json!({(member): dials, "transfer_readings": readings, "reading_history": history});
                found("RDG-07", meter(kind, body))
            };
            assert_eq!(
                check(json!(4)),
                [
                    "reading_history.0.reading_value reading_value_exceeds_dials (warning)",
                    "transfer_readings.1.reading_value reading_value_exceeds_dials (warning)",
                    "transfer_readings.2.reading_value reading_value_exceeds_dials (warning)",
                ],
                "{kind}"
            );
            assert!(check(json!(5)).is_empty());
            assert!(check(json!(null)).is_empty());
            assert!(check(json!("four")).is_empty());
        }
    }

    #[test]
    fn registers_of_embedded_electricity_have_their_own_dials() {
        let registers = json!([
            {"register_id": "E1", "dial_format_digits": 4},
            {"register_id": "E2", "dial_format_digits": 5},
            {"register_id": "E2", "dial_format_digits": 1},
            {"register_id": "E3", "dial_format_digits": -1},
            7,
        ]);
        let reading = |id: Value| json!({"register_id": id, "reading_value": 12345});
        let readings: Value = ["E1", "E2", "E3", "E4", ""].map(|id| reading(json!(id))).into_iter().collect();
        let body = json!({"registers": registers, "reading_history": readings});
        assert_eq!(
            found("RDG-07", meter("EMBEDDED_ELECTRICITY", body.clone())),
            ["reading_history.0.reading_value reading_value_exceeds_dials (warning)"]
        );
        assert!(found("RDG-07", meter("ELECTRICITY", body)).is_empty());
    }
}
