//! Shows and writes findings.

use crate::error::{Error, print_error};
use crate::origin::TableFinding;
use crate::output::grouped;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

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
            print_error(&format_args!("{}: {}", finding.origin(), finding.detail));
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
