//! What is lost or in doubt on the way from tables to accounts.

use crate::error::{Error, print_error};
use crate::output::grouped;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A finding about a file, a row or a cell. It holds no value but the account's number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TableFinding<'f> {
    pub(crate) file: &'f str,
    /// The line on which the row begins, from 1 on; in Parquet the number of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// The name of the column in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) external_account_number: Option<&'f str>,
    /// A word for programs.
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
}

/// Takes findings: prints the first ones, and writes all to a file.
pub(crate) struct Findings {
    file: Option<BufWriter<File>>,
    path: String,
    pub(crate) count: u64,
}

/// Maximum number of findings that are printed.
const MAX_PRINTED: u64 = 50;

impl Findings {
    /// Findings that are also written to a file, if there is one.
    ///
    /// # Errors
    /// [`Error`] if it cannot be created.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self, Error> {
        let create =
            |path: &Path| File::create(path).map(BufWriter::new).map_err(Error::file("written", path));
        let file = path.map(create).transpose()?;
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        Ok(Self { file, path, count: 0 })
    }

    /// Adds a finding.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be written.
    pub(crate) fn add(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.count += 1;
        if self.count <= MAX_PRINTED {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let column = finding.column.map(|column| format!(":{column}")).unwrap_or_default();
            print_error(&format_args!("{}{line}{column}: {}", finding.file, finding.detail));
        }
        let Some(out) = &mut self.file else { return Ok(()) };
        let written =
            serde_json::to_writer(&mut *out, finding).map_err(Into::into).and_then(|()| out.write_all(b"\n"));
        written.map_err(Error::file("written", Path::new(&self.path)))
    }

    /// Completes the file, and says how many findings were not printed.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be written.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        if self.count > MAX_PRINTED {
            let more = grouped(self.count - MAX_PRINTED);
            print_error(&format_args!("{more} more findings: --findings FILE writes all"));
        }
        let flushed = self.file.as_mut().map_or(Ok(()), BufWriter::flush);
        flushed.map_err(Error::file("written", Path::new(&self.path)))
    }
}
