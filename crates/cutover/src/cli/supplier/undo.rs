use super::group::Group;
use crate::cli::{job, process};
use crate::context::Context;
use crate::error::Error;
use crate::output::Answer;
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{AccountGroup, JobOwner, UndoRequest, UndoScope, Undoable};
use cutover_app::port::KeptBecause;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// Code of the supplier
    code: String,
    #[command(flatten)]
    which: Which,
    /// Undo the imports; without this flag they are only shown. Needs a reason
    #[arg(long, requires = "because")]
    yes: bool,
    /// Reason, for the audit trail
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// Accounts that were imported on this day (in UTC) or at this time, or later
    #[arg(long, value_name = "TIME", value_parser = crate::cli::audit::since)]
    since: Option<DateTime<Utc>>,
    /// Accounts that this run imported
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Accounts that the last wave with this number imported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    wave: Option<u32>,
    /// Accounts with these numbers at their previous supplier
    #[arg(long = "number", value_name = "N", num_args = 1..)]
    numbers: Vec<String>,
    /// Accounts in this file, a number a line
    #[arg(long, value_name = "FILE")]
    numbers_file: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct KeptGroup {
    reason: &'static str,
    #[serde(flatten)]
    group: Group,
}

#[derive(Debug, Serialize)]
struct Kept {
    count: u64,
    reasons: Vec<KeptGroup>,
}

/// The effect of an undo if it began now.
#[derive(Debug, Serialize)]
struct Shown {
    /// Unchanged since the import.
    undo: Group,
    kept: Kept,
    /// Numbers without an imported account.
    unknown: Group,
}

impl From<Undoable> for Shown {
    fn from(found: Undoable) -> Self {
        let count = found.kept_count();
        let reason = |(reason, group): (KeptBecause, AccountGroup)| KeptGroup {
            reason: reason.as_str(),
            group: group.into(),
        };
        Self {
            undo: found.undo.into(),
            kept: Kept { count, reasons: found.kept.into_iter().map(reason).collect() },
            unknown: found.unknown.into(),
        }
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = vec![format!("undo  {}", self.undo.text())];
        lines.push(format!("kept  {}", self.kept.count));
        lines.extend(
            self.kept.reasons.iter().map(|kept| format!("      {}: {}", kept.reason, kept.group.text())),
        );
        if self.unknown.count > 0 {
            lines.push(format!("No imported account has these numbers: {}", self.unknown.text()));
        }
        lines.push(
            "\nNothing was changed: add --yes and --because to do it. The accounts can be sent again then."
                .to_owned(),
        );
        lines.join("\n")
    }
}

pub(super) fn run(app: &App, context: &Context, args: UndoArgs) -> Result<(), Error> {
    let UndoArgs { code, which, yes, because } = args;
    let which = match which {
        Which { since: Some(since), .. } => UndoScope::Since(since),
        Which { run: Some(run), .. } => UndoScope::Run(run),
        Which { wave: Some(wave), .. } => UndoScope::Wave(wave),
        Which { numbers_file: Some(file), .. } => UndoScope::Numbers(process::read_numbers(&file)?),
        Which { numbers, .. } => UndoScope::Numbers(numbers),
    };
    let request = UndoRequest { supplier: code, which };
    if let UndoScope::Numbers(numbers) = &request.which {
        // An account that was undone before has a process; one that never was there is a mistake.
        app.as_command().check_numbers(&request.supplier, numbers)?;
    }
    if !yes {
        return Ok(context.output.answer(&Shown::from(app.as_command().undoable(&request)?))?);
    }
    // There is one with --yes.
    let because = because.unwrap_or_default();
    let begun = app.as_command().begin_undo(&request, &because, JobOwner::Caller)?;
    job::work(app, context, &begun.name, Some(begun.claim))
}
