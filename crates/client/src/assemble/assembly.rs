use super::files::{self, FoundFiles, TableFile};
use super::lineage::MadeAccount;
use super::make::make;
use super::mapping::Mapping;
use super::output::Output;
use super::unread;
use super::watch::Watch;
use crate::error::Error;
use crate::interrupt::StopFlag;
use crate::origin::TableFinding;
use cutover_model::tables::Tables;
use std::path::{Path, PathBuf};

/// The source of a mapping.
#[derive(Debug, Clone, Copy)]
pub enum MappingSource<'m> {
    /// A file in TOML.
    File(&'m Path),
    /// The same as JSON.
    Json(&'m str),
}

/// An account or a finding, in the order in which they are made.
#[derive(Debug, Clone)]
pub enum Made<'m> {
    /// An account.
    Account(&'m MadeAccount<'m>),
    /// A finding about a file, a row or a cell.
    Finding(&'m TableFinding<'m>),
}

/// Files of tables, to make accounts of.
#[derive(Debug)]
pub struct Assembly {
    tables: Tables,
    mapping: Mapping,
    files: Vec<TableFile>,
    /// The files of folders that belong to no table and may have rows all the same.
    unread: Vec<String>,
}

impl Assembly {
    /// Finds the files of tables among these paths, as `assemble` does.
    ///
    /// # Errors
    /// [`Error`] if a path does not exist, a file belongs to no table, or the mapping makes no sense.
    pub fn new(paths: &[PathBuf], mapping: Option<MappingSource<'_>>) -> Result<Self, Error> {
        let tables = Tables::payload();
        let mapping = match mapping {
            Some(MappingSource::File(path)) => Mapping::read(path, [&tables])?,
            Some(MappingSource::Json(text)) => Mapping::of_json(text, [&tables])?,
            None => Mapping::default(),
        };
        let FoundFiles { files, unread, .. } = files::find(paths, &tables, &mapping)?;
        Ok(Self { tables, mapping, files, unread })
    }

    /// Makes the accounts, and hands each of them and each finding to `to`. Memory is bounded: rows are sorted on disk.
    ///
    /// # Errors
    /// [`Error`] of `to`, or if a temporary file cannot be written or read. A file of a table that cannot be read is a
    /// finding.
    pub fn run(&self, to: impl FnMut(Made<'_>) -> Result<(), Error>) -> Result<(), Error> {
        let mut to = Taker(to);
        for file in &self.unread {
            to.finding(&unread(file))?;
        }
        let watch = Watch::new(true, None, StopFlag::default());
        make((&self.tables, &self.mapping), &self.files, &watch, &mut to).map(drop)
    }
}

/// Hands on what is made.
struct Taker<T>(T);

impl<T: FnMut(Made<'_>) -> Result<(), Error>> Output for Taker<T> {
    fn finding(&mut self, finding: &TableFinding<'_>) -> Result<(), Error> {
        (self.0)(Made::Finding(finding))
    }

    fn account(&mut self, account: &MadeAccount<'_>) -> Result<(), Error> {
        (self.0)(Made::Account(account))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn assembly(folder: &Path) -> Assembly {
        std::fs::write(folder.join("accounts.csv"), "number,shade\nA-1,red\nA-2,red\n").unwrap();
        std::fs::write(folder.join("cats.csv"), "").unwrap();
        let mapping = r#"{"tables": {"accounts": {"columns": {"external_account_number": "number"}}}}"#;
        Assembly::new(&[folder.to_owned()], Some(MappingSource::Json(mapping))).unwrap()
    }

    #[test]
    fn accounts_and_findings_are_handed_on() {
        let folder = tempfile::tempdir().unwrap();
        let made = Rc::new(RefCell::new(Vec::new()));
        let to = made.clone();
        let take = move |next: Made<'_>| {
            to.borrow_mut().push(match next {
                Made::Account(account) => String::from_utf8_lossy(account.json()).into_owned(),
                Made::Finding(finding) => finding.code.to_string(),
            });
            Ok(())
        };
        assembly(folder.path()).run(take).unwrap();
        let account = |number| format!(r#"{{"external_account_number":"{number}"}}"#);
        let expected = ["unread_file".to_owned(), "unread_column".to_owned(), account("A-1"), account("A-2")];
        assert_eq!(*made.borrow(), expected);
    }

    #[test]
    fn it_ends_as_soon_as_nobody_takes_more() {
        let folder = tempfile::tempdir().unwrap();
        let count = Rc::new(RefCell::new(0));
        let of = count.clone();
        let refuse = move |next: Made<'_>| match next {
            Made::Finding(_) => Ok(()),
            Made::Account(_) => {
                *of.borrow_mut() += 1;
                Err(Error::refused("enough"))
            }
        };
        assert_eq!(assembly(folder.path()).run(refuse).unwrap_err().to_string(), "enough");
        assert_eq!(*count.borrow(), 1);
    }

    #[test]
    fn a_mapping_that_is_none_is_refused() {
        let refused = |json| {
            Assembly::new(&[PathBuf::from(".")], Some(MappingSource::Json(json))).unwrap_err().to_string()
        };
        assert!(refused("[").starts_with("this is not a mapping: "));
        assert!(refused(r#"{"tables": {"kunden": {}}}"#).ends_with("there is no table \"kunden\""));
    }
}
