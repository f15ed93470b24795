use super::file::{Subject, check, entries};
use super::index::{key, key_of};
use super::record::Record;
use crate::error::Error;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

/// Where in some journals the record that counts of each account is: the last by which the service has it, or else
/// the last; some 30 to 60 bytes for each.
#[derive(Debug)]
pub(crate) struct Places {
    journals: Vec<Whole>,
    last: HashMap<u64, Place>,
}

/// A journal by its place among them, where in it, and whether the service has the account by it.
type Place = (usize, u64, bool);

/// A journal that was read through.
#[derive(Debug)]
struct Whole {
    path: PathBuf,
    reader: BufReader<File>,
    /// Where what counts ends: more may have been added since.
    end: u64,
}

impl Places {
    /// Reads journals through, of which the later ones count more. They may be written to meanwhile.
    ///
    /// # Errors
    /// [`Error`] if one cannot be read, or is no journal of this subject.
    pub(crate) fn read(paths: &[PathBuf], subject: &Subject) -> Result<Self, Error> {
        let mut places = Self { journals: Vec::new(), last: HashMap::new() };
        for (number, path) in paths.iter().enumerate() {
            let mut end = 0;
            let of = entries(path, |record, at| {
                let is_there = record.outcome.is_there();
                let place = places.last.entry(key_of(&record)).or_insert((number, at, is_there));
                // What comes later and is not taken takes nothing away from what the service has.
                if is_there || !place.2 {
                    *place = (number, at, is_there);
                }
                end = at + 1;
            })?;
            check(path, &of, subject)?;
            let file = File::open(path).map_err(Error::file("read", path))?;
            places.journals.push(Whole { path: path.clone(), reader: BufReader::new(file), end });
        }
        Ok(places)
    }

    /// Calls `each` for the record that counts of every account.
    ///
    /// # Errors
    /// Its error, or [`Error`] if a journal cannot be read.
    pub(crate) fn last_records(
        &mut self,
        mut each: impl FnMut(&Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (number, journal) in self.journals.iter_mut().enumerate() {
            let (mut at, mut line) = (0, Vec::new());
            journal.seek(at)?;
            while at < journal.end {
                let length = journal.line(&mut line)?;
                // The first line is no record.
                let record: Option<Record> = serde_json::from_slice(&line).ok();
                let is_last = |record: &Record| {
                    self.last.get(&key_of(record)).is_some_and(|last| (last.0, last.1) == (number, at))
                };
                if let Some(record) = record.filter(is_last) {
                    each(&record)?;
                }
                at += length;
            }
        }
        Ok(())
    }

    /// The record that counts of an account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn record(&mut self, supplier: &str, number: &str) -> Result<Option<Record>, Error> {
        let Some((journal, at, _)) = self.last.get(&key(Some(supplier), Some(number), 0)) else {
            return Ok(None);
        };
        let (journal, mut line) = (&mut self.journals[*journal], Vec::new());
        journal.seek(*at)?;
        journal.line(&mut line)?;
        let record: Option<Record> = serde_json::from_slice(&line).ok();
        Ok(record.filter(|record| record.external_account_number.as_deref() == Some(number)))
    }
}

impl Whole {
    fn seek(&mut self, at: u64) -> Result<(), Error> {
        self.reader.seek(SeekFrom::Start(at)).map(drop).map_err(Error::file("read", &self.path))
    }

    /// Reads a line; its length.
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

    #[test]
    fn what_is_not_taken_later_takes_nothing_away() {
        let folder = tempfile::tempdir().unwrap();
        let (path, subject) = (folder.path().join("j"), Subject::new("http://x", false));
        let record = |number: &str, line, outcome| Record {
            file: "f".into(),
            line,
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
        let mut places = Places::read(&[path], &subject).unwrap();
        let mut lines = Vec::new();
        let each = |record: &Record| {
            lines.push(record.line);
            Ok(())
        };
        places.last_records(each).unwrap();
        assert_eq!(lines, [2, 5]);
        assert_eq!(places.record("S", "A").unwrap().unwrap().line, 2);
    }
}
