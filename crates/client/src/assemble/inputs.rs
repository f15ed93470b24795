//! Tables as inputs of commands that read accounts or other requests: they are assembled once, into temporary files.

use super::accounts::damaged;
use super::files::{SeenFiles, TableFile, affinity, is_only_table, may_have_rows, table_file};
use super::lineage::MadeAccount;
use super::load::Loader;
use super::make::{Made, make};
use super::mapping::Mapping;
use super::output::Output;
use super::record::Record;
use super::unread;
use super::watch::Watch;
use super::{Findings, TableOptions, rows};
use crate::error::{Error, print_note};
use crate::input::{self, Found, Source, TableAccounts, find_unclaimed, is_of_accounts};
use crate::interrupt::StopFlag;
use crate::origin::{OriginsWriter, TableFinding};
use crate::output::counted;
use crate::request::{Selection, all_tables};
use cutover_model::tables::{Cell, Tables};
use cutover_tables::Format;
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// Inputs that were found and are not read yet.
pub(crate) struct Inputs {
    sets: Vec<TableSet>,
    mapping: Mapping,
    sources: Vec<Source>,
    /// Files of folders that are not read and have the format of tables or the name of one.
    unread: Vec<String>,
}

/// Tables that make one kind of body, and their files.
struct TableSet {
    tables: Tables,
    files: Vec<TableFile>,
}

/// Inputs that can be read as accounts or other requests.
pub(crate) struct Read {
    /// The inputs with accounts as JSON; those of the tables follow as the last ones.
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
        let tables = vec![Tables::payload()];
        let mapping = options.read(&tables)?;
        let mut search = Search::new(tables);
        let sources = find_unclaimed(paths, reports, &mut |path, found| search.claim(path, found, &mapping))?;
        let Search { sets, unread, .. } = search;
        Ok(Self { sets, mapping, sources, unread })
    }

    /// Finds inputs of other requests in the same way. Files of folders that belong to tables of accounts, or of other
    /// requests than the selected ones, are left alone: an extract may be in one folder.
    ///
    /// # Errors
    /// Those of [`Self::find`], and [`Error`] for a table of something else that is named, and for inputs that hold nothing.
    pub(crate) fn find_requests(
        selections: &[Selection],
        paths: &[PathBuf],
        reports: &[PathBuf],
        options: &TableOptions,
    ) -> Result<Self, Error> {
        let tables: Vec<Tables> = selections.iter().flat_map(|selection| selection.tables()).collect();
        let mapping = options.read(&tables)?;
        let mut search = Search { others: all_tables(), ..Search::new(tables) };
        let sources = find_unclaimed(paths, reports, &mut |path, found| search.claim(path, found, &mapping))?;
        let names = || {
            let tables = search.sets.iter().flat_map(|set| &set.tables);
            tables.map(|table| table.name).collect::<Vec<_>>().join(", ")
        };
        if let Some(path) = &search.refused {
            let path = path.display();
            let why = format!("{path} belongs to no table of these requests. Their tables: {}", names());
            return Err(Error::refused(why));
        }
        let has_tables = search.sets.iter().any(|set| !set.files.is_empty());
        if !has_tables && sources.is_empty() {
            return Err(Error::refused(format!("no file holds these requests. Their tables: {}", names())));
        }
        if !search.left_alone.is_empty() {
            print_note(&left_alone(&search.left_alone));
        }
        let Search { sets, unread, .. } = search;
        Ok(Self { sets, mapping, sources, unread })
    }

    /// Inputs without tables.
    pub(crate) fn without_tables(sources: Vec<Source>) -> Self {
        let (sets, mapping, unread) = Default::default();
        Self { sets, mapping, sources, unread }
    }

    /// True if all inputs are tables, false if all are accounts.
    ///
    /// # Errors
    /// [`Error`] if they are of both kinds.
    pub(crate) fn are_tables(&self) -> Result<bool, Error> {
        let has_no_tables = self.sets.iter().all(|set| set.files.is_empty());
        match (has_no_tables, self.sources.is_empty()) {
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
        self.sets.iter().try_for_each(|set| set.rows(&self.mapping, &watch, findings, &mut row))
    }

    /// Makes accounts or other requests of the tables, up to when the run is stopped.
    ///
    /// # Errors
    /// [`Error`] if a temporary file cannot be written.
    pub(crate) fn read(mut self, stop: StopFlag, quiet: bool) -> Result<Read, Error> {
        self.sets.retain(|set| !set.files.is_empty());
        if self.sets.is_empty() {
            return Ok(Read { sources: self.sources, tables: None });
        }
        let mut stored = Stored::new()?;
        for file in &self.unread {
            stored.finding(&unread(file))?;
        }
        let files = self.sets.iter().flat_map(|set| &set.files);
        let watch = Watch::new(quiet, files.map(TableFile::bytes).sum(), stop);
        for TableSet { tables, files } in &self.sets {
            let made = make((tables, &self.mapping), files, &watch, &mut stored)?;
            self.sources.push(stored.source(&made, tables)?);
        }
        Ok(Read { sources: self.sources, tables: Some(stored.finish()?) })
    }
}

impl TableSet {
    fn rows(
        &self,
        mapping: &Mapping,
        watch: &Watch,
        findings: &mut Findings,
        row: &mut impl FnMut(usize, &[Cell<'_>], bool),
    ) -> Result<(), Error> {
        let mut loader = Loader::new(&self.tables, mapping, watch);
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
}

/// Files of tables while they are looked for.
struct Search {
    sets: Vec<TableSet>,
    /// Tables whose files are left alone.
    others: Vec<Tables>,
    seen: SeenFiles,
    unread: Vec<String>,
    /// Files of folders that belong to other tables.
    left_alone: Vec<String>,
    /// A table that was named and belongs to none of the sets.
    refused: Option<PathBuf>,
}

impl Search {
    fn new(tables: Vec<Tables>) -> Self {
        let sets = tables.into_iter().map(|tables| TableSet { tables, files: Vec::new() }).collect();
        let (others, seen, unread, left_alone, refused) = Default::default();
        Self { sets, others, seen, unread, left_alone, refused }
    }

    /// Takes a file that belongs to a table. Returns false if it is to be read as JSON.
    fn claim(&mut self, path: &Path, found: Found, mapping: &Mapping) -> bool {
        let by_name = |tables: &Tables| affinity(path, tables, mapping);
        let of_others = self.others.iter().map(by_name).max().unwrap_or_default();
        let set = self.sets.iter_mut().max_by_key(|set| by_name(&set.tables));
        let set = set.filter(|set| by_name(&set.tables) >= of_others);
        let file = set.and_then(|set| Some((table_file(path, &set.tables, mapping)?, set)));
        if let Some((file, set)) = file {
            let is_table = file.format != Format::Ndjson || rows::are_in(&file, &set.tables);
            let seen = &mut self.seen;
            set.files.extend(Some(file).filter(|file| is_table && seen.is_new(file)));
            return is_table;
        }
        match found {
            Found::Given => self.refuse(path),
            Found::InFolder => self.leave(path, mapping),
        }
    }

    /// Refuses a table of something else that was named.
    fn refuse(&mut self, path: &Path) -> bool {
        let is_refused = !self.others.is_empty() && is_only_table(path);
        if is_refused {
            self.refused.get_or_insert_with(|| path.to_owned());
        }
        is_refused
    }

    /// Leaves a file of a folder alone that belongs to another table, or to none.
    fn leave(&mut self, path: &Path, mapping: &Mapping) -> bool {
        let others = self.others.iter();
        let other = others.filter_map(|tables| Some((table_file(path, tables, mapping)?, tables))).next();
        if let Some((file, tables)) = other {
            let is_table = file.format != Format::Ndjson || rows::are_in(&file, tables);
            if is_table {
                self.left_alone.push(file.name);
            }
            return is_table;
        }
        let all = self.sets.iter().map(|set| &set.tables).chain(&self.others);
        let may_have_rows = all.into_iter().any(|tables| may_have_rows(path, tables, mapping));
        if !is_of_accounts(path) && may_have_rows {
            self.unread.push(path.display().to_string());
        }
        false
    }
}

/// Names the files of folders that belong to other tables.
fn left_alone(files: &[String]) -> String {
    input::named("left alone, because they belong to other tables", files)
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

/// Accounts or other requests, their origins and findings, in temporary files without a name.
struct Stored {
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
    fn new() -> Result<Self, Error> {
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
    fn source(&mut self, made: &Made, tables: &Tables) -> Result<Source, Error> {
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

    fn finish(self) -> Result<TablesRead, Error> {
        let findings = self.findings.into_inner().map_err(io::Error::from)?;
        Ok(TablesRead { counts: self.counts, findings })
    }
}
