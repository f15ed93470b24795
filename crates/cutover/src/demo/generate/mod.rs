//! Accounts as a supplier would send them: made up, seeded, valid by the rules on a given day; some
//! with one fault each, which is known beforehand.

mod dice;
mod fault;
mod money;
mod people;
mod supply;

pub(crate) use fault::Fault;

use chrono::{Days, NaiveDate};
use dice::Dice;
use serde_json::{Value, json};

/// One account in so many of a hundred is faulty.
const FAULTY_PERCENT: i64 = 5;

/// An account to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Generated {
    pub(crate) number: String,
    pub(crate) payload: Value,
    /// What is wrong with it, if anything.
    pub(crate) fault: Option<Fault>,
}

/// Makes accounts of one supplier.
pub(crate) struct Generator {
    dice: Dice,
    supplier: String,
    today: NaiveDate,
    made: u32,
}

/// The days that an account's dates hang on.
#[derive(Debug, Clone, Copy)]
struct Calendar {
    today: NaiveDate,
    supply_start: NaiveDate,
    last_billed: NaiveDate,
}

impl Generator {
    /// The accounts of a seed; their dates are relative to the day.
    pub(crate) fn new(seed: u64, supplier: &str, today: NaiveDate) -> Self {
        Self { dice: Dice::new(seed), supplier: supplier.to_owned(), today, made: 0 }
    }

    /// The next account; about one in twenty is faulty.
    pub(crate) fn account(&mut self) -> Generated {
        let mut account = self.valid();
        if self.dice.percent(FAULTY_PERCENT) {
            account.fault = Some(Fault::put_into(&mut account.payload, self.today, &mut self.dice));
        }
        account
    }

    /// The next account, without a fault.
    pub(crate) fn valid(&mut self) -> Generated {
        self.made += 1;
        let number = format!("C-{:06}", self.made);
        let dice = &mut self.dice;
        let last_billed = ago(self.today, dice.number(20, 80));
        let days = Calendar {
            today: self.today,
            supply_start: ago(last_billed, dice.number(200, 1_200)),
            last_billed,
        };
        let place = people::place(dice);
        let address = people::address(dice, &place);
        let ledger = money::ledger(dice, &days, self.made);
        let mut account = json!({
            "import_supplier": self.supplier,
            "external_account_number": number,
            "communication_preference": "ONLINE",
            "customers": people::customers(dice, &days, &place, &address),
            "sales_channel": dice.pick(&["DIRECT", "PRICE_COMPARISON", "TELESALES", "MOVE_IN"]),
            "date_of_sale": ago(days.supply_start, dice.number(3, 30)),
            "supply_addresses": [supply::entry(dice, &days, &place, &address)],
            "transfer_balance": ledger["ledger_balance"],
            "ledgers": [ledger],
            "last_billed_to_date": days.last_billed,
            "statements": money::statements(dice, &days, self.made),
            "notes": people::notes(dice, &days),
        });
        money::pay_by(dice, &days, &people::holder(&account), &mut account);
        Generated { number, payload: account, fault: None }
    }
}

/// The day so many days before another.
fn ago(day: NaiveDate, days: i64) -> NaiveDate {
    day.checked_sub_days(Days::new(days.unsigned_abs())).unwrap_or(day)
}

/// The day so many days after another.
fn after(day: NaiveDate, days: i64) -> NaiveDate {
    day.checked_add_days(Days::new(days.unsigned_abs())).unwrap_or(day)
}

/// Cents as decimal text: exact, with two places.
fn money_text(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

#[cfg(test)]
mod tests;
