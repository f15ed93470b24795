use crate::prelude::*;

/// A removed meter without a reading on the day of its removal.
pub(super) const MTR_11: Rule = Rule {
    id: RuleId("MTR-11"),
    codes: &[Code::NoReadingOnRemovedOn],
    place: "`MP.meters.#.reading_history`",
    condition: "removed meter without a reading on the removal day",
    level: Level::Off,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Presence::Usable(removed) = meter.life.end else { return };
    if was_read_on(removed, meter) == Some(false) {
        checker.report(at.member("reading_history"), Code::NoReadingOnRemovedOn);
    }
}

/// Returns whether a reading of either list is of this day, or `None` if faults hide it.
fn was_read_on(day: NaiveDate, meter: &Meter<'_, '_>) -> Option<bool> {
    let (mut was_read, mut is_known) = (false, true);
    for readings in [meter.reading_history, meter.transfer_readings] {
        is_known &= readings.is_free_of_faults();
        readings.each(|_, reading| match reading.reading_date.usable() {
            Some(date) => was_read |= *date == day,
            None => is_known = false,
        });
    }
    (was_read || is_known).then_some(was_read)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_removed_meter_has_a_reading_on_the_removal_day() {
        let missing = ["reading_history no_reading_on_removed_on (warning)"];
        let (last, other) = (json!({"reading_date": "2026-01-01"}), json!({"reading_date": "2026-01-02"}));
        for (body, expected) in [
            (json!({"removed_on": "2026-01-01"}), &missing[..]),
            (json!({"removed_on": "2026-01-01", "reading_history": []}), &missing),
            (json!({"removed_on": "2026-01-01", "reading_history": [other]}), &missing),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, last]}), &[]),
            (json!({"removed_on": "2026-01-01", "transfer_readings": [last]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, 7]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, {}]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": 7}), &[]),
            (json!({"removed_on": "2026-01-01", "transfer_readings": 7}), &[]),
            (json!({"removed_on": "2026-01", "reading_history": []}), &[]),
            (json!({"removed_on": null, "reading_history": []}), &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS"] {
                assert_eq!(found("MTR-11", meter(kind, body.clone())), expected, "{body}");
            }
        }
    }

    #[test]
    fn the_end_of_an_embedded_meter_is_its_removal() {
        let check = |date: &str| {
            let body = json!({"active_to": "2026-01-01T23:30:00+10:00", "reading_history": [{"reading_date": date}]});
            found("MTR-11", meter("EMBEDDED_ELECTRICITY", body))
        };
        assert!(check("2026-01-01").is_empty());
        assert_eq!(check("2026-01-02").len(), 1);
    }
}
