use super::{Dice, after, money_text};
use chrono::NaiveDate;
use serde_json::{Value, json};

/// What is wrong with a generated account: exactly one error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where the service finds it.
    pub(crate) attr: &'static str,
    /// What it calls it.
    pub(crate) code: &'static str,
}

/// A way to spoil an account.
struct Spoiler {
    fault: Fault,
    spoil: fn(&mut Value, NaiveDate),
}

const fn spoiler(attr: &'static str, code: &'static str, spoil: fn(&mut Value, NaiveDate)) -> Spoiler {
    Spoiler { fault: Fault { attr, code }, spoil }
}

static SPOILERS: &[Spoiler] = &[
    spoiler("customers.0.mobile", "invalid_phone_number", |a, _| {
        a["customers"][0]["mobile"] = json!("0612345678");
    }),
    spoiler("customers.0.email", "invalid_email", |a, _| {
        a["customers"][0]["email"] = json!("no at sign");
    }),
    spoiler("customers.0.date_of_birth", "date_in_future", |a, today| {
        a["customers"][0]["date_of_birth"] = json!(after(today, 1));
    }),
    spoiler("supply_addresses.0.supply_address.postal_code", "invalid_postcode", |a, _| {
        a["supply_addresses"][0]["supply_address"]["postal_code"] = json!("31A1");
    }),
    spoiler("supply_addresses.0.meter_points.0.supply_start_date", "required", |a, _| {
        remove(&mut a["supply_addresses"][0]["meter_points"][0], "supply_start_date");
    }),
    spoiler(
        "supply_addresses.0.meter_points.0.meters.0.transfer_readings.0.reading_date",
        "reading_in_future",
        |a, today| {
            let meter = &mut a["supply_addresses"][0]["meter_points"][0]["meters"][0];
            meter["transfer_readings"][0]["reading_date"] = json!(after(today, 1));
        },
    ),
    spoiler(
        "supply_addresses.0.meter_points.0.meters.0.transfer_readings.0.reading_value",
        "invalid",
        |a, _| {
            let meter = &mut a["supply_addresses"][0]["meter_points"][0]["meters"][0];
            meter["transfer_readings"][0]["reading_value"] = json!("12,5");
        },
    ),
    spoiler("ledgers.0.ledger_balance", "balance_mismatch_on_ledger_balance", |a, _| {
        let off = json!(money_text(99_999_900));
        a["ledgers"][0]["ledger_balance"] = off.clone();
        a["transfer_balance"] = off;
    }),
    spoiler("transfer_balance", "ledger_balances_not_equal_to_transfer_balance", |a, _| {
        a["transfer_balance"] = json!(money_text(99_999_900));
    }),
    spoiler("ledgers.0.historical_statement_transactions.0.type", "invalid_choice", |a, _| {
        a["ledgers"][0]["historical_statement_transactions"][0]["type"] = json!("BILL");
    }),
    spoiler("statements.0.statement_path", "invalid_document_path", |a, _| {
        a["statements"][0]["statement_path"] = json!("../../etc/passwd");
    }),
    spoiler("custmers", "unknown_field", |a, _| a["custmers"] = json!([])),
];

impl Fault {
    /// Spoils a valid account in one way.
    pub(super) fn put_into(account: &mut Value, today: NaiveDate, dice: &mut Dice) -> Self {
        // The first kinds are the common ones, as in life.
        let most = dice.number(0, SPOILERS.len() as i64 - 1);
        let spoiler = &SPOILERS[dice.number(0, most) as usize];
        (spoiler.spoil)(account, today);
        spoiler.fault.clone()
    }
}

fn remove(object: &mut Value, member: &str) {
    if let Some(members) = object.as_object_mut() {
        members.remove(member);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every kind of fault, one after another, put into an account.
    pub(crate) fn each(mut account: impl FnMut() -> Value, today: NaiveDate) -> Vec<(Fault, Value)> {
        let spoiled = |spoiler: &Spoiler| {
            let mut account = account();
            (spoiler.spoil)(&mut account, today);
            (spoiler.fault.clone(), account)
        };
        SPOILERS.iter().map(spoiled).collect()
    }
}
