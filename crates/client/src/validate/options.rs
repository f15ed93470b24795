use crate::assemble::TableOptions;
use crate::error::Error;
use crate::expect::ExpectOption;
use crate::service::OptionalTarget;
use chrono::{DateTime, FixedOffset, Utc};
use clap::Args;
use cutover_core::{Level, Zone};
use cutover_model::RuleValues;
use cutover_rules::{Country, Profile, ProfileName, UndocumentedMembers, rule};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Options of `validate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts or of tables, folders of them, or - for NDJSON of accounts on standard input
    ///
    /// Tables are .csv, .tsv, .ndjson and .parquet files whose names begin with that of a table, as for assemble.
    /// .ndjson and .jsonl hold one account per line, .json holds one account; .gz and .zst are decompressed.
    /// For other names, the first line decides. In folders, files with other names and hidden ones are
    /// skipped.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) tables: TableOptions,
    #[command(flatten)]
    pub(super) rules: Rules,
    #[command(flatten)]
    pub(super) target: OptionalTarget,
    #[command(flatten)]
    pub(super) expect: ExpectOption,
    /// Write every finding to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress bar
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Options for checking accounts.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Rules {
    /// Zone of the supplier's days and datetimes without offset, such as Australia/Melbourne [default: UTC]
    #[arg(long, value_name = "ZONE", visible_alias = "supplier-zone")]
    time_zone: Option<Zone>,
    /// The supplier's time zone, country and levels of rules, as `cutover supplier show --json` prints them
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Levels of rules: standard, strict (what comparable services refuse is an error) or lenient (what need not be an error is
    /// a warning) [default: as the profile, else standard]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    profile_name: Option<ProfileName>,
    /// Country whose forms of identifiers and addresses are judged: AU or GB [default: as the profile, else AU]
    #[arg(long, value_name = "COUNTRY")]
    country: Option<Country>,
    /// What becomes of members that the contract does not document: error, warning, or the names of those that are warnings
    /// [default: as the profile, else error]
    #[arg(long, value_name = "error|warning|NAME,…")]
    undocumented_members: Option<UndocumentedMembers>,
    /// The level of a rule: error, warning, off or default; may be repeated, and overrides the profile
    #[arg(long, value_name = "ID=LEVEL")]
    rule: Vec<RuleLevel>,
    /// Check as of this time, such as 2026-11-21T09:00:00Z [default: the current time]
    #[arg(long, value_name = "DATE-TIME")]
    now: Option<DateTime<FixedOffset>>,
    /// Show the values that findings are about, in the summary and in reports, which then hold personal data
    #[arg(long)]
    pub(crate) show_values: bool,
    /// Number of accounts to check at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Maximum number of threads: more are of no use, and their chunks would fill the memory.
const MAX_JOBS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

impl Rules {
    /// The rules with their default levels, for a command that only counts.
    pub(crate) fn in_zone(time_zone: Option<Zone>, jobs: Option<NonZeroUsize>) -> Self {
        Self {
            time_zone,
            jobs,
            profile: None,
            profile_name: None,
            country: None,
            undocumented_members: None,
            rule: Vec::new(),
            now: None,
            show_values: false,
        }
    }

    /// Time to check as of: `now` unless the options name another.
    pub(super) fn instant(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.now.map_or(now, |now| now.to_utc())
    }

    /// Number of threads that check accounts.
    pub(crate) fn workers(&self) -> NonZeroUsize {
        let cores = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(cores).min(MAX_JOBS)
    }

    /// Time zone of the supplier and the levels of the rules.
    ///
    /// # Errors
    /// [`Error`] for a profile that cannot be read, or a rule that is unknown, fixed or given twice.
    pub(super) fn supplier(&self) -> Result<(Zone, Profile), Error> {
        self.with(self.profile.as_deref().map(ProfileFile::read).transpose()?.unwrap_or_default())
    }

    /// The same with the settings that a service has of the supplier. Those of a profile take precedence.
    /// Rules that this version does not know, or cannot set, keep their levels.
    ///
    /// # Errors
    /// Same as [`Self::supplier`].
    pub(super) fn supplier_with(&self, mut fetched: ProfileFile) -> Result<(Zone, Profile), Error> {
        if self.profile.is_some() {
            return self.supplier();
        }
        fetched.rules.retain(|id, _| rule(id).is_some_and(|rule| !rule.fixed));
        self.with(fetched)
    }

    /// True if the options name a zone, or a profile that does.
    pub(super) fn names_zone(&self) -> bool {
        let in_profile = || Some(ProfileFile::read(self.profile.as_deref()?).ok()?.time_zone.is_some());
        self.time_zone.is_some() || in_profile().unwrap_or_default()
    }

    /// True if the options name a profile, so that no service is needed.
    pub(super) fn has_profile(&self) -> bool {
        self.profile.is_some()
    }

    /// The same with this profile.
    ///
    /// # Errors
    /// Same as [`Self::supplier`].
    pub(super) fn with(&self, file: ProfileFile) -> Result<(Zone, Profile), Error> {
        let zone = match (self.time_zone, &file.time_zone) {
            (Some(zone), _) => zone,
            (None, Some(name)) => name.parse().map_err(|e| Error::refused(format!("the profile: {e}")))?,
            (None, None) => Zone::UTC,
        };
        let name = self.profile_name.map_or_else(|| read(file.profile.as_deref()), Ok)?;
        let country = self.country.map_or_else(|| read(file.country.as_deref()), Ok)?;
        let undocumented = self
            .undocumented_members
            .clone()
            .map_or_else(|| read(file.undocumented_members.as_deref()), Ok)?;
        let named = Profile::named(name, country)
            .with_undocumented(undocumented)
            .with_values(Arc::new(file.rule_values.clone()));
        Ok((zone, profile(named, file.levels()?, &self.rule)?))
    }
}

/// Reads a word of a profile; without one it is the default.
fn read<T: FromStr<Err: Display> + Default>(word: Option<&str>) -> Result<T, Error> {
    let word = word.map(str::parse).transpose();
    Ok(word.map_err(|e| Error::refused(format!("the profile: {e}")))?.unwrap_or_default())
}

/// Adds the levels of single rules to a profile.
fn profile(
    named: Profile,
    mut levels: BTreeMap<String, Level>,
    rules: &[RuleLevel],
) -> Result<Profile, Error> {
    let mut given = BTreeSet::new();
    for RuleLevel(id, level) in rules {
        if !given.insert(id) {
            return Err(Error::refused(format!("the rule {id} is given twice")));
        }
        // A rule that is set back must exist as well.
        Profile::new([(id.as_str(), level.unwrap_or(Level::Off))])
            .map_err(|e| Error::refused(e.to_string()))?;
        match level {
            Some(level) => levels.insert(id.clone(), *level),
            None => levels.remove(id),
        };
    }
    let levels = levels.iter().map(|(id, level)| (id.as_str(), *level));
    named.with(levels).map_err(|e| Error::refused(e.to_string()))
}

/// Level of a rule; `None` resets it to its default.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RuleLevel(String, Option<Level>);

impl FromStr for RuleLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, level) =
            text.split_once('=').ok_or("expected a rule and its level, such as PIN-01=warning")?;
        let level = match level {
            "default" => None,
            level => Some(level.parse().map_err(|_| "expected the level error, warning, off or default")?),
        };
        Ok(Self(id.to_owned(), level))
    }
}

/// A supplier as `cutover supplier show --json` prints it (contract D11); other members are ignored.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ProfileFile {
    time_zone: Option<String>,
    profile: Option<String>,
    country: Option<String>,
    undocumented_members: Option<String>,
    #[serde(default)]
    rule_values: RuleValues,
    #[serde(default)]
    rules: BTreeMap<String, String>,
}

impl ProfileFile {
    fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read(path).map_err(Error::file("read", path))?;
        Self::parse(&text, path.display())
    }

    /// Reads a profile from JSON; `name` is what a refusal calls it.
    ///
    /// # Errors
    /// [`Error`] if it is none.
    pub(super) fn parse(text: &[u8], name: impl Display) -> Result<Self, Error> {
        serde_json::from_slice(text).map_err(|e| Error::refused(format!("{name} is not a profile: {e}")))
    }

    fn levels(self) -> Result<BTreeMap<String, Level>, Error> {
        let level = |(id, level): (String, String)| {
            let level = level.parse().map_err(|e| Error::refused(format!("the profile's {id}: {e}")))?;
            Ok((id, level))
        };
        self.rules.into_iter().map(level).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn supplier(words: &[&str]) -> Result<(Zone, Profile), String> {
        let cli = Cli::try_parse_from([&["x", "-"], words].concat()).map_err(|e| e.to_string())?;
        cli.options.rules.supplier().map_err(|e| e.to_string())
    }

    #[test]
    fn options_override_the_profile_and_the_profile_overrides_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("supplier.json");
        let text = r#"{"code": "A", "time_zone": "Australia/Perth", "rules": {"PIN-01": "warning", "CUS-01": "off"}}"#;
        std::fs::write(&file, text).unwrap();
        let file = file.to_str().unwrap();
        let level = |profile: &Profile, id| profile.level(rule(id).unwrap());
        let (zone, profile) = supplier(&["--profile", file, "--rule", "CUS-01=default"]).unwrap();
        assert_eq!(zone.name(), "Australia/Perth");
        assert_eq!(level(&profile, "PIN-01"), Level::Warning);
        assert_eq!(level(&profile, "CUS-01"), Level::Error);
        let (zone, profile) =
            supplier(&["--profile", file, "--supplier-zone", "UTC", "--rule", "PIN-01=off"]).unwrap();
        assert_eq!((zone, level(&profile, "PIN-01")), (Zone::UTC, Level::Off));
        assert_eq!(supplier(&[]).unwrap(), (Zone::UTC, Profile::default()));
    }

    #[test]
    fn invalid_options_are_refused_with_a_reason() {
        let error = |words: &[&str]| supplier(words).unwrap_err();
        assert_eq!(error(&["--rule", "XXX-01=off"]), "there is no rule \"XXX-01\"");
        assert_eq!(error(&["--rule", "XXX-01=default"]), "there is no rule \"XXX-01\"");
        assert_eq!(error(&["--rule", "STR-01=off"]), "the level of rule STR-01 is fixed");
        assert_eq!(
            error(&["--rule", "PIN-01=off", "--rule", "PIN-01=error"]),
            "the rule PIN-01 is given twice"
        );
        assert!(error(&["--rule", "PIN-01"]).contains("such as PIN-01=warning"));
        assert!(error(&["--rule", "PIN-01=fatal"]).contains("error, warning, off or default"));
        assert!(error(&["--time-zone", "Mars/Olympus"]).contains("not an IANA time zone"));
        assert!(error(&["--now", "yesterday"]).contains("--now"));
        assert!(error(&["--jobs", "0"]).contains("--jobs"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.json");
        for (text, part) in [
            ("[", "is not a profile"),
            (r#"{"time_zone": "Mars"}"#, "the profile: \"Mars\""),
            (r#"{"rules": {"PIN-01": "loud"}}"#, "the profile's PIN-01"),
            (r#"{"rules": {"XXX-01": "off"}}"#, "there is no rule"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = error(&["--profile", file.to_str().unwrap()]);
            assert!(error.contains(part), "{error}");
        }
    }
}
