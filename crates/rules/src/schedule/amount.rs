use crate::prelude::*;

/// A payment schedule with an amount of 0.
pub(super) const SCH_01: Rule = Rule {
    id: RuleId("SCH-01"),
    codes: &[Code::ZeroPaymentScheduleAmount],
    place: "`payment_schedules.#.amount`",
    condition: "given and 0",
    on: On::Schedule(check),
    ..Rule::OF_PAYLOAD
};

/// A payment schedule without an amount, which counts as 0.
pub(super) const SCH_06: Rule = Rule {
    id: RuleId("SCH-06"),
    codes: &[Code::ZeroPaymentScheduleAmount],
    place: "`payment_schedules.#.amount`",
    condition: "absent",
    level: Level::Warning,
    on: On::Schedule(missing),
    ..Rule::OF_PAYLOAD
};

fn missing(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if schedule.amount.is_absent() {
        checker.report(at.member("amount"), Code::ZeroPaymentScheduleAmount);
    }
}

fn check(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if schedule.amount.usable().is_some_and(|amount| amount.value().is_zero()) {
        checker.report(at.member("amount"), Code::ZeroPaymentScheduleAmount);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_amount_of_0_is_reported() {
        let found =
            |amount: &str| run("SCH-01", format!(r#"{{"payment_schedules": [{{"amount": {amount}}}]}}"#));
        for amount in ["0", "0.00", "\"0.0\"", "-0", "0e3"] {
            assert_eq!(found(amount), ["payment_schedules.0.amount zero_payment_schedule_amount (error)"]);
        }
        for amount in ["0.01", "\"10.10\"", "-1", "null", "\"\"", "0.001"] {
            assert_eq!(found(amount), [""; 0], "{amount}");
        }
        assert_eq!(run("SCH-01", r#"{"payment_schedules": [{}]}"#), [""; 0]);
    }

    #[test]
    fn a_missing_amount_is_reported() {
        let schedules = json!([{}, {"amount": 0}, {"amount": "x"}, {"amount": 10}, 7]);
        assert_eq!(
            run("SCH-06", json!({"payment_schedules": schedules})),
            ["payment_schedules.0.amount zero_payment_schedule_amount (warning)"]
        );
    }
}
