use crate::at::At;
use crate::check::Checker;
use crate::form::datetimes_reversed;
use crate::rule::{Needs, On, Rule};
use crate::view::{Meter, Whole};
use cutover_core::{Code, Level, RuleId};

/// A connection period that ends before it starts.
pub(crate) const MTR_10: Rule = Rule {
    id: RuleId("MTR-10"),
    codes: &[Code::StartDateLaterThanEndDate],
    place: "`MP.meters.#.connection_periods.#.end_at`",
    condition: "before `start_at`",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Meter(check),
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Whole::EmbeddedWater(meter) = meter.whole else { return };
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
    use crate::testing::{found, meter};
    use serde_json::json;

    #[test]
    fn a_connection_ends_after_it_starts() {
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
