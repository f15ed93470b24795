//! Reads the lines of a journal.

use super::record::Record;
use super::subject::{Subject, refused};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// First bytes of every journal.
pub(super) const MAGIC: &[u8] = b"{\"cutover_journal\":";
/// Longest line. Records are shorter, because the findings of an account are bounded.
pub(super) const MAX_LINE: u64 = 64 * 1024 * 1024;

/// A line with the history that the service's database had when it had all accounts of a supplier that it had
/// accepted by the lines before. While the history is the same, it also has those of the lines behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HistoryLine {
    pub(super) import_supplier: String,
    pub(super) history: String,
}

/// A line after the first one.
pub(super) enum Line {
    Record(Record),
    History(HistoryLine),
}

/// Calls `each` with every record of a journal, in order, and its offset; returns the subject. The journal
/// may be written to meanwhile.
///
/// # Errors
/// [`Error`] if it cannot be read or is not a journal.
pub(super) fn entries(path: &Path, mut each: impl FnMut(Record, u64)) -> Result<Subject, Error> {
    let file = File::open(path).map_err(Error::file("read", path))?;
    let each = |line, offset| match line {
        Line::Record(record) => each(record, offset),
        Line::History(_) => {}
    };
    match read(&file, each).map_err(Error::file("read", path))? {
        Read::Journal { subject, .. } => Ok(subject),
        Read::Broken(line) => Err(broken(path, line)),
        Read::New | Read::Other => Err(refused(path, NO_JOURNAL)),
    }
}

/// True if a journal is about dry runs.
///
/// # Errors
/// [`Error`] if it cannot be read or is not a journal.
pub(crate) fn is_of_dry_runs(path: &Path) -> Result<bool, Error> {
    let file = File::open(path).map_err(Error::file("read", path))?;
    let mut line = Vec::new();
    next(&mut BufReader::new(file), &mut line).map_err(Error::file("read", path))?;
    let subject: Option<Subject> = serde_json::from_slice(&line).ok();
    subject.map(|subject| subject.dry_run).ok_or_else(|| refused(path, NO_JOURNAL))
}

const NO_JOURNAL: &str = "is not a journal of this program";

/// Content of a file.
pub(super) enum Read {
    /// Empty, or a journal whose first line was torn.
    New,
    /// Something else.
    Other,
    /// A journal with an invalid line followed by valid records, which no crash of this program leaves.
    Broken(u64),
    /// A journal that is valid up to the offset `end`.
    Journal { subject: Subject, end: u64 },
}

/// Reads a file from its beginning; calls `each` with every line after the first, and its offset.
pub(super) fn read(file: &File, mut each: impl FnMut(Line, u64)) -> io::Result<Read> {
    let mut from = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    let mut end = match next(&mut from, &mut line)? {
        Some(length) => length,
        None if line.starts_with(MAGIC) || MAGIC.starts_with(&line) => return Ok(Read::New),
        None => return Ok(Read::Other),
    };
    let subject = match serde_json::from_slice::<Subject>(&line) {
        Ok(subject) => subject,
        Err(_) => return Ok(Read::Other),
    };
    let mut number = 1;
    loop {
        let length = next(&mut from, &mut line)?;
        number += 1;
        let parsed = length.and_then(|length| Some((length, parse(&line)?)));
        let Some((length, parsed)) = parsed else { break };
        each(parsed, end);
        end += length;
    }
    // A crash tears off only the end.
    let is_broken = has_record(&mut from)?;
    Ok(if is_broken { Read::Broken(number) } else { Read::Journal { subject, end } })
}

fn parse(line: &[u8]) -> Option<Line> {
    let record = serde_json::from_slice(line).map(Line::Record);
    record.or_else(|_| serde_json::from_slice(line).map(Line::History)).ok()
}

/// True if a valid record follows.
fn has_record(from: &mut impl BufRead) -> io::Result<bool> {
    let mut line = Vec::new();
    loop {
        let is_whole = next(from, &mut line)?.is_some();
        if is_whole && serde_json::from_slice::<Record>(&line).is_ok() {
            return Ok(true);
        }
        // A line may exceed the limit of one read; a shorter one without an end is the last.
        if !is_whole && (line.len() as u64) < MAX_LINE {
            return Ok(false);
        }
    }
}

/// Reads a line; returns its length with the line feed, or `None` if that is missing.
fn next(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    line.clear();
    let length = io::Read::take(from, MAX_LINE).read_until(b'\n', line)?;
    Ok(line.ends_with(b"\n").then_some(length as u64))
}

/// An error that names the broken line of a journal.
pub(super) fn broken(path: &Path, line: u64) -> Error {
    let what =
        format!("is broken in line {line}, with records behind it: remove that line; nothing was changed");
    refused(path, &what)
}
