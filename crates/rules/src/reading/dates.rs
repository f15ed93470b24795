use crate::prelude::*;

/// A reading in the future.
pub(super) const RDG_01: Rule = Rule {
    id: RuleId("RDG-01"),
    codes: &[Code::ReadingInFuture],
    place: "`MP.meters.#.transfer_readings.#.reading_date`, `MP.meters.#.reading_history.#.reading_date`",
    condition: "after today",
    on: On::Reading(in_future),
    ..Rule::OF_PAYLOAD
};

/// A reading outside the life of its meter.
pub(super) const RDG_02: Rule = Rule {
    id: RuleId("RDG-02"),
    codes: &[Code::ReadingOutsideMeterLife],
    place: "`MP.meters.#.transfer_readings.#.reading_date`, `MP.meters.#.reading_history.#.reading_date`",
    condition: "before the start or after the end of the meter's [life](#5-meters-registers-readings)",
    level: Level::Warning,
    on: On::Reading(outside_life),
    ..Rule::OF_PAYLOAD
};

/// A previous reading dated after the reading.
pub(super) const RDG_03: Rule = Rule {
    id: RuleId("RDG-03"),
    codes: &[Code::PreviousReadingAfterReading],
    place: "`MP.meters.#.transfer_readings.#.prev_reading_date`, `MP.meters.#.reading_history.#.prev_reading_date`",
    condition: "after `reading_date`",
    on: On::Reading(previous),
    ..Rule::OF_PAYLOAD
};

fn in_future(reading: &Reading<'_, '_>, _: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reading.reading_date.usable().is_some_and(|date| *date > checker.today) {
        checker.report(at.member("reading_date"), Code::ReadingInFuture);
    }
}

/// An end of the life that is absent or faulty is open (rules 5).
fn outside_life(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(date) = reading.reading_date.usable() else { return };
    let is_early = matches!(meter.life.start, Presence::Usable(start) if *date < start);
    let is_late = matches!(meter.life.end, Presence::Usable(end) if *date > end);
    if is_early || is_late {
        checker.report(at.member("reading_date"), Code::ReadingOutsideMeterLife);
    }
}

fn previous(reading: &Reading<'_, '_>, _: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reading.prev_reading_date.is_some_and(|previous| dates_reversed(previous, reading.reading_date)) {
        checker.report(at.member("prev_reading_date"), Code::PreviousReadingAfterReading);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn readings_after_today_are_reported() {
        let readings = ["2026-11-21", "2026-11-22", "2026-11-31"].map(|date| json!({"reading_date": date}));
        let body = json!({"transfer_readings": readings, "reading_history": readings});
        for kind in ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"] {
            assert_eq!(
                found("RDG-01", meter(kind, body.clone())),
                [
                    "reading_history.1.reading_date reading_in_future (error)",
                    "transfer_readings.1.reading_date reading_in_future (error)",
                ]
            );
        }
    }

    #[test]
    fn today_is_the_day_in_the_suppliers_zone() {
        let body = meter("GAS", json!({"transfer_readings": [{"reading_date": "2026-11-22"}]}));
        assert_eq!(run_with("RDG-01", &body, facts_at("2026-11-21T14:00:00Z", "Australia/Sydney")).len(), 0);
        assert_eq!(run_with("RDG-01", &body, facts_at("2026-11-21T14:00:00Z", "UTC")).len(), 1);
    }

    /// Returns the indexes of the readings outside the life of the meter.
    fn outside(kind: &str, life: Value) -> Vec<usize> {
        let dates = ["2026-01-09", "2026-01-10", "2026-01-15", "2026-01-20", "2026-01-21", "2026-01"];
        let readings: Value = dates.iter().map(|date| json!({"reading_date": date})).collect();
        let mut body = json!({"reading_history": readings});
        body.as_object_mut().unwrap().extend(life.as_object().unwrap().clone());
        let found = found("RDG-02", meter(kind, body));
        let outside = |i: &usize| {
            let line = format!("reading_history.{i}.reading_date reading_outside_meter_life (warning)");
            found.contains(&line)
        };
        let indexes: Vec<_> = (0..dates.len()).filter(outside).collect();
        assert_eq!(indexes.len(), found.len());
        indexes
    }

    #[test]
    fn both_ends_of_the_life_are_included() {
        for kind in ["ELECTRICITY", "GAS"] {
            let life = |from, to| outside(kind, json!({"installed_on": from, "removed_on": to}));
            assert_eq!(life(json!("2026-01-10"), json!("2026-01-20")), [0, 4]);
            assert_eq!(life(json!("2026-01-10"), json!(null)), [0]);
            assert_eq!(life(json!(null), json!("2026-01-20")), [4]);
            assert_eq!(life(json!("2026-01-10"), json!("2026")), [0]);
            assert_eq!(life(json!(7), json!("2026-01-20")), [4]);
            assert!(life(json!(null), json!(null)).is_empty());
        }
    }

    #[test]
    fn the_day_of_a_datetime_is_its_date_as_written() {
        let life =
            json!({"active_from": "2026-01-10T23:00:00+10:00", "active_to": "2026-01-20T01:00:00+10:00"});
        assert_eq!(outside("EMBEDDED_ELECTRICITY", life.clone()), [0, 4]);
        assert_eq!(outside("EMBEDDED_GAS", json!({"active_from": "2026-01-10T23:00:00+10:00"})), [0]);
        assert_eq!(outside("EMBEDDED_WATER", json!({"installed_on": "2026-01-10"})), [0]);
    }

    #[test]
    fn previous_readings_are_not_dated_later() {
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
