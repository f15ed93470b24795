//! Accounts made from the project's own fixtures.

use crate::error::Error;
use crate::program;
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

/// Maximum number of readings of a meter: the limit of an array in a request.
const A_METER: usize = 10_000;

/// Reads a valid account by its name.
pub(crate) fn fixture(name: &str) -> Result<Value, Error> {
    let file = program::root().join(format!("fixtures/accounts/valid/{name}.json"));
    crate::record::read(&file)
}

/// An electricity account with so many readings in the history of its meters, and none else: one on a day, as
/// far as the days of the meter go.
pub(crate) fn with_readings(count: usize) -> Result<Value, Error> {
    let mut account = fixture("electricity")?;
    let place = "/supply_addresses/0/meter_points/0/meters";
    let meters = account.pointer_mut(place).and_then(Value::as_array_mut);
    let missing = || Error::Bench(format!("the fixture has no {place}"));
    let meters = meters.ok_or_else(missing)?;
    let meter = meters.first().cloned().ok_or_else(missing)?;
    *meters = (0..count.div_ceil(A_METER).max(1))
        .map(|n| {
            let mut meter = meter.clone();
            meter["meter_serial_number"] = json!(format!("LGX{n:07}"));
            meter["reading_history"] = history(A_METER.min(count - n * A_METER));
            meter
        })
        .collect();
    Ok(account)
}

/// Readings of the register E1 that rise from the day the meter came to the day it was billed last.
fn history(count: usize) -> Value {
    const FIRST: NaiveDate = NaiveDate::from_ymd_opt(2019, 3, 14).expect("a day");
    const DAYS: usize = 2_757;
    let reading = |n: usize| {
        let day = FIRST + Days::new((n * DAYS / count) as u64);
        json!({
            "register_id": "E1",
            "reading_date": day.to_string(),
            "reading_value": format!("{}.125", 1_000 + n),
            "reading_type": "ROUTINE",
            "billed": true,
        })
    };
    (0..count).map(reading).collect()
}

/// The account under another number, with a meter point of its own.
pub(crate) fn numbered(mut account: Value, n: usize) -> Value {
    account["external_account_number"] = json!(format!("N-{n:08}"));
    if let Some(mpxn) = account.pointer_mut("/supply_addresses/0/meter_points/0/mpxn") {
        // Of ten characters, without a check digit.
        *mpxn = json!(format!("61{n:08}"));
    }
    account
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Now;
    use cutover_model::{Zone, decode_account};
    use cutover_rules::{Facts, Profile, check_account};

    #[test]
    fn accounts_of_any_size_are_valid() {
        let instant = "2026-11-21T02:00:00Z".parse().unwrap();
        let facts = Facts { supplier_known: Some(true), ..Facts::at(Now::new(instant, Zone::UTC)) };
        for count in [0, 1, 40, 3_000, 25_000] {
            let account = numbered(with_readings(count).unwrap(), count);
            let body = account.to_string();
            let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
            let report = check_account(&decoded, facts, &Profile::default());
            assert_eq!((report.errors, report.warnings), (vec![], vec![]), "{count}");
            assert_eq!(body.matches("\"billed\"").count(), count);
        }
    }
}
