use crate::prelude::*;
use cutover_model::RuleValues;

/// A day of the month on which no payment can be made.
pub(super) const SCH_02: Rule = Rule {
    id: RuleId("SCH-02"),
    codes: &[Code::InvalidPaymentDayForPaymentSchedule],
    place: "`payment_schedules.#.day_of_month`",
    condition: "outside the days of the supplier, 1–31 by default",
    on: On::Schedule(check),
    ..Rule::OF_PAYLOAD
};

fn check(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let RuleValues { first_payment_day, last_payment_day, .. } = checker.values;
    let days = first_payment_day.unwrap_or(1).into()..=last_payment_day.unwrap_or(31).into();
    if schedule.day_of_month.usable().is_some_and(|day| !days.contains(&day.value())) {
        checker.report(at.member("day_of_month"), Code::InvalidPaymentDayForPaymentSchedule);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use cutover_model::RuleValues;

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

    #[test]
    fn a_supplier_has_days_of_its_own() {
        let found = |day: i64| {
            let values = RuleValues {
                first_payment_day: Some(5),
                last_payment_day: Some(28),
                ..RuleValues::default()
            };
            run_with_values("SCH-02", json!({"payment_schedules": [{"day_of_month": day}]}), values).len()
        };
        assert_eq!([4, 5, 28, 29].map(found), [1, 0, 0, 1]);
    }
}
