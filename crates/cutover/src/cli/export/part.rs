//! A part of an export: a file of each table that has rows of its accounts.

use super::progress::{Part, Progress, TableFiles};
use super::target::Target;
use crate::error::Error;
use cutover_app::port::ImportedAccount;
use cutover_core::Zone;
use cutover_model::Totals;
use cutover_model::tables::{Cell, RowsError, Tables};
use cutover_tables::{Format, Layout, Mask, Personal, TableWriter};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Writes accounts to the files of parts.
pub(super) struct Writer<'t> {
    pub(super) target: &'t Target,
    pub(super) tables: Tables,
    pub(super) format: Format,
    pub(super) personal: Personal,
    pub(super) mask: Option<Mask>,
    pub(super) zone: Zone,
}

/// The files of a part that is not complete.
pub(super) struct OpenPart {
    /// By the index of the table.
    files: Vec<Option<TableWriter<Hashed>>>,
    /// Number of its accounts.
    pub(super) accounts: u64,
    /// Size of its accounts, in bytes of JSON.
    pub(super) size: u64,
    totals: Totals,
}

/// A file, with the digest and the number of its bytes.
pub(super) struct Hashed {
    file: BufWriter<File>,
    digest: Sha256,
    bytes: u64,
}

/// The reason why an account could not be written.
enum Failure {
    Rows(RowsError),
    Error(Error),
}

impl From<RowsError> for Failure {
    fn from(error: RowsError) -> Self {
        Self::Rows(error)
    }
}

impl Writer<'_> {
    /// Begins a part with this number. The first one has a file of every table, which shows its columns.
    pub(super) fn begin(&self, number: u32) -> Result<OpenPart, Error> {
        let files = (0..self.tables.iter().count())
            .map(|table| if number == 1 { self.file(number, table).map(Some) } else { Ok(None) })
            .collect::<Result<_, Error>>()?;
        Ok(OpenPart { files, accounts: 0, size: 0, totals: Totals::default() })
    }

    /// Adds an account.
    pub(super) fn add(
        &self,
        number: u32,
        part: &mut OpenPart,
        account: &ImportedAccount,
    ) -> Result<(), Error> {
        let json = account.to_json(self.zone);
        let rows = self.tables.indexed_rows(&json, |table, cells| self.row(number, part, table, cells));
        rows.map_err(|failure| match failure {
            Failure::Error(error) => error,
            Failure::Rows(error) => Error::refused(format!("an account cannot be exported: {error}")),
        })?;
        part.accounts += 1;
        part.size += json.len() as u64;
        let totals = part.totals.checked_add(account.totals(self.zone));
        part.totals = totals.ok_or_else(overflow)?;
        Ok(())
    }

    fn row(&self, number: u32, part: &mut OpenPart, table: usize, cells: &[Cell<'_>]) -> Result<(), Failure> {
        let writer = match &mut part.files[table] {
            Some(writer) => writer,
            none => none.insert(self.file(number, table).map_err(Failure::Error)?),
        };
        let written = match (&self.mask, self.tables.iter().nth(table)) {
            (Some(mask), Some(of)) => writer.row(&mask.row(of, cells)),
            _ => writer.row(cells),
        };
        written.map_err(|error| Failure::Error(self.unwritable(number, table, &error)))
    }

    /// Ends a part: its files get their names, and the progress counts it.
    pub(super) fn end(&self, number: u32, part: OpenPart, progress: &mut Progress) -> Result<(), Error> {
        for (table, writer) in part.files.into_iter().enumerate() {
            let Some(writer) = writer else { continue };
            let (name, rows) = (self.name(number, table), writer.rows());
            let hashed = writer.finish().and_then(Hashed::finish);
            let (file, sha256, bytes) = hashed.map_err(|error| self.unwritable(number, table, &error))?;
            self.target.keep(&name, file)?;
            let of: &mut TableFiles = &mut progress.tables[table];
            of.rows += rows;
            of.parts.push(Part { file: name, rows, bytes, sha256 });
        }
        let before = progress.totals.totals().ok_or_else(overflow)?;
        progress.totals = before.checked_add(part.totals).ok_or_else(overflow)?.into();
        progress.parts = number;
        Ok(())
    }

    fn file(&self, number: u32, table: usize) -> Result<TableWriter<Hashed>, Error> {
        let Some(of) = self.tables.iter().nth(table) else {
            return Err(Error::refused("a row is of no table"));
        };
        let file = self.target.create(&self.name(number, table))?;
        let hashed = Hashed { file: BufWriter::new(file), digest: Sha256::new(), bytes: 0 };
        TableWriter::new(self.format, Layout::of(of, self.personal), hashed)
            .map_err(|error| self.unwritable(number, table, &error))
    }

    fn name(&self, number: u32, table: usize) -> String {
        let table = self.tables.iter().nth(table).map_or("", |table| table.name);
        format!("{table}/part-{number:05}.{}", self.format.as_str())
    }

    fn unwritable(&self, number: u32, table: usize, error: &io::Error) -> Error {
        Error::refused(format!(
            "the file {} of the export cannot be written: {error}",
            self.name(number, table)
        ))
    }
}

fn overflow() -> Error {
    Error::refused("the totals of the export cannot be represented exactly")
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Hashed {
    fn finish(self) -> io::Result<(File, String, u64)> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let sha256 = self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((file, sha256, self.bytes))
    }
}
