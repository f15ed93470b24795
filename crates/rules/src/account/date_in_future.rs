use crate::prelude::*;

/// A last payment review in the future.
pub(super) const ACC_03: Rule = Rule {
    id: RuleId("ACC-03"),
    codes: &[Code::LastPaymentReviewDateIsFutureDated],
    place: "`last_payment_review_date`",
    condition: "after today",
    on: On::Account(review),
    ..Rule::OF_PAYLOAD
};

/// A date of sale or a last billed date in the future.
pub(super) const ACC_06: Rule = Rule {
    id: RuleId("ACC-06"),
    codes: &[Code::DateInFuture],
    place: "`date_of_sale`, `last_billed_to_date`",
    condition: "after today",
    level: Level::Warning,
    on: On::Account(sale_and_bill),
    ..Rule::OF_PAYLOAD
};

fn review(account: &Account<'_>, checker: &mut Checker<'_>) {
    let code = Code::LastPaymentReviewDateIsFutureDated;
    not_after_today(&account.last_payment_review_date, "last_payment_review_date", code, checker);
}

fn sale_and_bill(account: &Account<'_>, checker: &mut Checker<'_>) {
    not_after_today(&account.date_of_sale, "date_of_sale", Code::DateInFuture, checker);
    not_after_today(&account.last_billed_to_date, "last_billed_to_date", Code::DateInFuture, checker);
}

fn not_after_today(date: &Field<NaiveDate>, name: &'static str, code: Code, checker: &mut Checker<'_>) {
    if date.usable().is_some_and(|date| *date > checker.today) {
        checker.report(At::ROOT.member(name), code);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_date_after_today_is_reported() {
        let review = |date| run("ACC-03", json!({"last_payment_review_date": date}));
        let expected = ["last_payment_review_date last_payment_review_date_is_future_dated (error)"];
        assert_eq!(review(json!("2026-11-22")), expected);
        for date in [json!("2026-11-21"), json!(null), json!("2026-11-31"), json!(2027)] {
            assert_eq!(review(date), [""; 0]);
        }
    }

    #[test]
    fn today_is_the_day_in_the_suppliers_zone() {
        let body = json!({"date_of_sale": "2026-11-22", "last_billed_to_date": "2026-11-23"});
        let sale = "date_of_sale date_in_future (warning)";
        let billed = "last_billed_to_date date_in_future (warning)";
        assert_eq!(run("ACC-06", &body), [sale, billed]);
        let evening = "2026-11-21T14:00:00Z";
        assert_eq!(run_with("ACC-06", &body, facts_at(evening, "Australia/Sydney")), [billed]);
        assert_eq!(run_with("ACC-06", &body, facts_at(evening, "UTC")), [sale, billed]);
        assert_eq!(
            run("ACC-06", json!({"date_of_sale": "soon", "last_billed_to_date": "2026-11-21"})),
            [""; 0]
        );
    }
}
