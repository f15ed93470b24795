use chrono::NaiveDate;

/// The open statement period of a ledger: the days of its next statement (contract D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenPeriod {
    /// The first day; `None` if the period has no start.
    from: Option<NaiveDate>,
    /// The last day: today.
    to: NaiveDate,
}

impl OpenPeriod {
    /// Returns the period from the day after the last closing, or else from the earliest start of supply.
    pub(super) fn new(
        last_closing: Option<NaiveDate>,
        supply_start: Option<NaiveDate>,
        today: NaiveDate,
    ) -> Self {
        let from = match last_closing {
            // The last date has no successor: the period is empty, as for a date in the future.
            Some(day) => Some(day.succ_opt().unwrap_or(NaiveDate::MAX)),
            None => supply_start,
        };
        Self { from, to: today }
    }

    /// Returns true if the period contains the day.
    pub(super) fn contains(&self, day: NaiveDate) -> bool {
        self.from.is_none_or(|from| from <= day) && day <= self.to
    }

    /// Returns the nearest day of the period, or today if it is empty.
    pub(super) fn nearest(&self, day: NaiveDate) -> NaiveDate {
        match self.from {
            Some(from) if from <= self.to => day.clamp(from, self.to),
            Some(_) => self.to,
            None => day.min(self.to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_period_runs_from_the_last_closing_to_today() {
        let period = OpenPeriod::new(Some(day("2026-06-30")), Some(day("2020-01-01")), day("2026-11-21"));
        for (date, inside, nearest) in [
            ("2026-06-30", false, "2026-07-01"),
            ("2026-07-01", true, "2026-07-01"),
            ("2026-11-21", true, "2026-11-21"),
            ("2026-11-22", false, "2026-11-21"),
            ("0001-01-01", false, "2026-07-01"),
        ] {
            assert_eq!(period.contains(day(date)), inside, "{date}");
            assert_eq!(period.nearest(day(date)), day(nearest), "{date}");
        }
    }

    #[test]
    fn without_a_closing_a_period_begins_with_supply_or_has_no_start() {
        let supplied = OpenPeriod::new(None, Some(day("2020-01-01")), day("2026-11-21"));
        assert!(!supplied.contains(day("2019-12-31")) && supplied.contains(day("2020-01-01")));
        let unbounded = OpenPeriod::new(None, None, day("2026-11-21"));
        assert!(unbounded.contains(day("0001-01-01")) && !unbounded.contains(day("2026-11-22")));
        assert_eq!(unbounded.nearest(day("2027-01-01")), day("2026-11-21"));
    }

    #[test]
    fn the_nearest_day_of_an_empty_period_is_today() {
        for closing in ["2026-11-21", "2027-01-01", "9999-12-31"] {
            let period = OpenPeriod::new(Some(day(closing)), None, day("2026-11-21"));
            assert!(!period.contains(day("2026-11-21")), "{closing}");
            assert_eq!(period.nearest(day("2026-01-01")), day("2026-11-21"), "{closing}");
        }
    }

    fn any_day() -> impl Strategy<Value = NaiveDate> {
        (0_i32..20_000).prop_map(|n| NaiveDate::from_num_days_from_ce_opt(720_000 + n).unwrap())
    }

    proptest! {
        #[test]
        fn the_nearest_day_lies_inside_and_days_inside_stay(
            closing in proptest::option::of(any_day()),
            start in proptest::option::of(any_day()),
            today in any_day(),
            date in any_day(),
        ) {
            let period = OpenPeriod::new(closing, start, today);
            let nearest = period.nearest(date);
            prop_assert_eq!(period.contains(date), nearest == date && period.contains(nearest));
            prop_assert!(period.contains(nearest) || nearest == today);
        }
    }
}
