//! The origins of many accounts, in temporary files without a name.

use super::{Origin, TableFinding};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

/// A file with rows of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OriginFile {
    pub(crate) name: String,
    /// The columns of its table, each with its name in the file.
    pub(crate) columns: HashMap<String, String>,
}

/// The rows of an account, and what was found about them.
#[derive(Debug, Serialize, Deserialize)]
struct Record<'r> {
    /// The path of the object of each row, its file and its line.
    #[serde(borrow)]
    rows: Vec<(Cow<'r, str>, u32, u64)>,
    #[serde(borrow)]
    findings: Vec<TableFinding<'r>>,
}

/// Writes the origins of accounts, one account after another.
pub(crate) struct OriginsWriter {
    records: BufWriter<File>,
    /// Where each record begins.
    offsets: BufWriter<File>,
    written: u64,
    accounts: u32,
    with_findings: HashSet<u32>,
}

impl OriginsWriter {
    /// # Errors
    /// If a temporary file cannot be created.
    pub(crate) fn new() -> io::Result<Self> {
        let file = || tempfile::tempfile().map(BufWriter::new);
        let (written, accounts, with_findings) = Default::default();
        Ok(Self { records: file()?, offsets: file()?, written, accounts, with_findings })
    }

    /// Adds the next account: its rows, each with the path of its object, its file and its line, and what was found about
    /// them.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub(crate) fn add(
        &mut self,
        rows: Vec<(Cow<'_, str>, u32, u64)>,
        findings: Vec<TableFinding<'_>>,
    ) -> io::Result<()> {
        self.accounts = self.accounts.saturating_add(1);
        if !findings.is_empty() {
            self.with_findings.insert(self.accounts);
        }
        let record = serde_json::to_vec(&Record { rows, findings })?;
        self.offsets.write_all(&self.written.to_le_bytes())?;
        self.records.write_all(&record)?;
        self.written += record.len() as u64;
        Ok(())
    }

    /// The origins of the accounts; `files` are those that rows name.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub(crate) fn finish(mut self, files: Vec<OriginFile>) -> io::Result<Origins> {
        self.offsets.write_all(&self.written.to_le_bytes())?;
        let (records, offsets) = (self.records.into_inner()?, self.offsets.into_inner()?);
        let stored = Mutex::new(Stored { records, offsets });
        Ok(Origins { files, stored, with_findings: self.with_findings })
    }
}

/// The origins of accounts. In memory are the names of the files, and four bytes for each account with findings.
#[derive(Debug)]
pub(crate) struct Origins {
    files: Vec<OriginFile>,
    stored: Mutex<Stored>,
    with_findings: HashSet<u32>,
}

#[derive(Debug)]
struct Stored {
    records: File,
    offsets: File,
}

impl Stored {
    fn read(&mut self, line: u32) -> io::Result<Vec<u8>> {
        let mut ends = [[0; 8]; 2];
        self.offsets.seek(SeekFrom::Start(8 * u64::from(line.saturating_sub(1))))?;
        self.offsets.read_exact(ends.as_flattened_mut())?;
        let [begin, end] = ends.map(u64::from_le_bytes);
        let mut record = Vec::new();
        self.records.seek(SeekFrom::Start(begin))?;
        (&mut self.records).take(end - begin).read_to_end(&mut record)?;
        Ok(record)
    }
}

impl Origins {
    /// True if something was found about the rows of an account, by its line.
    pub(crate) fn has_findings(&self, line: u32) -> bool {
        self.with_findings.contains(&line)
    }

    /// The origins of an account, by its line.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(crate) fn account(&self, line: u32) -> io::Result<AccountOrigins<'_>> {
        // Nothing is done under the lock that a panic could leave half done.
        let bytes = self.stored.lock().unwrap_or_else(PoisonError::into_inner).read(line)?;
        let Record { rows, findings } = serde_json::from_slice(&bytes)?;
        let rows = rows.into_iter().map(|(path, file, line)| (path.into_owned(), (file, line))).collect();
        let findings = findings.into_iter().map(TableFinding::into_owned).collect();
        Ok(AccountOrigins { files: &self.files, rows, findings })
    }
}

/// The origins of an account.
#[derive(Debug)]
pub(crate) struct AccountOrigins<'o> {
    files: &'o [OriginFile],
    /// The file and the line of each object, by its path.
    rows: HashMap<String, (u32, u64)>,
    /// What was found about the rows.
    pub(crate) findings: Vec<TableFinding<'static>>,
}

impl AccountOrigins<'_> {
    /// The origin of the value at a path; of a list that of its first item. Of what is not there it is the row in which it
    /// would be.
    pub(crate) fn of(&self, path: &str) -> Option<Origin> {
        let first = format!("{path}.0");
        let path = if self.rows.contains_key(&first) { &first } else { path };
        let object = parents(path).find(|parent| self.rows.contains_key(*parent))?;
        let (file, line) = *self.rows.get(object)?;
        let file = self.files.get(file as usize)?;
        let member = path[object.len()..].trim_start_matches('.');
        let column = parents(member).find_map(|member| file.columns.get(member)).cloned();
        Some(Origin { file: file.name.clone(), line: Some(line), column })
    }
}

/// A path, then those of the objects around it; the last one is that of the account.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('.') {
        Some((parent, _)) => Some(parent),
        None => (!path.is_empty()).then_some(""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_core::Code;

    fn origins() -> Origins {
        let file = |name: &str, columns: &[(&str, &str)]| OriginFile {
            name: name.to_owned(),
            columns: columns.iter().map(|(own, name)| ((*own).to_owned(), (*name).to_owned())).collect(),
        };
        let mut writer = OriginsWriter::new().unwrap();
        writer.add(vec![("".into(), 0, 2)], Vec::new()).unwrap();
        let rows = vec![("".into(), 0, 3), ("customers.1".into(), 1, 9), ("notes.0".into(), 1, 8)];
        let finding = TableFinding::new("a.csv", Code::OrphanRow, "why");
        writer.add(rows, vec![finding]).unwrap();
        let customers = file("c.csv", &[("address.postal_code", "PLZ"), ("tags", "tags")]);
        writer.finish(vec![file("a.csv", &[("billing_name", "NAME")]), customers]).unwrap()
    }

    #[test]
    fn a_value_comes_from_the_row_of_the_object_around_it() {
        let origins = origins();
        let of = |line, path| origins.account(line).unwrap().of(path).unwrap().to_string();
        assert_eq!(of(1, "billing_name"), "a.csv:2:NAME");
        for (path, expected) in [
            ("billing_name", "a.csv:3:NAME"),
            ("customers.1.address.postal_code", "c.csv:9:PLZ"),
            ("customers.1.tags.0", "c.csv:9:tags"),
            ("customers.1.email", "c.csv:9"),
            ("customers.1", "c.csv:9"),
            ("customers.10.email", "a.csv:3"),
            ("notes", "c.csv:8"),
            ("non_field_errors", "a.csv:3"),
            ("", "a.csv:3"),
        ] {
            assert_eq!(of(2, path), expected, "{path}");
        }
    }

    #[test]
    fn findings_stay_with_their_account() {
        let origins = origins();
        assert_eq!([1, 2, 3].map(|line| origins.has_findings(line)), [false, true, false]);
        assert_eq!(origins.account(2).unwrap().findings[0].code, Code::OrphanRow);
        assert!(origins.account(1).unwrap().findings.is_empty());
        assert!(origins.account(3).is_err());
    }
}
