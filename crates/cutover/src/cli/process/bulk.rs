use super::ChangedProcess;
use crate::cli::job;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, plain};
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{BulkOutlook, BulkRequest, JobOwner};
use cutover_app::port::JobKind;
use cutover_process::State;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Maximum size in bytes of a file of numbers.
const MAX_FILE: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(crate) struct BulkArgs {
    /// Code of the supplier
    supplier: String,
    /// Numbers of accounts at their previous supplier; without any, all that the options select
    #[arg(conflicts_with_all = ["numbers_file", "status", "undone", "error_code", "before"])]
    numbers: Vec<String>,
    /// Only the accounts in this file, a number a line
    #[arg(long, value_name = "FILE")]
    numbers_file: Option<PathBuf>,
    /// Only processes in this status, for example ERRORED; of CANCELLED ones, those whose import was undone are left out
    #[arg(long, value_parser = super::state)]
    status: Option<State>,
    /// Only processes that are CANCELLED because their import was undone
    #[arg(long)]
    undone: bool,
    /// Only processes that failed with this error code
    #[arg(long, value_name = "CODE")]
    error_code: Option<String>,
    /// Only processes whose last step was before this day (in UTC) or time
    #[arg(long, value_name = "TIME", value_parser = crate::cli::audit::since)]
    before: Option<DateTime<Utc>>,
    /// Do it; without this, processes are only counted
    #[arg(long)]
    yes: bool,
}

/// The number of processes that a bulk operation matches.
#[derive(Serialize)]
pub(super) struct Matched {
    pub(super) matched: u64,
}

impl Answer for Matched {
    fn text(&self) -> String {
        format!("{} processes match. Nothing is changed without --yes.", self.matched)
    }
}

/// The result of an operation on several named accounts.
#[derive(Serialize)]
struct Several(Vec<ChangedProcess>);

impl Answer for Several {
    fn text(&self) -> String {
        self.0.iter().map(Answer::text).collect::<Vec<_>>().join("\n")
    }
}

pub(super) fn run(app: &App, context: &Context, kind: JobKind, args: BulkArgs) -> Result<(), Error> {
    if !args.numbers.is_empty() {
        return named(app, context, kind, &args);
    }
    let BulkArgs { supplier, numbers_file, status, undone, error_code, before, yes, .. } = args;
    let numbers = numbers_file.as_deref().map(read_numbers).transpose()?;
    app.as_command().check_numbers(&supplier, numbers.as_deref().unwrap_or_default())?;
    let request = BulkRequest { kind, supplier, status, is_undone: undone, error_code, before, numbers };
    warn_of_failures(&app.as_command().bulk_outlook(&request)?);
    if !yes {
        let matched = app.as_command().count_bulk(&request)?;
        return Ok(context.output.answer(&Matched { matched })?);
    }
    let begun = app.as_command().begin_bulk(&request, JobOwner::Caller)?;
    job::work(app, context, &begun.name, Some(begun.claim))
}

/// Changes accounts that the command names, one after another. Those that can be changed are, whatever the others do.
fn named(app: &App, context: &Context, kind: JobKind, args: &BulkArgs) -> Result<(), Error> {
    let mut changed = Vec::new();
    let mut failed = None;
    for number in &args.numbers {
        if kind == JobKind::Retry {
            warn_of_failure(app, &args.supplier, number);
        }
        let (stepped, action) = match kind {
            JobKind::Cancel => (app.as_command().cancel_process(&args.supplier, number), "Cancelled"),
            _ => (app.as_command().retry_process(&args.supplier, number), "Started another attempt of"),
        };
        match stepped {
            Ok((_, status)) => changed.push(ChangedProcess::new(number, status, action)),
            Err(error) if args.numbers.len() == 1 => return Err(error.into()),
            Err(error) => {
                eprintln!("{}: {}", plain(number), plain(&error.to_string()));
                failed = Some(Error::refused("some of the processes were not changed"));
            }
        }
    }
    match (changed.len(), args.numbers.len()) {
        (1, 1) => context.output.answer(&changed.remove(0))?,
        _ => context.output.answer(&Several(changed))?,
    }
    failed.map_or(Ok(()), Err)
}

/// Maximum number of errors or codes named in a warning.
const MOST_NAMED: usize = 3;

/// Prints a warning if an account would fail again. Documents are not looked up.
fn warn_of_failure(app: &App, supplier: &str, number: &str) {
    // The retry reports what is wrong with the account itself.
    let errors = app.as_command().retry_errors(supplier, number).unwrap_or_default();
    if !errors.is_empty() {
        let named = errors.iter().take(MOST_NAMED).map(|error| format!("{} at {}", error.code, error.attr));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = errors.len().saturating_sub(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        eprintln!("{}", plain(&format!("warning: {number} would fail again now: {named}{more}")));
    }
}

/// Prints a warning if accounts would fail again.
fn warn_of_failures(outlook: &BulkOutlook) {
    if outlook.failing > 0 {
        let named = outlook.codes.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(|(code, accounts)| format!("{code} ({accounts})")).collect();
        eprintln!(
            "{}",
            plain(&format!(
                "warning: {} of the first {} would fail again now: {}",
                outlook.failing,
                outlook.checked,
                named.join(", ")
            ))
        );
    }
}

/// Reads a file of numbers: a number a line. Blank lines are left out.
pub(crate) fn read_numbers(path: &Path) -> Result<Vec<String>, Error> {
    let failed =
        |error: &dyn std::fmt::Display| Error::refused(format!("{} cannot be read: {error}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| failed(&error))?.len();
    if size > MAX_FILE {
        return Err(failed(&"it is larger than 64 MiB"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_number_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        std::fs::write(&path, "\u{feff}A-1\r\n\n  A-2 \nA-1").unwrap();
        assert_eq!(read_numbers(&path).unwrap(), ["A-1", "A-2", "A-1"]);
        assert!(read_numbers(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    }
}
