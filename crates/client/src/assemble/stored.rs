//! Accounts and other requests that were made of tables, in temporary files.

use super::lineage::MadeAccount;
use super::make::Made;
use super::output::Output;
use crate::error::Error;
use crate::input::{Source, TableAccounts};
use crate::origin::{OriginsWriter, TableFinding};
use crate::output::counted;
use cutover_model::tables::Tables;
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

/// The result of reading tables.
pub(crate) struct TablesRead {
    pub(crate) counts: TableCounts,
    /// The findings that are not about the rows of one account, one per line.
    findings: File,
}

/// Counts of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct TableCounts {
    pub(crate) files: u64,
    pub(crate) rows: u64,
    /// Everything that was found while the accounts were made.
    pub(crate) findings: u64,
}

/// For people.
impl fmt::Display for TableCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, rows, findings } = *self;
        let [files, rows, findings] =
            [(files, "file"), (rows, "row"), (findings, "finding")].map(|(n, thing)| counted(n, thing));
        write!(f, "{files}, {rows}, {findings}")
    }
}

impl TablesRead {
    /// Hands on the findings that are not about the rows of one account.
    ///
    /// # Errors
    /// [`Error`] if the temporary file cannot be read, or that of `each`.
    pub(crate) fn each_finding(
        &mut self,
        mut each: impl FnMut(&TableFinding<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.findings.rewind()?;
        let mut lines = BufReader::new(&self.findings);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            each(&serde_json::from_slice(&line).map_err(io::Error::from)?)?;
            line.clear();
        }
        Ok(())
    }
}

/// Maximum number of findings that stay with an account; more are of the run.
const MAX_OF_ACCOUNT: usize = 1_000;

/// Accounts or other requests, their origins and findings, in temporary files without a name.
pub(super) struct Stored {
    accounts: BufWriter<File>,
    origins: OriginsWriter,
    findings: BufWriter<File>,
    /// The findings about the account that comes next, perhaps.
    pending: Vec<TableFinding<'static>>,
    counts: TableCounts,
}

impl Output for Stored {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.counts.findings += 1;
        let number = finding.external_account_number.as_ref();
        if self.pending.last().is_some_and(|last| last.external_account_number.as_ref() != number) {
            self.spill()?;
        }
        if number.is_some() && self.pending.len() < MAX_OF_ACCOUNT {
            self.pending.push(finding.clone().into_owned());
            return Ok(());
        }
        self.write(finding)
    }

    fn account(&mut self, account: &MadeAccount<'_>) -> Result<(), Error> {
        let is_other =
            |last: &TableFinding<'_>| last.external_account_number.as_deref() != Some(account.number);
        if self.pending.last().is_some_and(is_other) {
            self.spill()?;
        }
        self.accounts.write_all(account.json)?;
        self.accounts.write_all(b"\n")?;
        Ok(self.origins.add(account.origins(), std::mem::take(&mut self.pending))?)
    }
}

impl Stored {
    pub(super) fn new() -> Result<Self, Error> {
        let file = || tempfile::tempfile().map(BufWriter::new);
        let (pending, counts) = Default::default();
        Ok(Self { accounts: file()?, origins: OriginsWriter::new()?, findings: file()?, pending, counts })
    }

    /// Makes the findings about rows without an account those of the run.
    fn spill(&mut self) -> Result<(), Error> {
        std::mem::take(&mut self.pending).iter().try_for_each(|finding| self.write(finding))
    }

    fn write(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        serde_json::to_writer(&mut self.findings, finding).map_err(io::Error::from)?;
        Ok(self.findings.write_all(b"\n")?)
    }

    /// The accounts that were stored since the last call, as an input.
    pub(super) fn source(&mut self, made: &Made, tables: &Tables) -> Result<Source, Error> {
        self.spill()?;
        self.counts.files += made.files.len() as u64;
        self.counts.rows += made.rows;
        let accounts = std::mem::replace(&mut self.accounts, BufWriter::new(tempfile::tempfile()?));
        let origins = std::mem::replace(&mut self.origins, OriginsWriter::new()?);
        let files = made.files.iter().map(|file| file.origin(tables)).collect();
        let origins = origins.finish(files)?;
        let file = accounts.into_inner().map_err(io::Error::from)?;
        Ok(Source::of_tables(TableAccounts { file, origins })?)
    }

    pub(super) fn finish(self) -> Result<TablesRead, Error> {
        let findings = self.findings.into_inner().map_err(io::Error::from)?;
        Ok(TablesRead { counts: self.counts, findings })
    }
}
