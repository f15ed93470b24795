use super::finding::Finding;
use super::options::{ProfileFile, Rules};
use crate::error::Error;
use crate::input::MAX_ACCOUNT;
use crate::request::Kind;
use chrono::{DateTime, Utc};
use cutover_core::{Now, Zone};
use cutover_model::decode_account;
use cutover_rules::{Facts, Profile, check_account};

/// Checks single accounts of one supplier, as `validate` does those of files.
#[derive(Debug, Clone)]
pub struct Validator {
    zone: Zone,
    profile: Profile,
}

impl Validator {
    /// Checks by a profile, the JSON that `cutover supplier show --json` prints, and in a time zone, which takes
    /// precedence over that of the profile. Without both it is the default profile in UTC.
    ///
    /// # Errors
    /// [`Error`] if they make no sense.
    pub fn new(profile: Option<&str>, time_zone: Option<&str>) -> Result<Self, Error> {
        let zone = time_zone.map(str::parse).transpose();
        let zone = zone.map_err(|e: cutover_core::InvalidZone| Error::refused(e.to_string()))?;
        let profile = profile.map(|text| ProfileFile::parse(text.as_bytes(), "this")).transpose()?;
        let (zone, profile) = Rules::in_zone(zone, None).with(profile.unwrap_or_default())?;
        Ok(Self { zone, profile })
    }

    /// Checks an account as of a time. Returns its errors, then its warnings, in the order of the service's answers.
    pub fn check(&self, account: &[u8], now: DateTime<Utc>) -> Vec<Finding> {
        if account.len() > MAX_ACCOUNT {
            return vec![Finding::too_large(Kind::Account)];
        }
        let decoded = match decode_account(account, self.zone) {
            Ok(decoded) => decoded,
            Err(error) => return vec![Finding::no_json(error, 1)],
        };
        let report = check_account(&decoded, Facts::at(Now::new(now, self.zone)), &self.profile);
        report.errors.into_iter().chain(report.warnings).map(Finding::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Level;

    const TWICE: &[u8] = include_bytes!("../../../../fixtures/accounts/faulty/PIN-01-same-type-twice.json");

    fn found(profile: &str, account: &[u8]) -> Vec<(Level, &'static str, Option<&'static str>)> {
        let now = "2026-11-21T02:00:00Z".parse().unwrap();
        let findings = Validator::new(Some(profile), None).unwrap().check(account, now);
        findings
            .iter()
            .map(|finding| (finding.level, finding.code, finding.rule.map(|rule| rule.0)))
            .collect()
    }

    #[test]
    fn an_account_is_judged_by_the_profile() {
        let code = "invalid_payment_instruction";
        assert_eq!(found("{}", TWICE), [(Level::Error, code, Some("PIN-01"))]);
        let warning = r#"{"rules": {"PIN-01": "warning"}}"#;
        assert_eq!(found(warning, TWICE), [(Level::Warning, code, Some("PIN-01"))]);
        assert_eq!(found(r#"{"rules": {"PIN-01": "off"}}"#, TWICE), []);
    }

    #[test]
    fn what_is_no_account_is_a_finding() {
        assert_eq!(found("{}", b"{\"a\": NaN}"), [(Level::Error, "parse_error", Some("STR-18"))]);
        let large = vec![b' '; MAX_ACCOUNT + 1];
        assert_eq!(found("{}", &large), [(Level::Error, "payload_too_large", None)]);
    }

    #[test]
    fn a_profile_or_a_zone_that_makes_no_sense_is_refused() {
        let refused = |profile, zone| Validator::new(profile, zone).unwrap_err().to_string();
        assert!(refused(Some("["), None).starts_with("this is not a profile: "));
        assert!(refused(Some(r#"{"time_zone": "Mars"}"#), None).starts_with("the profile: \"Mars\""));
        assert!(refused(None, Some("Mars")).contains("not an IANA time zone"));
    }
}
