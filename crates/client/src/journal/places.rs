use super::file::{Subject, check, entries};
use super::index::key;
use super::record::Record;
use crate::error::Error;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Where in a journal the last record of each account is; some 20 to 40 bytes for each.
#[derive(Debug)]
pub(crate) struct Places {
    path: PathBuf,
    last: HashMap<u64, u64>,
    reader: BufReader<File>,
    /// Where what counts ends: more may have been added since.
    end: u64,
}

/// The last records of accounts, in their order.
pub(crate) struct LastRecords<'p> {
    places: &'p Places,
    from: BufReader<File>,
    at: u64,
}

impl Places {
    /// Reads a journal through. It may be written to meanwhile.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read, or is no journal of this subject.
    pub(crate) fn read(path: &Path, subject: &Subject) -> Result<Self, Error> {
        let (mut last, mut end) = (HashMap::new(), 0);
        let of = entries(path, |record, at| {
            last.insert(key_of(&record), at);
            end = at + 1;
        })?;
        check(path, &of, subject)?;
        let reader = BufReader::new(open(path)?);
        Ok(Self { path: path.to_owned(), last, reader, end })
    }

    /// The last record of every account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn last_records(&self) -> Result<LastRecords<'_>, Error> {
        Ok(LastRecords { places: self, from: BufReader::with_capacity(256 * 1024, open(&self.path)?), at: 0 })
    }

    /// The last record of an account.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn record(&mut self, supplier: &str, number: &str) -> Result<Option<Record>, Error> {
        let Some(at) = self.last.get(&key(Some(supplier), Some(number), 0)) else { return Ok(None) };
        let mut line = Vec::new();
        let read =
            self.reader.seek(SeekFrom::Start(*at)).and_then(|_| self.reader.read_until(b'\n', &mut line));
        read.map_err(Error::file("read", &self.path))?;
        let record: Option<Record> = serde_json::from_slice(&line).ok();
        Ok(record.filter(|record| record.external_account_number.as_deref() == Some(number)))
    }
}

impl LastRecords<'_> {
    /// The next one.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Error> {
        let mut line = Vec::new();
        while self.at < self.places.end {
            line.clear();
            let at = self.at;
            let length =
                self.from.read_until(b'\n', &mut line).map_err(Error::file("read", &self.places.path))?;
            self.at += length as u64;
            // The first line is no record.
            let record: Option<Record> = serde_json::from_slice(&line).ok();
            if let Some(record) = record.filter(|record| self.places.last.get(&key_of(record)) == Some(&at)) {
                return Ok(Some(record));
            }
            if length == 0 {
                break;
            }
        }
        Ok(None)
    }
}

fn key_of(record: &Record) -> u64 {
    let print = u64::from_str_radix(&record.fingerprint, 16).unwrap_or_default();
    key(record.import_supplier.as_deref(), record.external_account_number.as_deref(), print)
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(Error::file("read", path))
}
