use super::index::{key, key_of};
use super::lines::entries;
use super::record::Record;
use super::subject::{Subject, check};
use crate::error::Error;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

/// Index of the record that counts for each account: the last one by which the service has it, or else the
/// last. An account takes 30 to 60 bytes.
#[derive(Debug)]
pub(crate) struct LatestRecords {
    journals: Vec<IndexedJournal>,
    latest: HashMap<u64, Entry>,
}

/// Location of a record.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Index of its journal.
    journal: usize,
    offset: u64,
    /// True if the service has the account by this record.
    is_stored: bool,
}

/// A journal that was read completely.
#[derive(Debug)]
struct IndexedJournal {
    path: PathBuf,
    reader: BufReader<File>,
    /// End of the indexed records; more may have been added since.
    end: u64,
}

impl LatestRecords {
    /// Indexes journals, of which the later ones take precedence. They may be written to meanwhile.
    ///
    /// # Errors
    /// [`Error`] if one cannot be read, or is not a journal of this subject.
    pub(crate) fn read(paths: &[PathBuf], subject: &Subject) -> Result<Self, Error> {
        let mut records = Self { journals: Vec::new(), latest: HashMap::new() };
        for (journal, path) in paths.iter().enumerate() {
            let mut end = 0;
            let of = entries(path, |record, offset| {
                let is_stored = record.outcome.is_stored();
                let entry = Entry { journal, offset, is_stored };
                let latest = records.latest.entry(key_of(&record)).or_insert(entry);
                // A later record of a refusal does not change that the service has the account.
                if is_stored || !latest.is_stored {
                    *latest = entry;
                }
                end = offset + 1;
            })?;
            check(path, &of, subject)?;
            let file = File::open(path).map_err(Error::file("read", path))?;
            records.journals.push(IndexedJournal { path: path.clone(), reader: BufReader::new(file), end });
        }
        Ok(records)
    }

    /// Calls `each` with the record that counts for every account.
    ///
    /// # Errors
    /// The error of `each`, or [`Error`] if a journal cannot be read.
    pub(crate) fn for_each(
        &mut self,
        mut each: impl FnMut(&Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (number, journal) in self.journals.iter_mut().enumerate() {
            let (mut at, mut line) = (0, Vec::new());
            journal.seek(at)?;
            while at < journal.end {
                let length = journal.line(&mut line)?;
                // The first line is not a record.
                let record: Option<Record> = serde_json::from_slice(&line).ok();
                let is_latest = |record: &Record| {
                    let latest = self.latest.get(&key_of(record));
                    latest.is_some_and(|latest| (latest.journal, latest.offset) == (number, at))
                };
                if let Some(record) = record.filter(is_latest) {
                    each(&record)?;
                }
                at += length;
            }
        }
        Ok(())
    }

    /// Reads the record that counts for an account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn get(&mut self, supplier: &str, number: &str) -> Result<Option<Record>, Error> {
        let Some(entry) = self.latest.get(&key(Some(supplier), Some(number), 0)) else {
            return Ok(None);
        };
        let (journal, mut line) = (&mut self.journals[entry.journal], Vec::new());
        journal.seek(entry.offset)?;
        journal.line(&mut line)?;
        let record: Option<Record> = serde_json::from_slice(&line).ok();
        Ok(record.filter(|record| record.external_account_number.as_deref() == Some(number)))
    }
}

impl IndexedJournal {
    fn seek(&mut self, offset: u64) -> Result<(), Error> {
        self.reader.seek(SeekFrom::Start(offset)).map(drop).map_err(Error::file("read", &self.path))
    }

    /// Reads a line and returns its length.
    fn line(&mut self, line: &mut Vec<u8>) -> Result<u64, Error> {
        line.clear();
        match self.reader.read_until(b'\n', line) {
            Ok(0) => Err(Error::refused(format!("{} became shorter while it was read", self.path.display()))),
            Ok(length) => Ok(length as u64),
            Err(error) => Err(Error::file("read", &self.path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Journal, Outcome};
    use super::*;
    use crate::request::Kind;

    #[test]
    fn a_later_refusal_does_not_replace_an_accepted_record() {
        let folder = tempfile::tempdir().unwrap();
        let (path, subject) = (folder.path().join("j"), Subject::new("http://x", false));
        let record = |number: &str, line, outcome| Record {
            file: "f".into(),
            line,
            request: Kind::Account,
            import_supplier: Some("S".into()),
            external_account_number: Some(number.into()),
            fingerprint: format!("{line:016x}"),
            outcome,
            status: None,
            errors: Vec::new(),
            totals: None,
        };
        let (mut journal, _) = Journal::open(&path, &subject).unwrap();
        for (number, line, outcome) in [
            ("A", 1, Outcome::Accepted),
            ("A", 2, Outcome::AlreadyThere),
            ("A", 3, Outcome::Faulty),
            ("B", 4, Outcome::Faulty),
            ("B", 5, Outcome::Refused),
        ] {
            journal.add(&record(number, line, outcome)).unwrap();
        }
        journal.sync().unwrap();
        let mut records = LatestRecords::read(&[path], &subject).unwrap();
        let mut lines = Vec::new();
        let each = |record: &Record| {
            lines.push(record.line);
            Ok(())
        };
        records.for_each(each).unwrap();
        assert_eq!(lines, [2, 5]);
        assert_eq!(records.get("S", "A").unwrap().unwrap().line, 2);
    }
}
