//! Checks of stored payloads under other settings (contract D15).

use super::group::Group;
use super::options::Levels;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, plain};
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::operator::{SupplierChange, WhatIf, WhatIfRequest};
use cutover_app::port::set_values;
use cutover_core::Level;
use cutover_model::RuleValues;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Interval at which the progress is shown.
const PROGRESS: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    /// Code of the supplier
    code: String,
    #[command(flatten)]
    levels: Levels,
    /// Settings as `cutover supplier show --json` prints them, instead of those of the supplier
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Time of the checks, for example 2026-11-21T08:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = crate::cli::audit::since)]
    now: Option<DateTime<Utc>>,
}

/// The settings of a supplier that checks depend on; other members are ignored.
#[derive(Debug, Default, Deserialize)]
struct ProfileFile {
    document_root: Option<String>,
    verify_documents: Option<bool>,
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
    fn read(path: &Path) -> Result<SupplierChange, Error> {
        let refused = |why: &dyn std::fmt::Display| Error::refused(format!("{}: {why}", path.display()));
        let text = std::fs::read(path).map_err(|error| refused(&error))?;
        let file: Self = serde_json::from_slice(&text).map_err(|error| refused(&error))?;
        fn read<T: FromStr<Err: Display>>(word: Option<String>, path: &Path) -> Result<Option<T>, Error> {
            let word = word.map(|word| word.parse()).transpose();
            word.map_err(|error| Error::refused(format!("{}: {error}", path.display())))
        }
        let mut rules = BTreeMap::new();
        for (id, level) in file.rules {
            let level: Level = level.parse().map_err(|error| refused(&error))?;
            rules.insert(id, Some(level));
        }
        Ok(SupplierChange {
            document_root: file.document_root,
            verify_documents: file.verify_documents,
            time_zone: read(file.time_zone, path)?,
            profile: read(file.profile, path)?,
            country: read(file.country, path)?,
            undocumented_members: read(file.undocumented_members, path)?,
            rule_values: set_values(&file.rule_values),
            rules,
            ..SupplierChange::default()
        })
    }
}

#[derive(Debug, Serialize)]
struct CodeGroup {
    code: String,
    attr: Option<String>,
    #[serde(flatten)]
    group: Group,
}

#[derive(Debug, Serialize)]
struct Shown {
    checked: u64,
    not_kept: u64,
    passing: u64,
    failing: u64,
    codes: Vec<CodeGroup>,
    newly_failing: Group,
    newly_passing: Group,
}

impl From<WhatIf> for Shown {
    fn from(result: WhatIf) -> Self {
        let codes = result.codes.into_iter();
        Self {
            checked: result.checked,
            not_kept: result.not_kept,
            passing: result.passing,
            failing: result.failing,
            codes: codes
                .map(|(cause, group)| CodeGroup { code: cause.code, attr: cause.attr, group: group.into() })
                .collect(),
            newly_failing: result.newly_failing.into(),
            newly_passing: result.newly_passing.into(),
        }
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = vec![
            format!("checked        {}", self.checked),
            format!("not kept       {}", self.not_kept),
            format!("passing        {}", self.passing),
            format!("failing        {}", self.failing),
            format!("newly failing  {}", self.newly_failing.text()),
            format!("newly passing  {}", self.newly_passing.text()),
        ];
        for of in &self.codes {
            let attr = of.attr.as_ref().map(|attr| format!(" at {}", plain(attr))).unwrap_or_default();
            lines.push(format!("error          {}{attr}: {}", plain(&of.code), of.group.text()));
        }
        lines.push("\nNothing was changed.".to_owned());
        lines.join("\n")
    }
}

pub(super) fn run(context: &Context, args: WhatIfArgs) -> Result<(), Error> {
    let app = context.app_with_documents()?;
    let resets_rules = args.profile.is_some();
    let mut change = args.profile.as_deref().map(ProfileFile::read).transpose()?.unwrap_or_default();
    args.levels.add_to(&mut change)?;
    let request = WhatIfRequest { supplier: args.code, resets_rules, change, now: args.now };
    let (mut shown, is_watched) = (Instant::now(), std::io::stderr().is_terminal());
    let result = app.as_command().what_if(&request, &mut |accounts| {
        if is_watched && shown.elapsed() >= PROGRESS {
            shown = Instant::now();
            eprintln!("{accounts} accounts");
        }
    })?;
    Ok(context.output.answer(&Shown::from(result))?)
}
