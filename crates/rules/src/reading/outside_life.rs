use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{Meter, Reading};
use cutover_core::{Code, Level, RuleId};
use cutover_model::Presence;

/// A reading of a meter that was not in place.
pub(crate) const RDG_02: Rule = Rule {
    id: RuleId("RDG-02"),
    codes: &[Code::ReadingOutsideMeterLife],
    place: "`MP.meters.#.transfer_readings.#.reading_date`, `MP.meters.#.reading_history.#.reading_date`",
    condition: "before the start or after the end of the meter's life",
    level: Level::Warning,
    fixed: false,
    needs: Needs::Payload,
    on: On::Reading(check),
};

/// An end of the life that is absent or faulty is open (rules 5).
fn check(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(date) = reading.reading_date.usable() else { return };
    let is_early = matches!(meter.life.start, Presence::Usable(start) if *date < start);
    let is_late = matches!(meter.life.end, Presence::Usable(end) if *date > end);
    if is_early || is_late {
        checker.report(at.member("reading_date"), Code::ReadingOutsideMeterLife);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, meter};
    use serde_json::{Value, json};

    /// The indexes of the readings of five days that lie outside the life.
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
    fn both_ends_are_included() {
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
    fn the_days_of_datetimes_count_as_written() {
        let life =
            json!({"active_from": "2026-01-10T23:00:00+10:00", "active_to": "2026-01-20T01:00:00+10:00"});
        assert_eq!(outside("EMBEDDED_ELECTRICITY", life.clone()), [0, 4]);
        assert_eq!(outside("EMBEDDED_GAS", json!({"active_from": "2026-01-10T23:00:00+10:00"})), [0]);
        assert_eq!(outside("EMBEDDED_WATER", json!({"installed_on": "2026-01-10"})), [0]);
    }
}
