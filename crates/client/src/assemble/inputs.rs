//! Tables as inputs of commands that read accounts or other requests: they are assembled once, into temporary files.

use super::accounts::damaged;
use super::files::TableFile;
use super::lineage::MadeAccount;
use super::load::Loader;
use super::make::make;
use super::mapping::Mapping;
use super::output::Output;
use super::record::Record;
use super::search::{Search, TableSet};
use super::stored::{Stored, TablesRead};
use super::unread;
use super::watch::Watch;
use super::{Findings, TableOptions};
use crate::error::Error;
use crate::input::Source;
use crate::interrupt::StopFlag;
use crate::origin::TableFinding;
use crate::request::Selection;
use cutover_model::tables::Cell;
use std::path::PathBuf;

/// Inputs that were found and are not read yet.
pub(crate) struct Inputs {
    sets: Vec<TableSet>,
    mapping: Mapping,
    sources: Vec<Source>,
    /// Files of folders that are not read and have the format of tables or the name of one.
    unread: Vec<String>,
}

/// Inputs that can be read as accounts or other requests.
pub(crate) struct Read {
    /// The inputs with accounts as JSON; those of the tables follow as the last ones.
    pub(crate) sources: Vec<Source>,
    /// What the tables came to, if there are any.
    pub(crate) tables: Option<TablesRead>,
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
        let mut search = Search::accounts();
        let mapping = options.read(search.tables())?;
        let sources = search.run(paths, reports, &mapping)?;
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
        let mut search = Search::requests(selections.iter().flat_map(|of| of.tables()).collect());
        let mapping = options.read(search.tables())?;
        let sources = search.run(paths, reports, &mapping)?;
        search.check(!sources.is_empty())?;
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
        for TableSet { tables, files, .. } in &self.sets {
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
