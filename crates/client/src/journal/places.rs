use super::file::{Subject, check, entries};
use super::index::key;
use super::record::Record;
use crate::error::Error;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

/// Where in some journals the last record of each account is; some 30 to 60 bytes for each.
#[derive(Debug)]
pub(crate) struct Places {
    journals: Vec<Whole>,
    last: HashMap<u64, Place>,
}

/// A journal by its place among them, and where in it.
type Place = (usize, u64);

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
                places.last.insert(key_of(&record), (number, at));
                end = at + 1;
            })?;
            check(path, &of, subject)?;
            let file = File::open(path).map_err(Error::file("read", path))?;
            places.journals.push(Whole { path: path.clone(), reader: BufReader::new(file), end });
        }
        Ok(places)
    }

    /// Calls `each` for the last record of every account.
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
                let is_last = |record: &Record| self.last.get(&key_of(record)) == Some(&(number, at));
                if let Some(record) = record.filter(is_last) {
                    each(&record)?;
                }
                at += length;
            }
        }
        Ok(())
    }

    /// The last record of an account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn record(&mut self, supplier: &str, number: &str) -> Result<Option<Record>, Error> {
        let Some((journal, at)) = self.last.get(&key(Some(supplier), Some(number), 0)) else {
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

fn key_of(record: &Record) -> u64 {
    let print = u64::from_str_radix(&record.fingerprint, 16).unwrap_or_default();
    key(record.import_supplier.as_deref(), record.external_account_number.as_deref(), print)
}
