use crate::identity::Identity;
use crate::input::Location;
use chrono::NaiveDate;
use cutover_model::draft::Account;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Fewest accounts with customers among which a frequent date of birth says anything.
const MIN_ACCOUNTS: u64 = 200;
/// Maximum number of dates that are counted. The days since 1900 are fewer; later new dates are left out.
const MAX_DATES: usize = 65_536;
/// Maximum number of account numbers that a finding names.
const EXAMPLES: usize = 3;
/// An account becomes an example if its date is that of more than one in so many accounts until then. Of a date that
/// more than 1 % share in the end, three quarters of the accounts come so late, or all if they are three; of other dates
/// hardly any, so that examples cost neither time nor memory.
const EXAMPLE_OF: u64 = 400;

/// The dates of birth of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AccountBirths {
    has_customers: bool,
    /// Each date once, with the index of the first customer who has it.
    dates: Vec<(NaiveDate, u32)>,
}

impl AccountBirths {
    pub(super) fn of(account: &Account<'_>) -> Self {
        let Some(customers) = account.customers.usable() else { return Self::default() };
        let born =
            customers.usable().filter_map(|(i, customer)| Some((*customer.date_of_birth.usable()?, i)));
        let mut dates: Vec<_> = born.collect();
        dates.sort_unstable();
        dates.dedup_by_key(|(date, _)| *date);
        Self { has_customers: !customers.is_empty(), dates }
    }
}

/// A date of birth that many accounts share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedBirth {
    /// Personal data: shown only with `--show-values`.
    pub(crate) date: NaiveDate,
    /// Accounts with this date.
    pub(crate) accounts: u64,
    /// All accounts with customers.
    pub(crate) of: u64,
    /// One of the first accounts with this date.
    pub(crate) first: FirstBirth,
    /// Numbers of some of the first accounts with this date.
    pub(crate) numbers: Vec<Box<str>>,
}

/// An account with a date of birth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstBirth {
    pub(crate) location: Location,
    pub(crate) identity: Option<Identity>,
    /// Index of the customer.
    pub(crate) customer: u32,
}

#[derive(Debug)]
struct Examples {
    first: FirstBirth,
    numbers: Vec<Box<str>>,
}

/// Number of accounts by date of birth, in about 1 MB.
#[derive(Debug, Default)]
pub(super) struct Births {
    /// Accounts with customers.
    accounts: u64,
    dates: HashMap<NaiveDate, u32>,
    examples: HashMap<NaiveDate, Examples>,
}

impl Births {
    /// Counts the next account.
    pub(super) fn see(&mut self, births: &AccountBirths, identity: Option<&Identity>, location: Location) {
        self.accounts += u64::from(births.has_customers);
        for (date, customer) in &births.dates {
            let count = self.count(*date);
            if count * EXAMPLE_OF > self.accounts.max(MIN_ACCOUNTS) {
                let first = || FirstBirth { location, identity: identity.cloned(), customer: *customer };
                self.add_example(*date, identity, first);
            }
        }
    }

    /// Counts an account with this date; returns how many there are, or 0 if the date is left out.
    fn count(&mut self, date: NaiveDate) -> u64 {
        if let Some(accounts) = self.dates.get_mut(&date) {
            *accounts = accounts.saturating_add(1);
            return u64::from(*accounts);
        }
        let has_room = self.dates.len() < MAX_DATES;
        if has_room {
            self.dates.insert(date, 1);
        }
        u64::from(has_room)
    }

    fn add_example(&mut self, date: NaiveDate, identity: Option<&Identity>, first: impl Fn() -> FirstBirth) {
        let examples =
            self.examples.entry(date).or_insert_with(|| Examples { first: first(), numbers: Vec::new() });
        if examples.numbers.len() < EXAMPLES {
            examples.numbers.extend(identity.and_then(|identity| identity.number.clone()));
        }
    }

    /// Dates that more than 1 % of the accounts share, the most frequent first.
    pub(super) fn shared(&self) -> Vec<SharedBirth> {
        if self.accounts < MIN_ACCOUNTS {
            return Vec::new();
        }
        let counts = self.dates.iter().map(|(date, accounts)| (*date, u64::from(*accounts)));
        let frequent = counts.filter(|(_, accounts)| accounts * 100 > self.accounts);
        let mut shared: Vec<_> =
            frequent.filter_map(|(date, accounts)| self.shared_by(date, accounts)).collect();
        shared.sort_by_key(|one| {
            let Location { source, line } = one.first.location;
            (Reverse(one.accounts), source, line, one.first.customer)
        });
        shared
    }

    fn shared_by(&self, date: NaiveDate, accounts: u64) -> Option<SharedBirth> {
        let Examples { first, numbers } = self.examples.get(&date)?;
        let (first, numbers) = (first.clone(), numbers.clone());
        Some(SharedBirth { date, accounts, of: self.accounts, first, numbers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(1980, 1, 1).unwrap() + chrono::Days::new(n)
    }

    fn births(dates: &[NaiveDate]) -> AccountBirths {
        AccountBirths { has_customers: true, dates: (0..).zip(dates).map(|(i, date)| (*date, i)).collect() }
    }

    /// Accounts of which the first `shared` have one date of birth, and each other one a date of its own.
    fn accounts(all: u32, shared: u32) -> Births {
        let mut seen = Births::default();
        for n in 0..all {
            let date = day(if n < shared { 0 } else { u64::from(n) });
            let identity = Identity { supplier: Some("A".into()), number: Some(format!("N-{n}").into()) };
            seen.see(&births(&[date]), Some(&identity), Location { source: 0, line: n + 1 });
        }
        seen
    }

    #[test]
    fn a_date_of_more_than_one_percent_of_the_accounts_is_shared() {
        for (all, shared, is_shared) in [
            (200, 2, false),
            (200, 3, true),
            (299, 2, false),
            (299, 3, true),
            (300, 3, false),
            (1_000, 11, true),
        ] {
            let found = accounts(all, shared).shared();
            let counts: Vec<_> = found.iter().map(|found| (found.accounts, found.of)).collect();
            let expected = is_shared.then_some((u64::from(shared), u64::from(all)));
            assert_eq!(counts, Vec::from_iter(expected), "{shared} of {all}");
        }
    }

    #[test]
    fn few_accounts_share_nothing() {
        assert_eq!(accounts(199, 199).shared(), []);
        assert_eq!(accounts(200, 200).shared().len(), 1);
        // Accounts without customers do not count.
        let mut seen = accounts(199, 199);
        seen.see(&AccountBirths::default(), None, Location { source: 0, line: 200 });
        assert_eq!(seen.shared(), []);
        // Those with customers do, even if no date is known.
        seen.see(&births(&[]), None, Location { source: 0, line: 201 });
        assert_eq!(seen.shared()[0].of, 200);
    }

    #[test]
    fn the_first_accounts_are_the_examples() {
        let found = accounts(200, 50).shared();
        assert_eq!(found[0].numbers, ["N-0", "N-1", "N-2"].map(Box::from));
        assert_eq!((found[0].date, found[0].first.location.line), (day(0), 1));
    }

    #[test]
    fn a_date_that_becomes_frequent_late_has_examples_and_others_have_none() {
        let mut seen = accounts(9_800, 1);
        for n in 9_800..9_950 {
            let identity = Identity { supplier: None, number: Some(format!("N-{n}").into()) };
            seen.see(&births(&[day(0)]), Some(&identity), Location { source: 0, line: n + 1 });
        }
        let found = seen.shared();
        assert_eq!((found.len(), found[0].accounts, found[0].numbers.len()), (1, 151, 3));
        assert!(seen.examples.len() <= 400, "{}", seen.examples.len());
    }

    #[test]
    fn the_most_frequent_date_is_the_first() {
        let mut seen = accounts(200, 50);
        let (twice, other) = (births(&[day(0), day(190)]), births(&[day(190), day(199)]));
        for line in 201..=300 {
            seen.see(&twice, None, Location { source: 0, line });
            seen.see(&other, None, Location { source: 0, line });
        }
        let found: Vec<_> = seen.shared().iter().map(|found| (found.date, found.accounts)).collect();
        assert_eq!(found, [(day(190), 201), (day(0), 150), (day(199), 101)]);
    }

    #[test]
    fn dates_do_not_fill_the_memory() {
        let mut seen = Births::default();
        for n in 0..MAX_DATES as u64 + 10 {
            seen.see(&births(&[day(n)]), None, Location { source: 0, line: 1 });
        }
        assert_eq!((seen.dates.len(), seen.accounts), (MAX_DATES, MAX_DATES as u64 + 10));
    }
}
