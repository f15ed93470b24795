//! Accounts to measure with, made from the fixtures: 60 % have electricity, 40 % gas. They are valid, and the same
//! arguments give the same bytes.

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Size of an account: about 3, 18 and 170 KB of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Two readings and no ledger.
    S,
    /// Forty readings, twelve transactions, four statements.
    M,
    /// Seven hundred readings, sixty transactions, twelve statements.
    L,
}

/// Code of the supplier that sends the accounts.
pub const SUPPLIER: &str = "ACME_ENERGY";
/// Placeholder of eight digits that make the numbers of an account and of its meter point unique.
pub const NUMBER: &str = "@@@@@@@@";

/// The fixtures, and the first digits of their meter points.
const FIXTURES: [(&str, &str); 2] = [
    (include_str!("../../../fixtures/accounts/valid/electricity.json"), "61"),
    (include_str!("../../../fixtures/accounts/valid/gas.json"), "53"),
];
/// Members that a small account does not have.
const NOT_SMALL: [&str; 13] = [
    "transfer_balance",
    "ledgers",
    "payment_schedules",
    "notes",
    "statements",
    "events",
    "billing_sub_name",
    "billing_attention_of",
    "billing_customer_reference",
    "payment_instructions",
    "document_accessibility",
    "last_payment_review_date",
    "next_bill_due_date",
];
/// Number of different accounts in a file; more differ only in their numbers.
const DIFFERENT: usize = 200;
/// The first day of supply in the fixtures, or later.
const START: NaiveDate = NaiveDate::from_ymd_opt(2021, 7, 1).expect("a day");
/// Days of a line item of the fixtures.
const PERIOD: u64 = 31;
/// The day until which the fixtures are billed.
const BILLED: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 30).expect("a day");

/// A deterministic source of choices (an xorshift generator).
struct Dice(u64);

impl Dice {
    fn between(&mut self, least: u64, greatest: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        least + (self.0 >> 16) % (greatest - least + 1)
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.between(1, all.len() as u64) as usize - 1]
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| self.between(0, 9).to_string()).collect()
    }
}

/// Returns different accounts with [`NUMBER`] in the place of their numbers.
pub fn templates(size: Size, count: usize) -> Vec<String> {
    values(size, count).map(|account| account.to_string()).collect()
}

/// Returns different accounts with [`NUMBER`] in the place of their numbers. Each fifth has one to three faults, which the
/// peers find as well.
pub fn with_faults(size: Size, count: usize) -> Vec<String> {
    let mut dice = Dice(7);
    let account = |(place, mut account): (usize, Value)| {
        for _ in 0..if place % 5 == 4 { dice.between(1, 3) } else { 0 } {
            match dice.between(0, 4) {
                0 => account["customers"][0]["mobile"] = json!("12"),
                1 => account["date_of_sale"] = json!("2026-13-45"),
                2 => account["colour"] = json!("green"),
                3 => account["last_billed_to_date"] = json!(20_260_930),
                _ => account["supply_addresses"][0]["supply_address"]["postal_code"] = json!([]),
            }
        }
        account.to_string()
    };
    values(size, count).enumerate().map(account).collect()
}

/// Writes accounts with numbers from `first` on into a file, one a line.
///
/// # Errors
/// If the file cannot be written.
pub fn write(file: &Path, size: Size, first: usize, count: usize) -> std::io::Result<()> {
    let templates = templates(size, DIFFERENT.min(count));
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    for (number, template) in (first..first + count).zip(templates.iter().cycle()) {
        writeln!(out, "{}", template.replace(NUMBER, &format!("{number:08}")))?;
    }
    out.flush()
}

fn values(size: Size, count: usize) -> impl Iterator<Item = Value> {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    (0..count).map(move |place| account(size, FIXTURES[usize::from(place % 5 > 2)], &mut dice))
}

fn account(size: Size, (fixture, prefix): (&str, &str), dice: &mut Dice) -> Value {
    let mut account: Value = serde_json::from_str(fixture).unwrap_or_default();
    account["import_supplier"] = json!(SUPPLIER);
    account["external_account_number"] = json!(format!("A-{NUMBER}"));
    account["customers"][0]["email"] = json!(format!("customer{}@inbox.test", dice.digits(5)));
    account["customers"][0]["mobile"] = json!(format!("+6141{}", dice.digits(7)));
    account["customers"][0]["date_of_birth"] = json!(day(BILLED, dice.between(7_000, 30_000)));
    account["customers"][0]["landline"] =
        json!(format!("(03) 9{} {}", dice.between(300, 699), dice.digits(4)));
    let (readings, transactions, statements, notes) = match size {
        Size::S => (2, 0, 0, 0),
        Size::M => (40, 12, 4, 3),
        Size::L => (700, 60, 12, 8),
    };
    // Peers take no integers for texts.
    let street = &mut account["supply_addresses"][0]["supply_address"]["structured_street_address"];
    street["house_number_1"] = json!(dice.between(1, 400).to_string());
    let point = &mut account["supply_addresses"][0]["meter_points"][0];
    // Of ten characters, without a check digit.
    point["mpxn"] = json!(format!("{prefix}{NUMBER}"));
    // The last one lasts over all that is charged.
    if let Some(agreements) = point.get_mut("agreements").and_then(Value::as_array_mut) {
        agreements.drain(..agreements.len() - 1);
        agreements.iter_mut().for_each(|agreement| agreement["effective_from"] = json!(START.to_string()));
    }
    if let Some(house) = point.pointer_mut("/address/house/0/house_number") {
        *house = json!(dice.between(1, 400).to_string());
    }
    let meter = point["meters"][0].clone();
    let meters = if readings > 2 { dice.between(1, 2) as usize } else { 1 };
    point["meters"] = (0..meters).map(|_| with_readings(&meter, readings / meters, dice)).collect();
    if size == Size::S {
        if let Some(members) = account.as_object_mut() {
            members.retain(|name, _| !NOT_SMALL.contains(&name.as_str()));
        }
        account["customers"] = json!([account["customers"][0]]);
        return account;
    }
    let statement = account["statements"][0].clone();
    account["statements"] = (0..statements).map(|n| with_period(&statement, n, dice)).collect();
    account["notes"] = (0..notes).map(|_| note(dice)).collect();
    fill_ledger(&mut account, transactions, dice);
    account
}

/// The meter with so many readings: the last is the one of the transfer, the others were billed.
fn with_readings(meter: &Value, count: usize, dice: &mut Dice) -> Value {
    // A reading of the fixture that has all members.
    let model = &meter["transfer_readings"][0];
    let (days, mut value) = ((BILLED - START).num_days() as usize, dice.between(100, 9_000));
    let mut readings: Vec<Value> = Vec::new();
    for n in 1..=count {
        let mut reading = model.clone();
        value += dice.between(1, 40);
        reading["reading_date"] = json!(day(BILLED, (days - days * n / count) as u64));
        reading["reading_value"] = json!(format!("{value}.{}", dice.digits(3)));
        reading["reading_type"] =
            json!(dice.pick(&["ROUTINE", "ROUTINE", "ROUTINE", "ESTIMATE", "CUSTOMER"]));
        if let Some(flow) = reading.get_mut("volume_flow") {
            *flow = json!(format!("{}.{}", dice.between(10, 400), dice.digits(2)));
            let before =
                readings.last().map_or(json!(START.to_string()), |before| before["reading_date"].clone());
            reading["prev_reading_date"] = before;
            reading["consumed_energy"] = json!(dice.between(400, 9_000).to_string());
            if reading["reading_type"] == "ESTIMATE" {
                reading["estimation_substitution_type"] = json!("E1");
                reading["estimation_substitution_reason_code"] = json!("05");
            }
        }
        readings.push(reading);
    }
    let transfer: Value = readings.pop().into_iter().collect();
    readings.iter_mut().for_each(|reading| reading["billed"] = json!(true));
    let mut meter = meter.clone();
    if let Some(registers) = meter.get_mut("registers").and_then(Value::as_array_mut) {
        registers.truncate(1);
    }
    meter["meter_serial_number"] = json!(format!("LG{}", dice.digits(8)));
    meter["transfer_readings"] = transfer;
    meter["reading_history"] = readings.into();
    meter
}

/// Gives the account so many transactions, in turn the fixture's charge for supply and a payment, and their sums. A
/// quarter of them is not billed yet.
fn fill_ledger(account: &mut Value, count: u64, dice: &mut Dice) {
    let ledger = &mut account["ledgers"][0];
    let models = ledger["current_statement_transactions"].as_array().cloned().unwrap_or_default();
    let (mut closed, mut balance) = (0, 0);
    let (mut history, mut current) = (Vec::new(), Vec::new());
    for n in 0..count {
        let is_charge = n.is_multiple_of(2);
        let kind = if is_charge { "SUPPLY_CHARGE" } else { "PAYMENT" };
        let mut transaction = models.iter().find(|model| model["type"] == kind).cloned().unwrap_or_default();
        let is_billed = n >= count / 4;
        let date = if is_billed { day(BILLED, n * 7) } else { (BILLED + Days::new(n % 20 + 1)).to_string() };
        transaction["transaction_id"] = json!(format!("T{}{n:04}", dice.digits(6)));
        transaction["transaction_date"] = json!(date);
        move_periods(&mut transaction, n / 2);
        let cents = if is_charge {
            // Its parts have to add up to what it is.
            -transaction["amount"]
                .as_str()
                .and_then(|text| text.replace('.', "").parse::<i64>().ok())
                .unwrap_or(0)
        } else {
            let cents = dice.between(500, 40_000) as i64;
            transaction["amount"] = money(cents);
            transaction["reference"] = json!(format!("PAY{}", dice.digits(8)));
            cents
        };
        balance += cents;
        closed += if is_billed { cents } else { 0 };
        if is_billed { &mut history } else { &mut current }.push(transaction);
    }
    ledger["current_statement_transactions"] = current.into();
    ledger["historical_statement_transactions"] = history.into();
    ledger["last_statement_balance"] = money(closed);
    ledger["ledger_balance"] = money(balance);
    account["transfer_balance"] = money(balance);
}

/// Moves the line items of a charge so many periods into the past, so that no day is charged twice.
fn move_periods(charge: &mut Value, periods: u64) {
    for item in charge.get_mut("line_items").and_then(Value::as_array_mut).into_iter().flatten() {
        for end in ["start_date", "end_date"] {
            let date = item[end].as_str().and_then(|date| date.parse::<NaiveDate>().ok());
            item[end] = date.map_or(Value::Null, |date| json!(day(date, periods * PERIOD)));
        }
    }
}

/// The statement of a quarter, with an identifier of its own.
fn with_period(statement: &Value, n: u64, dice: &mut Dice) -> Value {
    let mut statement = statement.clone();
    statement["bill_period_from_date"] = json!(day(BILLED, 90 * n + 89));
    statement["bill_period_to_date"] = json!(day(BILLED, 90 * n));
    statement["statement_id"] = json!(format!("S{}{n:02}", dice.digits(7)));
    statement["statement_path"] = json!(format!("/statements/{}/{n}.pdf", dice.digits(8)));
    statement
}

fn note(dice: &mut Dice) -> Value {
    let body = dice.pick(&[
        "Customer called about a high bill; explained seasonal usage.",
        "Concession card sighted and recorded, expires next June.",
        "Requested large print bills — “please post, don’t email”.",
    ]);
    let created_at = format!("{}T09:30:00+10:00", day(BILLED, dice.between(1, 500)));
    json!({"body": format!("{body} Case {}.", dice.digits(6)), "created_at": created_at, "is_pinned": false})
}

/// A day before another, as it is sent.
fn day(date: NaiveDate, before: u64) -> String {
    (date - Days::new(before)).to_string()
}

/// Cents as a number with a point.
fn money(cents: i64) -> Value {
    let sign = if cents < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
    text.parse::<f64>().map_or(Value::Null, Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::{Now, Zone};
    use cutover_model::decode_account;
    use cutover_rules::{Facts, Profile, check_account};

    /// Places and codes of the faults and warnings of an account, as of a year.
    fn issues(account: &str, year: u16) -> Vec<String> {
        let now = Now::new(format!("{year}-12-01T02:00:00Z").parse().unwrap(), Zone::UTC);
        let facts = Facts { supplier_known: Some(true), ..Facts::at(now) };
        let account = account.replace(NUMBER, "00000042");
        let decoded = decode_account(account.as_bytes(), Zone::UTC).unwrap();
        let report = check_account(&decoded, facts, &Profile::default());
        report
            .errors
            .iter()
            .chain(&report.warnings)
            .map(|issue| format!("{} {}", issue.attr, issue.code))
            .collect()
    }

    #[test]
    fn accounts_are_valid_whenever_they_are_sent() {
        for (size, kilobytes) in [(Size::S, 2..4), (Size::M, 16..20), (Size::L, 150..185)] {
            let accounts = templates(size, 20);
            for account in &accounts {
                assert_eq!([issues(account, 2026), issues(account, 2036)], [[""; 0]; 2], "{size:?}");
            }
            let mean = accounts.iter().map(String::len).sum::<usize>() / accounts.len();
            assert!(kilobytes.contains(&(mean / 1000)), "{size:?}: {mean} bytes");
        }
    }

    #[test]
    fn a_fifth_is_faulty() {
        let accounts = with_faults(Size::M, 100);
        assert_eq!(accounts.iter().filter(|account| !issues(account, 2026).is_empty()).count(), 20);
    }

    #[test]
    fn the_accounts_of_a_file_have_numbers_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("accounts.ndjson");
        write(&file, Size::S, 998, 4).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!((text.lines().count(), text.contains(NUMBER)), (4, false));
        for (line, number) in text.lines().zip(998..1002) {
            assert_eq!(line.matches(&format!("{number:08}")).count(), 2);
        }
    }
}
