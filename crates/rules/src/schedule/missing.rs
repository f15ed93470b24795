use crate::prelude::*;
use cutover_model::choices::ScheduleFrequency::{self, Annually, Monthly, Quarterly, SixMonthly};

/// A payment schedule without a frequency or a day.
pub(super) const SCH_04: Rule = Rule {
    id: RuleId("SCH-04"),
    codes: &[Code::FixedPaymentScheduleMissingFrequency, Code::FixedPaymentScheduleMissingDayOfMonth],
    place: "`payment_schedules.#.frequency` / `.day_of_month`",
    condition: "absent (day: only where frequency is MONTHLY, QUARTERLY, SIX_MONTHLY or ANNUALLY)",
    level: Level::Warning,
    on: On::Schedule(check),
    ..Rule::OF_PAYLOAD
};

fn check(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if schedule.frequency.is_absent() {
        checker.report(at.member("frequency"), Code::FixedPaymentScheduleMissingFrequency);
    }
    if schedule.frequency.usable().is_some_and(counts_months) && schedule.day_of_month.is_absent() {
        checker.report(at.member("day_of_month"), Code::FixedPaymentScheduleMissingDayOfMonth);
    }
}

fn counts_months(frequency: &ScheduleFrequency) -> bool {
    matches!(frequency, Monthly | Quarterly | SixMonthly | Annually)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(schedule: Value) -> Vec<String> {
        run("SCH-04", json!({"payment_schedules": [schedule]}))
    }

    #[test]
    fn a_missing_frequency_or_day_is_reported() {
        let frequency = "payment_schedules.0.frequency fixed_payment_schedule_missing_frequency (warning)";
        assert_eq!(found(json!({"day_of_month": 1})), [frequency]);
        assert_eq!(found(json!({})), [frequency]);
        let day = "payment_schedules.0.day_of_month fixed_payment_schedule_missing_day_of_month (warning)";
        for often in ["MONTHLY", "QUARTERLY", "SIX_MONTHLY", "ANNUALLY"] {
            assert_eq!(found(json!({"frequency": often})), [day]);
            assert_eq!(found(json!({"frequency": often, "day_of_month": null})), [day]);
            assert_eq!(found(json!({"frequency": often, "day_of_month": "first"})), [""; 0]);
            assert_eq!(found(json!({"frequency": often, "day_of_month": 1})), [""; 0]);
        }
        for often in
            [json!("WEEKLY"), json!("FORTNIGHTLY"), json!("FOUR_WEEKLY"), json!("monthly"), json!(null)]
        {
            assert_eq!(found(json!({"frequency": often})), [""; 0]);
        }
    }
}
