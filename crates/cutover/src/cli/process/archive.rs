//! Retention: payload and history of processes that have ended move to a file of lines.

mod file;
mod line;

use crate::error::Error;
use crate::output::{Answer, Output, plain};
use chrono::NaiveDate;
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{ArchiveError, ArchiveScope, Archived};
use file::ArchiveFile;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Only processes that changed last before this day began in UTC, such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    before: NaiveDate,
    /// The file that gets a line for each process; a new one, or one that was an archive before
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Only processes of this supplier
    #[arg(long, value_name = "CODE")]
    supplier: Option<String>,
    /// At most so many processes
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Do it; without this nothing is changed, only counted
    #[arg(long)]
    yes: bool,
}

/// What would be done.
#[derive(Serialize)]
struct Counted {
    archivable: u64,
    #[serde(skip)]
    file: String,
}

/// What was done.
#[derive(Serialize)]
struct Done {
    archived: u64,
    stayed: u64,
    #[serde(skip)]
    file: String,
}

fn processes(count: u64) -> String {
    format!("{count} {}", if count == 1 { "process" } else { "processes" })
}

impl Answer for Counted {
    fn text(&self) -> String {
        let what = processes(self.archivable);
        format!(
            "Payload and history of {what} would move to {}. Nothing was changed: --yes does it.",
            plain(&self.file)
        )
    }
}

impl Answer for Done {
    fn text(&self) -> String {
        let moved =
            format!("Payload and history of {} moved to {}.", processes(self.archived), plain(&self.file));
        match self.stayed {
            0 => moved,
            stayed => {
                format!("{moved} Those of {} stayed: changed meanwhile, or not readable.", processes(stayed))
            }
        }
    }
}

pub(super) fn run(app: &App, output: Output, args: ArchiveArgs) -> Result<(), Error> {
    let ArchiveArgs { before, to, supplier, limit, yes } = args;
    let (scope, file) = (ArchiveScope { before, supplier, limit }, to.display().to_string());
    if !yes {
        return Ok(output.answer(&Counted { archivable: app.count_archivable(&scope)?, file })?);
    }
    let mut archive =
        ArchiveFile::open(&to).map_err(|e| Error::refused(format!("the archive {file}: {e}")))?;
    let Archived { archived, stayed } = app.archive_processes(&scope, &mut archive).map_err(|e| match e {
        ArchiveError::Operator(error) => Error::from(error),
        ArchiveError::Archive(error) => {
            Error::refused(format!("the archive {file} cannot be written: {error}"))
        }
    })?;
    Ok(output.answer(&Done { archived, stayed, file })?)
}
