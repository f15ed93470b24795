use crate::prelude::*;

/// A day of the month outside 1 to 31.
pub(super) const SCH_02: Rule = Rule {
    id: RuleId("SCH-02"),
    codes: &[Code::InvalidPaymentDayForPaymentSchedule],
    place: "`payment_schedules.#.day_of_month`",
    condition: "outside 1–31",
    on: On::Schedule(check),
    ..Rule::OF_PAYLOAD
};

fn check(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if schedule.day_of_month.usable().is_some_and(|day| !(1..=31).contains(&day.value())) {
        checker.report(at.member("day_of_month"), Code::InvalidPaymentDayForPaymentSchedule);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn days_outside_1_to_31_are_reported() {
        let found = |day| run("SCH-02", json!({"payment_schedules": [{"day_of_month": day}]}));
        let expected = ["payment_schedules.0.day_of_month invalid_payment_day_for_payment_schedule (error)"];
        for day in [json!(0), json!(32), json!(-1), json!("32"), json!(999_999_999_999_999_999_i64)] {
            assert_eq!(found(day), expected);
        }
        for day in [json!(1), json!(31), json!("31"), json!(null), json!(0.5), json!("0x")] {
            assert_eq!(found(day), [""; 0]);
        }
        assert_eq!(run("SCH-02", json!({"payment_schedules": [{}]})), [""; 0]);
    }
}
