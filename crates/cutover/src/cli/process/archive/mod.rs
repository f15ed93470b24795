//! Retention: moves payload and history of ended processes to a file of JSON lines.

mod file;
mod line;

use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, plain};
use crate::settings::Encryption;
use chrono::NaiveDate;
use clap::Args;
use cutover_app::App;
use cutover_app::operator::{ArchiveError, ArchiveScope, Archived};
use file::ArchiveFile;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Only processes last changed before the beginning of this day in UTC, for example 2026-01-31
    #[arg(long, value_name = "DATE")]
    before: NaiveDate,
    /// File to write a line per process to: a new file or an existing archive
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Only processes of this supplier
    #[arg(long, value_name = "CODE")]
    supplier: Option<String>,
    /// Maximum number of processes
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Archive them; without this flag they are only counted
    #[arg(long)]
    yes: bool,
}

/// The result without `--yes`.
#[derive(Serialize)]
struct Counted {
    archivable: u64,
    #[serde(flatten)]
    form: Form,
    #[serde(skip)]
    file: String,
}

/// The result with `--yes`.
#[derive(Serialize)]
struct Done {
    archived: u64,
    stayed: u64,
    #[serde(flatten)]
    form: Form,
    #[serde(skip)]
    file: String,
}

/// The form of payloads in the file, which must be readable without the database's keys.
#[derive(Clone, Copy, Serialize)]
struct Form {
    /// Set if the database encrypts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    payloads: Option<&'static str>,
}

impl Form {
    fn of(encryption: &Encryption) -> Self {
        Self { payloads: encryption.is_configured().then_some("open") }
    }

    fn text(self) -> &'static str {
        if self.payloads.is_some() { " Payloads are not encrypted in that file." } else { "" }
    }
}

fn processes(count: u64) -> String {
    format!("{count} {}", if count == 1 { "process" } else { "processes" })
}

impl Answer for Counted {
    fn text(&self) -> String {
        let what = processes(self.archivable);
        format!(
            "Payload and history of {what} would move to {}. Nothing was changed: add --yes to do it.{}",
            plain(&self.file),
            self.form.text()
        )
    }
}

impl Answer for Done {
    fn text(&self) -> String {
        let (what, file, form) = (processes(self.archived), plain(&self.file), self.form.text());
        let moved = format!("Payload and history of {what} moved to {file}.{form}");
        match self.stayed {
            0 => moved,
            stayed => {
                format!(
                    "{moved} Those of {} stayed: they changed meanwhile, or cannot be read.",
                    processes(stayed)
                )
            }
        }
    }
}

pub(super) fn run(app: &App, context: &Context, args: ArchiveArgs) -> Result<(), Error> {
    let (output, form) = (context.output, Form::of(&context.settings.encryption));
    let ArchiveArgs { before, to, supplier, limit, yes } = args;
    let (scope, file) = (ArchiveScope { before, supplier, limit }, to.display().to_string());
    if !yes {
        return Ok(output.answer(&Counted {
            archivable: app.as_command().count_archivable(&scope)?,
            form,
            file,
        })?);
    }
    let mut archive =
        ArchiveFile::open(&to).map_err(|e| Error::refused(format!("the archive {file}: {e}")))?;
    let Archived { archived, stayed } =
        app.as_command().archive_processes(&scope, &mut archive).map_err(|e| match e {
            ArchiveError::Operator(error) => Error::from(error),
            ArchiveError::Archive(error) => {
                Error::refused(format!("the archive {file} cannot be written: {error}"))
            }
        })?;
    Ok(output.answer(&Done { archived, stayed, form, file })?)
}
