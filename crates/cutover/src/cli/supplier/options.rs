use crate::error::Error;
use clap::Args;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{Country, HoldOnErrors, ProfileName, RuleValue, UndocumentedMembers, Waves};
use cutover_core::{Level, SupplierStatus, Zone};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The settings of a supplier as options (contract D1, D11).
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Settings of the supplier")]
pub(crate) struct Options {
    /// Folder of its documents in storage [default: /CODE]
    #[arg(long, value_name = "/PATH")]
    document_root: Option<String>,
    /// Time zone of its dates and of datetimes without an offset, for example Australia/Melbourne [default: UTC]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<Zone>,
    /// Make every import a dry run [default: false]
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    dry_run: Option<bool>,
    /// Require the documents that payloads name to exist [default: false]
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    verify_documents: Option<bool>,
    /// Allow the retailer's mailer to write to its customers [default: false]
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    send_customer_emails: Option<bool>,
    /// Maximum number of its accounts that are imported at the same time [default: none]
    #[arg(long, value_name = "N|none")]
    max_concurrent_imports: Option<Limit>,
    #[command(flatten)]
    levels: Levels,
    /// Numbers of accounts after each of which its imports are held, then the rest, for example 100,5000,rest [default:
    /// none]
    #[arg(long, value_name = "N,…,rest|none")]
    waves: Option<WavesOption>,
    /// Share of the last accounts that may fail before its imports are held, for example 1/200 [default: none]
    #[arg(long, value_name = "PERCENT/WINDOW|none")]
    hold_on_errors: Option<ShareOption>,
    /// Allow the supplier to start and end runs itself [default: false]
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    supplier_runs: Option<bool>,
}

/// The settings of a supplier that decide the levels of rules.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Levels {
    /// Levels of rules: standard, strict (what comparable services refuse is an error) or lenient (what need not be an error is
    /// a warning) [default: standard]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    profile_name: Option<ProfileName>,
    /// Country whose forms of identifiers and addresses are judged: AU or GB [default: AU]
    #[arg(long, value_name = "COUNTRY")]
    country: Option<Country>,
    /// What becomes of members that the contract does not document: error, warning, or the names of those that are warnings
    /// [default: error]
    #[arg(long, value_name = "error|warning|NAME,…")]
    undocumented_members: Option<UndocumentedMembers>,
    /// Factor by which a reading may exceed others (RDG-08) [default: 10]
    #[arg(long, value_name = "N|default", value_parser = RuleValue::jump_factor)]
    jump_factor: Option<RuleValue>,
    /// Days of a month on which payments may be made (SCH-02), for example 1-28 [default: 1-31]
    #[arg(long, value_name = "FIRST-LAST|default", value_parser = RuleValue::payment_days)]
    payment_days: Option<RuleValue>,
    /// E-mail addresses and @domains of the retailer itself, which no customer has (CUS-12) [default: none]
    #[arg(long, value_name = "ADDRESS,…|none", value_parser = RuleValue::own_email_addresses)]
    own_email_addresses: Option<RuleValue>,
    /// File of the tariffs that there are (AGR-09, TXN-17): a code a line, with a comma and its last day if it has one [default:
    /// none, so any]
    #[arg(long, value_name = "FILE|none")]
    tariff_codes: Option<PathBuf>,
    /// Level of a rule, whatever the profile says: error, warning, off or default; may be repeated
    #[arg(long, value_name = "ID=LEVEL")]
    rule: Vec<RuleLevel>,
}

impl Levels {
    /// Adds them to a change.
    ///
    /// # Errors
    /// [`Error`] if a rule is given twice, or the tariffs cannot be read.
    pub(super) fn add_to(self, change: &mut SupplierChange) -> Result<(), Error> {
        change.profile = self.profile_name.or(change.profile);
        change.country = self.country.or(change.country);
        if self.undocumented_members.is_some() {
            change.undocumented_members = self.undocumented_members;
        }
        let values = [self.jump_factor, self.payment_days, self.own_email_addresses];
        change.rule_values.extend(values.into_iter().flatten());
        change.rule_values.extend(self.tariff_codes.as_deref().map(tariffs).transpose()?);
        change.rules.extend(RuleLevel::all(self.rule)?);
        Ok(())
    }
}

/// Reads a file of tariffs; `none` removes the list.
fn tariffs(path: &Path) -> Result<RuleValue, Error> {
    if path == Path::new("none") {
        return Ok(RuleValue::TariffCodes(None));
    }
    let refused = |why: &dyn std::fmt::Display| Error::refused(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(&error))?;
    RuleValue::tariff_codes(&text).map_err(|why| refused(&why))
}

/// Waves; empty for none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WavesOption(Waves);

impl FromStr for WavesOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(Self(Waves::default())) } else { text.parse().map(Self) }
    }
}

/// A share of failures; `None` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShareOption(Option<HoldOnErrors>);

impl FromStr for ShareOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(Self(None)) } else { text.parse().map(|share| Self(Some(share))) }
    }
}

/// A limit; `None` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit(Option<u32>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self(None)),
            _ => match text.parse() {
                Ok(n) if n > 0 => Ok(Self(Some(n))),
                _ => Err("not a whole number from 1, nor none".into()),
            },
        }
    }
}

/// The level of a rule; `None` sets it back to its default.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RuleLevel(String, Option<Level>);

impl RuleLevel {
    /// Returns the levels by rule.
    ///
    /// # Errors
    /// [`Error`] if a rule is given twice.
    fn all(given: Vec<Self>) -> Result<BTreeMap<String, Option<Level>>, Error> {
        let mut rules = BTreeMap::new();
        for Self(id, level) in given {
            if rules.insert(id.clone(), level).is_some() {
                return Err(Error::refused(format!("the rule {id} is given twice")));
            }
        }
        Ok(rules)
    }
}

impl FromStr for RuleLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, level) =
            text.split_once('=').ok_or("not a rule and its level, for example PIN-01=warning")?;
        let level = match level {
            "default" => None,
            level => Some(level.parse().map_err(|_| "the level is not error, warning, off or default")?),
        };
        Ok(Self(id.to_owned(), level))
    }
}

impl Options {
    /// Returns the change that the options describe.
    ///
    /// # Errors
    /// [`Error`] if a rule is given twice.
    pub(super) fn change(self, status: Option<SupplierStatus>) -> Result<SupplierChange, Error> {
        let mut change = SupplierChange {
            status,
            document_root: self.document_root,
            verify_documents: self.verify_documents,
            send_customer_emails: self.send_customer_emails,
            dry_run: self.dry_run,
            max_concurrent_imports: self.max_concurrent_imports.map(|Limit(limit)| limit),
            time_zone: self.time_zone,
            waves: self.waves.map(|WavesOption(waves)| waves),
            hold_on_errors: self.hold_on_errors.map(|ShareOption(share)| share),
            supplier_runs: self.supplier_runs,
            ..SupplierChange::default()
        };
        self.levels.add_to(&mut change)?;
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_from_one_or_none() {
        assert_eq!("none".parse(), Ok(Limit(None)));
        assert_eq!("4".parse(), Ok(Limit(Some(4))));
        for bad in ["0", "-1", "", "all"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }

    #[test]
    fn gates_can_be_removed() {
        assert_eq!("none".parse(), Ok(WavesOption(Waves::default())));
        assert_eq!("none".parse(), Ok(ShareOption(None)));
        assert_eq!("5,rest".parse(), Ok(WavesOption("5".parse().unwrap())));
        assert!("".parse::<WavesOption>().is_err());
        assert!("1".parse::<ShareOption>().is_err());
    }

    #[test]
    fn rules_have_a_level() {
        assert_eq!("PIN-01=off".parse(), Ok(RuleLevel("PIN-01".into(), Some(Level::Off))));
        assert_eq!("PIN-01=default".parse(), Ok(RuleLevel("PIN-01".into(), None)));
        for bad in ["PIN-01", "PIN-01=", "PIN-01=fatal"] {
            assert!(bad.parse::<RuleLevel>().is_err(), "{bad}");
        }
    }
}
