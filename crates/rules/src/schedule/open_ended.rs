use crate::prelude::*;

/// A second open-ended payment schedule.
pub(super) const SCH_03: Rule = Rule {
    id: RuleId("SCH-03"),
    codes: &[Code::MultipleOpenEndedPaymentSchedules],
    place: "`payment_schedules.#`",
    condition: "not a debt repayment plan (false or absent), and an earlier one is not either; \
                a schedule whose mark is faulty is left out",
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(schedules) = account.payment_schedules.usable() else { return };
    let open_ended = schedules.usable().filter(|(_, schedule)| {
        matches!(schedule.is_debt_repayment_plan.presence(), Presence::Absent | Presence::Usable(false))
    });
    for (index, _) in open_ended.skip(1) {
        checker.report(At::ROOT.item("payment_schedules", index), Code::MultipleOpenEndedPaymentSchedules);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_second_open_ended_schedule_is_reported() {
        let open = json!({"is_debt_repayment_plan": false});
        let plan = json!({"is_debt_repayment_plan": true});
        let faulty = json!({"is_debt_repayment_plan": "no"});
        let cases = [
            (json!([open, {}, plan, open]), vec![1, 3]),
            (json!([plan, open, plan]), vec![]),
            (json!([faulty, open, faulty, null]), vec![]),
            (json!([null, open, {}]), vec![2]),
            (json!({}), vec![]),
        ];
        for (schedules, indexes) in cases {
            let line = |i| format!("payment_schedules.{i} multiple_open_ended_payment_schedules (error)");
            let expected: Vec<_> = indexes.into_iter().map(line).collect();
            assert_eq!(run("SCH-03", json!({"payment_schedules": schedules})), expected);
        }
    }
}
