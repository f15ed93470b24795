use crate::at::At;
use crate::check::Checker;
use crate::form::dates_reversed;
use crate::rule::{Needs, On, Rule};
use crate::view::{Meter, Reading};
use cutover_core::{Code, Level, RuleId};

/// A previous reading that was taken later.
pub(crate) const RDG_03: Rule = Rule {
    id: RuleId("RDG-03"),
    codes: &[Code::PreviousReadingAfterReading],
    place: "`MP.meters.#.transfer_readings.#.prev_reading_date`, `MP.meters.#.reading_history.#.prev_reading_date`",
    condition: "after `reading_date`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Reading(check),
};

fn check(reading: &Reading<'_, '_>, _: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reading.prev_reading_date.is_some_and(|previous| dates_reversed(previous, reading.reading_date)) {
        checker.report(at.member("prev_reading_date"), Code::PreviousReadingAfterReading);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, meter};
    use serde_json::json;

    #[test]
    fn previous_readings_come_before() {
        let reading = |previous, date| json!({"prev_reading_date": previous, "reading_date": date});
        let readings = json!([
            reading(json!("2026-01-02"), json!("2026-01-01")),
            reading(json!("2026-01-01"), json!("2026-01-01")),
            reading(json!(null), json!("2026-01-01")),
            reading(json!("2026-01-02"), json!(null)),
            reading(json!("2026-13-01"), json!("2026-01-01")),
        ]);
        let body = json!({"transfer_readings": readings, "reading_history": readings});
        assert_eq!(
            found("RDG-03", meter("GAS", body.clone())),
            [
                "reading_history.0.prev_reading_date previous_reading_after_reading (error)",
                "transfer_readings.0.prev_reading_date previous_reading_after_reading (error)",
            ]
        );
        assert!(found("RDG-03", meter("EMBEDDED_GAS", body)).is_empty());
    }
}
