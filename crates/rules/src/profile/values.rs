use chrono::NaiveDate;
use cutover_model::{RuleValues, TariffCode};
use std::fmt;

/// A new value that a rule compares payloads with (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleValue {
    /// The factor of jumps (rule RDG-08); `None`: 10.
    JumpFactor(Option<u32>),
    /// The first and the last day of payments (rule SCH-02); `None`: all.
    PaymentDays(Option<(u32, u32)>),
    /// The operator's own e-mail addresses (rule CUS-12).
    OwnEmailAddresses(Vec<String>),
    /// The tariffs that there are (rules AGR-09, TXN-17); `None`: any.
    TariffCodes(Option<Vec<TariffCode>>),
}

/// Maximum number of addresses, and of tariffs.
const ADDRESSES: usize = 200;
const TARIFFS: usize = 10_000;
/// Maximum number of bytes of an address or a code.
const LENGTH: usize = 255;

impl RuleValue {
    /// Reads a factor: a whole number from 2 to 1,000, or `default`.
    ///
    /// # Errors
    /// What was expected.
    pub fn jump_factor(text: &str) -> Result<Self, String> {
        let factor = || text.parse().ok().filter(|factor| (2..=1_000).contains(factor));
        match text {
            "default" => Ok(Self::JumpFactor(None)),
            _ => factor()
                .map(|factor| Self::JumpFactor(Some(factor)))
                .ok_or("not a whole number from 2 to 1000, nor default".into()),
        }
    }

    /// Reads days of a month as `1-28`, or `default`.
    ///
    /// # Errors
    /// What was expected.
    pub fn payment_days(text: &str) -> Result<Self, String> {
        let days = || {
            let (first, last) = text.split_once('-')?;
            let days: (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            (1 <= days.0 && days.0 <= days.1 && days.1 <= 31).then_some(days)
        };
        match text {
            "default" => Ok(Self::PaymentDays(None)),
            _ => days()
                .map(|days| Self::PaymentDays(Some(days)))
                .ok_or("not two days of a month, for example 1-28, nor default".into()),
        }
    }

    /// Reads e-mail addresses, or `@` and a domain, with commas between them; or `none`.
    ///
    /// # Errors
    /// What was expected.
    pub fn own_email_addresses(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::OwnEmailAddresses(Vec::new()));
        }
        let mut addresses: Vec<_> =
            text.split(',').map(|address| address.trim().to_ascii_lowercase()).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let is_address = |address: &String| {
            let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
            !domain.is_empty()
                && address.len() <= LENGTH
                && !address.contains(|c: char| c.is_whitespace() || c.is_control())
        };
        if addresses.len() <= ADDRESSES && addresses.iter().all(is_address) {
            return Ok(Self::OwnEmailAddresses(addresses));
        }
        Err("not up to 200 e-mail addresses or domains, for example help@acme.example,@acme.test, nor none"
            .into())
    }

    /// Reads a file of tariffs: a code a line, with a comma and its last day if it has one.
    ///
    /// # Errors
    /// The first line that is none, or that there are too many.
    pub fn tariff_codes(text: &str) -> Result<Self, String> {
        let mut tariffs = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let (code, end) = match line.rsplit_once(',') {
                Some((code, end)) => (code.trim(), Some(end.trim())),
                None => (line, None),
            };
            let ends_on = end.map(str::parse::<NaiveDate>).transpose();
            match ends_on {
                Ok(ends_on) if (1..=LENGTH).contains(&code.len()) => {
                    tariffs.push(TariffCode { code: code.to_owned(), ends_on });
                }
                _ => {
                    return Err(format!(
                        "line {number} is not a code, with a comma and its last day (2027-06-30) if it has one"
                    ));
                }
            }
        }
        tariffs.sort_unstable_by(|a, b| a.code.cmp(&b.code));
        if let Some(twice) = tariffs.windows(2).find(|two| two[0].code == two[1].code) {
            return Err(format!("the code {:?} is given twice", twice[0].code));
        }
        match tariffs.len() {
            1..=TARIFFS => Ok(Self::TariffCodes(Some(tariffs))),
            0 => Err("there is no code".into()),
            count => Err(format!("{count} codes are more than {TARIFFS}")),
        }
    }

    /// Returns its name, as options of commands have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::JumpFactor(_) => "jump-factor",
            Self::PaymentDays(_) => "payment-days",
            Self::OwnEmailAddresses(_) => "own-email-addresses",
            Self::TariffCodes(_) => "tariff-codes",
        }
    }

    /// Sets it.
    pub fn apply(self, values: &mut RuleValues) {
        match self {
            Self::JumpFactor(factor) => values.jump_factor = factor,
            Self::PaymentDays(days) => {
                (values.first_payment_day, values.last_payment_day) = days.unzip();
            }
            Self::OwnEmailAddresses(addresses) => values.own_email_addresses = addresses,
            Self::TariffCodes(tariffs) => values.tariff_codes = tariffs,
        }
    }
}

/// Writes it as it is read; of tariffs the number.
impl fmt::Display for RuleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JumpFactor(Some(factor)) => write!(f, "{factor}"),
            Self::PaymentDays(Some((first, last))) => write!(f, "{first}-{last}"),
            Self::JumpFactor(None) | Self::PaymentDays(None) => f.write_str("default"),
            Self::OwnEmailAddresses(addresses) if addresses.is_empty() => f.write_str("none"),
            Self::OwnEmailAddresses(addresses) => f.write_str(&addresses.join(",")),
            Self::TariffCodes(None) => f.write_str("none"),
            Self::TariffCodes(Some(tariffs)) => write!(f, "{} tariffs", tariffs.len()),
        }
    }
}

/// Returns the values that are set, to be shown.
pub fn set_values(values: &RuleValues) -> Vec<RuleValue> {
    let RuleValues { jump_factor, first_payment_day, last_payment_day, own_email_addresses, tariff_codes } =
        values;
    let days = first_payment_day.zip(*last_payment_day);
    let addresses = Some(own_email_addresses.clone()).filter(|addresses| !addresses.is_empty());
    [
        jump_factor.map(|factor| RuleValue::JumpFactor(Some(factor))),
        days.map(|days| RuleValue::PaymentDays(Some(days))),
        addresses.map(RuleValue::OwnEmailAddresses),
        tariff_codes.clone().map(|tariffs| RuleValue::TariffCodes(Some(tariffs))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = fn(&str) -> Result<RuleValue, String>;

    #[test]
    fn values_are_written_as_they_are_read() {
        let read: [(Read, &[&str]); 3] = [
            (RuleValue::jump_factor, &["2", "1000", "default"]),
            (RuleValue::payment_days, &["1-28", "5-5", "1-31", "default"]),
            (RuleValue::own_email_addresses, &["@acme.example,help@acme.test", "none"]),
        ];
        for (read, texts) in read {
            for text in texts {
                assert_eq!(read(text).unwrap().to_string(), *text);
            }
        }
        assert_eq!(
            RuleValue::own_email_addresses(" B@b.test,a@B.test ").unwrap().to_string(),
            "a@b.test,b@b.test"
        );
    }

    #[test]
    fn other_texts_are_refused() {
        let refused: [(Read, &[&str]); 4] = [
            (RuleValue::jump_factor, &["", "1", "1001", "-3", "2.5"]),
            (RuleValue::payment_days, &["", "0-28", "28-1", "1-32", "1", "a-b", "1-2-3"]),
            (RuleValue::own_email_addresses, &["", "acme", "a@", "a b@c", "a@b,"]),
            (RuleValue::tariff_codes, &["", "\n", "A,soon", ",2027-01-01", "A\nA,2027-01-01"]),
        ];
        for (read, texts) in refused {
            for text in texts {
                assert!(read(text).is_err(), "{text:?}");
            }
        }
        assert!(RuleValue::tariff_codes(&"x".repeat(256)).unwrap_err().starts_with("line 1 "));
        let many = |count: u32| Vec::from_iter((0..count).map(|n| format!("T{n}"))).join("\n");
        assert!(
            RuleValue::tariff_codes(&many(10_000)).is_ok() && RuleValue::tariff_codes(&many(10_001)).is_err()
        );
    }

    #[test]
    fn a_tariff_may_have_an_end() {
        let mut values = RuleValues::default();
        RuleValue::tariff_codes("\u{feff}OFF, PEAK,2027-06-30\r\n\r\n A \n").unwrap().apply(&mut values);
        let tariffs = values.tariff_codes.unwrap();
        let tariffs: Vec<_> =
            tariffs.iter().map(|tariff| (tariff.code.as_str(), tariff.ends_on.is_some())).collect();
        assert_eq!(tariffs, [("A", false), ("OFF, PEAK", true)]);
    }

    #[test]
    fn each_value_that_is_set_is_shown() {
        let set = ["7", "1-28", "@acme.test"];
        let read: [Read; 3] =
            [RuleValue::jump_factor, RuleValue::payment_days, RuleValue::own_email_addresses];
        let mut values = RuleValues::default();
        assert_eq!(set_values(&values), []);
        let mut given: Vec<_> = read.iter().zip(set).map(|(read, text)| read(text).unwrap()).collect();
        given.push(RuleValue::tariff_codes("A").unwrap());
        given.iter().cloned().for_each(|value| value.apply(&mut values));
        assert_eq!(set_values(&values), given);
    }
}
