use crate::prelude::*;
use chrono::{Datelike, Months};

/// A date of birth in the future.
pub(super) const CUS_06: Rule = Rule {
    id: RuleId("CUS-06"),
    codes: &[Code::DateInFuture],
    place: "`customers.#.date_of_birth`",
    condition: "after today",
    on: On::Customer(future),
    ..Rule::OF_PAYLOAD
};

/// An implausible date of birth.
pub(super) const CUS_07: Rule = Rule {
    id: RuleId("CUS-07"),
    codes: &[Code::ImplausibleDateOfBirth],
    place: "`customers.#.date_of_birth`",
    condition: "before 1900-01-01, or less than 16 years before today",
    level: Level::Warning,
    on: On::Customer(implausible),
    ..Rule::OF_PAYLOAD
};

const SIXTEEN_YEARS: Months = Months::new(16 * 12);

fn future(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.date_of_birth.usable().is_some_and(|born| *born > checker.today) {
        checker.report(at.member("date_of_birth"), Code::DateInFuture);
    }
}

fn implausible(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(born) = customer.date_of_birth.usable() else { return };
    let latest = checker.today.checked_sub_months(SIXTEEN_YEARS);
    if born.year() < 1900 || latest.is_some_and(|latest| *born > latest) {
        checker.report(at.member("date_of_birth"), Code::ImplausibleDateOfBirth);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn born(date: Value) -> Value {
        json!({"customers": [{"date_of_birth": date}]})
    }

    #[test]
    fn a_date_of_birth_after_today_is_reported() {
        let expected = ["customers.0.date_of_birth date_in_future (error)"];
        assert_eq!(run("CUS-06", born(json!("2026-11-22"))), expected);
        for date in [json!("2026-11-21"), json!(null), json!("2026-02-29"), json!(20300101)] {
            assert_eq!(run("CUS-06", born(date)), [""; 0]);
        }
    }

    #[test]
    fn customers_are_born_after_1899_and_at_least_16() {
        let expected = ["customers.0.date_of_birth implausible_date_of_birth (warning)"];
        for date in ["1899-12-31", "2010-11-22", "2026-11-22"] {
            assert_eq!(run("CUS-07", born(json!(date))), expected, "{date}");
        }
        for date in [json!("1900-01-01"), json!("2010-11-21"), json!(null), json!("1066"), json!("1800-1-1")]
        {
            assert_eq!(run("CUS-07", born(date)), [""; 0]);
        }
    }

    #[test]
    fn a_person_born_on_a_leap_day_is_16_on_a_leap_day() {
        let on = |day: &str| run_with("CUS-07", born(json!("2012-02-29")), facts_at(day, "UTC")).len();
        assert_eq!([on("2028-02-28T12:00:00Z"), on("2028-02-29T12:00:00Z")], [1, 0]);
    }
}
