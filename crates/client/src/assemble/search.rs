//! Finds the files of tables among the inputs of a command.

use super::files::{SeenFiles, TableFile, affinity, is_only_table, may_have_rows, table_file};
use super::mapping::Mapping;
use super::rows;
use crate::error::{Error, print_note};
use crate::input::{self, Found, Source, find_unclaimed, is_of_accounts};
use crate::request::all_tables;
use cutover_model::tables::Tables;
use cutover_tables::Format;
use std::path::{Path, PathBuf};

/// Tables that make one kind of body, and their files.
pub(super) struct TableSet {
    pub(super) tables: Tables,
    pub(super) files: Vec<TableFile>,
    seen: SeenFiles,
}

/// Files of tables while they are looked for.
pub(super) struct Search {
    pub(super) sets: Vec<TableSet>,
    /// Tables whose files are left alone.
    others: Vec<Tables>,
    /// Files of folders that are not read and have the format of tables or the name of one.
    pub(super) unread: Vec<String>,
    /// Files of folders that belong to other tables.
    left_alone: Vec<String>,
    /// A table that was named and belongs to none of the sets.
    refused: Option<PathBuf>,
}

impl Search {
    /// A search for the files of accounts.
    pub(super) fn accounts() -> Self {
        Self::new(vec![Tables::payload()], Vec::new())
    }

    /// A search for the files of requests, which leaves those of all other tables alone.
    pub(super) fn requests(tables: Vec<Tables>) -> Self {
        Self::new(tables, all_tables())
    }

    fn new(tables: Vec<Tables>, others: Vec<Tables>) -> Self {
        let set = |tables| TableSet { tables, files: Vec::new(), seen: SeenFiles::default() };
        let sets = tables.into_iter().map(set).collect();
        let (unread, left_alone, refused) = Default::default();
        Self { sets, others, unread, left_alone, refused }
    }

    /// The tables whose files are looked for.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Tables> {
        self.sets.iter().map(|set| &set.tables)
    }

    /// Takes the files of tables among those that paths name, and returns the others.
    ///
    /// # Errors
    /// Those of [`input::find`].
    pub(super) fn run(
        &mut self,
        paths: &[PathBuf],
        reports: &[PathBuf],
        mapping: &Mapping,
    ) -> Result<Vec<Source>, Error> {
        find_unclaimed(paths, reports, &mut |path, found| self.claim(path, found, mapping))
    }

    /// Names the files that were left alone.
    ///
    /// # Errors
    /// [`Error`] for a table of something else that was named, and if nothing was found. `has_sources` is true if there are
    /// other inputs.
    pub(super) fn check(&self, has_sources: bool) -> Result<(), Error> {
        let names = || self.tables().flatten().map(|table| table.name).collect::<Vec<_>>().join(", ");
        if let Some(path) = &self.refused {
            let path = path.display();
            let why = format!("{path} belongs to no table of these requests. Their tables: {}", names());
            return Err(Error::refused(why));
        }
        if !has_sources && self.sets.iter().all(|set| set.files.is_empty()) {
            return Err(Error::refused(format!("no file holds these requests. Their tables: {}", names())));
        }
        if !self.left_alone.is_empty() {
            let what = "left alone, because they belong to other tables";
            print_note(&input::named(what, &self.left_alone));
        }
        Ok(())
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
            if is_table && set.seen.is_new(&file) {
                set.files.push(file);
            }
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
        let may_have_rows =
            self.tables().chain(&self.others).any(|tables| may_have_rows(path, tables, mapping));
        if !is_of_accounts(path) && may_have_rows {
            self.unread.push(path.display().to_string());
        }
        false
    }
}
