use crate::at::At;
use crate::check::Checker;
use crate::rule::{Needs, On, Rule};
use crate::view::{Meter, Reading};
use cutover_core::{Code, Level, RuleId};

/// A reading of a day to come.
pub(crate) const RDG_01: Rule = Rule {
    id: RuleId("RDG-01"),
    codes: &[Code::ReadingInFuture],
    place: "`MP.meters.#.transfer_readings.#.reading_date`, `MP.meters.#.reading_history.#.reading_date`",
    condition: "after today",
    level: Level::Error,
    fixed: false,
    needs: Needs::Payload,
    on: On::Reading(check),
};

fn check(reading: &Reading<'_, '_>, _: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reading.reading_date.usable().is_some_and(|date| *date > checker.today) {
        checker.report(at.member("reading_date"), Code::ReadingInFuture);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{facts_at, found, meter, of_with};
    use serde_json::json;

    #[test]
    fn readings_are_of_the_past() {
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
    fn today_is_that_of_the_supplier() {
        let body = meter("GAS", json!({"transfer_readings": [{"reading_date": "2026-11-22"}]}));
        assert_eq!(of_with("RDG-01", &body, facts_at("2026-11-21T14:00:00Z", "Australia/Sydney")).len(), 0);
        assert_eq!(of_with("RDG-01", &body, facts_at("2026-11-21T14:00:00Z", "UTC")).len(), 1);
    }
}
