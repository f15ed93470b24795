//! Tables as inputs of commands that read accounts: they are assembled once, into temporary files.

use super::accounts::damaged;
use super::files::{SeenFiles, TableFile, may_have_rows, table_file};
use super::lineage::MadeAccount;
use super::load::Loader;
use super::make::{Made, make};
use super::mapping::Mapping;
use super::output::Output;
use super::record::Record;
use super::unread;
use super::watch::Watch;
use super::{Findings, TableOptions, rows};
use crate::error::Error;
use crate::input::{Found, Source, TableAccounts, find_unclaimed, is_of_accounts};
use crate::interrupt::StopFlag;
use crate::origin::{OriginsWriter, TableFinding};
use crate::output::counted;
use cutover_model::tables::{Cell, Tables};
use cutover_tables::Format;
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// Inputs that were found and are not read yet.
pub(crate) struct Inputs {
    tables: Tables,
    mapping: Mapping,
    sources: Vec<Source>,
    files: Vec<TableFile>,
    /// Files of folders that are not read and have the format of tables or the name of one.
    unread: Vec<String>,
}

/// Inputs that can be read as accounts.
pub(crate) struct Read {
    /// The inputs with accounts as JSON; those of the tables follow as the last one.
    pub(crate) sources: Vec<Source>,
    /// What the tables came to, if there are any.
    pub(crate) tables: Option<TablesRead>,
}

/// The result of reading tables.
pub(crate) struct TablesRead {
    pub(crate) counts: TableCounts,
    /// The findings that are not about the rows of one account, one per line.
    findings: File,
}

/// Counts of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

impl Inputs {
    /// Finds the inputs that paths name, as [`input::find`](crate::input::find) does, and the tables among them. A file
    /// belongs to a table by its name; one of NDJSON also by its first line, because accounts are NDJSON too.
    ///
    /// # Errors
    /// Those of [`input::find`](crate::input::find), and [`Error`] for a mapping that makes no sense.
    pub(crate) fn find(
        paths: &[PathBuf],
        reports: &[PathBuf],
        options: &TableOptions,
    ) -> Result<Self, Error> {
        let tables = Tables::payload();
        let mapping = options.read(&tables)?;
        let (mut files, mut unread, mut seen) = (Vec::new(), Vec::new(), SeenFiles::default());
        let mut claim = |path: &Path, found| match table_file(path, &tables, &mapping) {
            Some(file) => {
                let is_table = file.format != Format::Ndjson || rows::are_in(&file, &tables);
                files.extend(Some(file).filter(|file| is_table && seen.is_new(file)));
                is_table
            }
            None => {
                let is_in_folder = found == Found::InFolder;
                if is_in_folder && !is_of_accounts(path) && may_have_rows(path, &tables, &mapping) {
                    unread.push(path.display().to_string());
                }
                false
            }
        };
        let sources = find_unclaimed(paths, reports, &mut claim)?;
        Ok(Self { tables, mapping, sources, files, unread })
    }

    /// Inputs without tables.
    pub(crate) fn without_tables(sources: Vec<Source>) -> Self {
        let (mapping, files, unread) = Default::default();
        Self { tables: Tables::payload(), mapping, sources, files, unread }
    }

    /// True if all inputs are tables, false if all are accounts.
    ///
    /// # Errors
    /// [`Error`] if they are of both kinds.
    pub(crate) fn are_tables(&self) -> Result<bool, Error> {
        match (self.files.is_empty(), self.sources.is_empty()) {
            (false, false) => Err(Error::refused("name either tables or accounts, not both".to_owned())),
            (is_without, _) => Ok(!is_without),
        }
    }

    /// Gives each row of the tables to `row`: the index of its table, its cells, and whether it is the first one of its
    /// account. The rows of an account follow each other.
    ///
    /// # Errors
    /// [`Error`] if a temporary file or the findings cannot be written. A file that cannot be read to its end is a finding.
    pub(crate) fn rows(
        &self,
        stop: StopFlag,
        findings: &mut Findings,
        mut row: impl FnMut(usize, &[Cell<'_>], bool),
    ) -> Result<(), Error> {
        for file in &self.unread {
            findings.add(&unread(file))?;
        }
        let watch = Watch::new(true, None, stop);
        let mut loader = Loader::new(&self.tables, &self.mapping, &watch);
        self.files.iter().try_for_each(|file| loader.file(file, &mut OnlyFindings(findings)))?;
        let mut sorted = loader.sorter.finish()?;
        let mut account = None;
        while let Some(bytes) = sorted.next()?.filter(|_| !watch.is_stopped()) {
            let record = Record::decode(&bytes).ok_or_else(damaged)?;
            let is_first = account.as_deref() != Some(record.key.account);
            if is_first {
                account = Some(record.key.account.to_owned());
            }
            let decoded = record.row(&self.tables).ok_or_else(damaged)?;
            row(decoded.table, &decoded.cells, is_first);
        }
        Ok(())
    }

    /// Makes accounts of the tables, up to when the run is stopped.
    ///
    /// # Errors
    /// [`Error`] if a temporary file cannot be written.
    pub(crate) fn read(mut self, stop: StopFlag, quiet: bool) -> Result<Read, Error> {
        if self.files.is_empty() {
            return Ok(Read { sources: self.sources, tables: None });
        }
        let mut stored = Stored::new()?;
        for file in &self.unread {
            stored.finding(&unread(file))?;
        }
        let bytes = self.files.iter().map(TableFile::bytes).sum();
        let watch = Watch::new(quiet, bytes, stop);
        let made = make((&self.tables, &self.mapping), &self.files, &watch, &mut stored)?;
        let (source, read) = stored.finish(&made, &self.tables)?;
        self.sources.push(source);
        Ok(Read { sources: self.sources, tables: Some(read) })
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

/// Takes the findings of files of which no account is made.
struct OnlyFindings<'f>(&'f mut Findings);

impl Output for OnlyFindings<'_> {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.0.add(finding)
    }

    fn account(&mut self, _: &MadeAccount<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Maximum number of findings that stay with an account; more are of the run.
const MAX_OF_ACCOUNT: usize = 1_000;

/// Accounts, their origins and findings, in temporary files without a name.
struct Stored {
    accounts: BufWriter<File>,
    origins: OriginsWriter,
    findings: BufWriter<File>,
    /// The findings about the account that comes next, perhaps.
    pending: Vec<TableFinding<'static>>,
    count: u64,
}

impl Output for Stored {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        self.count += 1;
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
    fn new() -> Result<Self, Error> {
        let file = || tempfile::tempfile().map(BufWriter::new);
        let (pending, count) = Default::default();
        Ok(Self { accounts: file()?, origins: OriginsWriter::new()?, findings: file()?, pending, count })
    }

    /// Makes the findings about rows without an account those of the run.
    fn spill(&mut self) -> Result<(), Error> {
        std::mem::take(&mut self.pending).iter().try_for_each(|finding| self.write(finding))
    }

    fn write(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        serde_json::to_writer(&mut self.findings, finding).map_err(io::Error::from)?;
        Ok(self.findings.write_all(b"\n")?)
    }

    fn finish(mut self, made: &Made, tables: &Tables) -> Result<(Source, TablesRead), Error> {
        self.spill()?;
        let files = made.files.iter().map(|file| file.origin(tables)).collect();
        let origins = self.origins.finish(files)?;
        let file = self.accounts.into_inner().map_err(io::Error::from)?;
        let findings = self.findings.into_inner().map_err(io::Error::from)?;
        let counts = TableCounts { files: made.files.len() as u64, rows: made.rows, findings: self.count };
        Ok((Source::of_tables(TableAccounts { file, origins })?, TablesRead { counts, findings }))
    }
}
