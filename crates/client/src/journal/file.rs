use super::accepted::AcceptedOfSupplier;
use super::index::Index;
use super::latest::LatestRecords;
use super::record::Record;
use crate::error::{Error, print_note};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// First line of a journal: the service that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// Version of the format. The first member, so that a journal is recognised by its first bytes.
    cutover_journal: u32,
    /// Base URL of the service.
    pub(crate) base_url: String,
    /// True if the accounts were sent as dry runs.
    pub(crate) dry_run: bool,
    /// Id of the installation, if the service told it: it decides, whatever the URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    installation: Option<String>,
}

/// Version 2 has lines with the history of the service's database.
const VERSION: u32 = 2;
/// First bytes of every journal.
const MAGIC: &[u8] = b"{\"cutover_journal\":";
/// Longest line. Records are shorter, because the findings of an account are bounded.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// Records are synced to the disk after this time at the latest.
const SYNC_INTERVAL: Duration = Duration::from_millis(250);

/// Time to wait for the lock of a process that is being killed.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// A line with the history that the service's database had when it had all accounts of a supplier that it had
/// accepted by the lines before. While the history is the same, it also has those of the lines behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HistoryLine {
    import_supplier: String,
    history: String,
}

/// A line after the first one.
enum Line {
    Record(Record),
    History(HistoryLine),
}

/// The suppliers of a journal of which accounts were accepted or whose history is known, with that history.
type Histories = BTreeMap<String, Option<String>>;

impl Subject {
    pub(crate) fn new(base_url: &str, dry_run: bool) -> Self {
        Self { cutover_journal: VERSION, base_url: base_url.to_owned(), dry_run, installation: None }
    }

    /// The same at this installation.
    pub(crate) fn at(self, installation: Option<String>) -> Self {
        Self { installation, ..self }
    }

    /// True if both are about the same service and kind of run.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_place = match (&self.installation, &other.installation) {
            (Some(one), Some(other)) => one == other,
            _ => self.base_url == other.base_url,
        };
        self.is_known() && self.dry_run == other.dry_run && is_same_place
    }

    /// True if this program knows the version of the format.
    fn is_known(&self) -> bool {
        (1..=VERSION).contains(&self.cutover_journal)
    }
}

/// A journal open for appending. It is locked against other processes.
#[derive(Debug)]
pub(crate) struct Journal {
    to: BufWriter<File>,
    path: PathBuf,
    /// First line: that of the file, or the one that the first record brings.
    subject: Subject,
    /// True once the file has its first line.
    has_subject: bool,
    /// Base URL of this run.
    base_url: String,
    histories: Histories,
    /// Time of the first record that is not synced yet, if there is one.
    dirty: Option<Instant>,
}

impl Journal {
    /// Opens or creates a journal and reads its records. A torn end is cut off. Nothing is written until
    /// there is a record; [`Self::bind`] says at which installation.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read or written, another run has locked it, or it is not a journal of this
    /// subject.
    pub(crate) fn open(path: &Path, subject: &Subject) -> Result<(Self, Index), Error> {
        let unusable = || Error::file("used as a journal", path);
        let base_url = subject.base_url.clone();
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(unusable())?;
        lock(&file, path)?;
        let (mut index, mut histories) = (Index::default(), Histories::new());
        let mut add = |line: Line, _: u64| match line {
            Line::Record(record) => {
                let supplier = record.import_supplier.as_ref().filter(|_| record.outcome.is_stored());
                if let Some(new) = supplier.filter(|supplier| !histories.contains_key(*supplier)) {
                    histories.insert(new.clone(), None);
                }
                index.add(&record);
            }
            Line::History(line) => drop(histories.insert(line.import_supplier, Some(line.history))),
        };
        let (kept, subject) = match read(&file, &mut add).map_err(unusable())? {
            Read::New => (0, subject.clone()),
            Read::Other => {
                return Err(refused(path, "is not a journal of this program: nothing was changed"));
            }
            Read::Journal { subject: of, end } => {
                // The URL does not matter if there is an id to compare later.
                let base_url = of.installation.as_ref().map_or(&subject.base_url, |_| &of.base_url);
                check(path, &of, &Subject { base_url: base_url.clone(), ..subject.clone() })?;
                (end, of)
            }
            Read::Broken(line) => return Err(broken(path, line)),
        };
        let torn = file.metadata().map_err(unusable())?.len().saturating_sub(kept);
        if torn > 0 {
            print_note(&format_args!("{} had a torn end: {torn} bytes were cut off", path.display()));
        }
        file.set_len(kept).map_err(unusable())?;
        if subject.cutover_journal < VERSION {
            upgrade(&mut file).map_err(unusable())?;
        }
        file.seek(SeekFrom::End(0)).map_err(unusable())?;
        let journal = Self {
            to: BufWriter::new(file),
            path: path.to_owned(),
            subject,
            has_subject: kept > 0,
            base_url,
            histories,
            dirty: None,
        };
        Ok((journal, index))
    }

    /// Binds the journal to the installation that answered; `None` if the service did not send its id.
    ///
    /// # Errors
    /// [`Error`] if the journal is about another one.
    pub(crate) fn bind(&mut self, installation: Option<String>) -> Result<(), Error> {
        if !self.has_subject {
            self.subject.installation = installation;
            return Ok(());
        }
        let wanted = Subject { base_url: self.base_url.clone(), installation, ..self.subject.clone() };
        check(&self.path, &self.subject, &wanted)
    }

    /// Path of the journal.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the records of this and earlier runs, to look them up.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read.
    pub(crate) fn latest_records(&self) -> Result<LatestRecords, Error> {
        LatestRecords::read(std::slice::from_ref(&self.path), &self.subject)
    }

    /// Reads which accounts of a supplier the service accepted in this and earlier runs.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read.
    pub(crate) fn accepted_of(&self, supplier: &str) -> Result<AcceptedOfSupplier, Error> {
        AcceptedOfSupplier::read(&self.path, supplier)
    }

    /// The suppliers of which the service accepted accounts, with the history of its database at that time, if it
    /// is known.
    pub(crate) fn histories(&self) -> Histories {
        self.histories.clone()
    }

    /// True if accounts of a supplier were accepted, or the history is known.
    pub(crate) fn has_history(&self, supplier: &str) -> bool {
        self.histories.contains_key(supplier)
    }

    /// Adds to the buffer that the service has all accounts of a supplier that it accepted, with this history.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(crate) fn add_history(&mut self, supplier: &str, history: &str) -> Result<(), Error> {
        let (import_supplier, history) = (supplier.to_owned(), history.to_owned());
        let known = self.histories.insert(import_supplier.clone(), Some(history.clone()));
        if known.flatten().as_ref() == Some(&history) {
            return Ok(());
        }
        // Without records it is written together with the first one.
        if self.has_subject { self.line(&HistoryLine { import_supplier, history }) } else { Ok(()) }
    }

    /// Adds a record to the buffer; [`Self::commit`] writes it.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(crate) fn add(&mut self, record: &Record) -> Result<(), Error> {
        if !std::mem::replace(&mut self.has_subject, true) {
            self.line(&self.subject.clone())?;
            for (import_supplier, history) in self.histories.clone() {
                let line = history.map(|history| HistoryLine { import_supplier, history });
                line.map_or(Ok(()), |line| self.line(&line))?;
            }
        }
        self.line(record)
    }

    /// Writes added records to the file, so that they survive this process, and syncs from time to time.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        self.to.flush().map_err(Error::file("written", &self.path))?;
        match self.dirty {
            Some(since) if since.elapsed() >= SYNC_INTERVAL => self.sync(),
            _ => Ok(()),
        }
    }

    /// Writes and syncs everything.
    ///
    /// # Errors
    /// [`Error`] if it cannot be written.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        self.dirty = None;
        let synced = self.to.flush().and_then(|()| self.to.get_ref().sync_data());
        synced.map_err(Error::file("written", &self.path))
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), Error> {
        self.dirty.get_or_insert_with(Instant::now);
        let mut text = serde_json::to_vec(value).map_err(|e| Error::file("written", &self.path)(e.into()))?;
        text.push(b'\n');
        self.to.write_all(&text).map_err(Error::file("written", &self.path))
    }
}

/// Removes a file in which nothing was recorded.
impl Drop for Journal {
    fn drop(&mut self) {
        if !self.has_subject && self.to.get_ref().metadata().is_ok_and(|metadata| metadata.len() == 0) {
            // An empty file does no harm: it is taken for a new journal.
            let _ = std::fs::remove_file(&self.path);
        }
    }
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
        Read::New | Read::Other => Err(refused(path, "is not a journal of this program")),
    }
}

/// Locks the journal. Waits shortly, because a run that was just killed may still hold the lock.
fn lock(file: &File, path: &Path) -> Result<(), Error> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                std::thread::park_timeout(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => return Err(refused(path, "is in use by another run")),
            Err(TryLockError::Error(error)) => return Err(Error::file("locked", path)(error)),
        }
    }
}

/// Makes a journal of an earlier version one of this version, which earlier versions of the program refuse.
fn upgrade(file: &mut File) -> io::Result<()> {
    file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
    file.write_all(VERSION.to_string().as_bytes())
}

fn refused(path: &Path, what: &str) -> Error {
    Error::refused(format!("{} {what}", path.display()))
}

fn broken(path: &Path, line: u64) -> Error {
    let what =
        format!("is broken in line {line}, with records behind it: remove that line; nothing was changed");
    refused(path, &what)
}

/// Checks that a journal is about the wanted subject.
///
/// # Errors
/// [`Error`] that names the subject of the journal.
pub(super) fn check(path: &Path, of: &Subject, wanted: &Subject) -> Result<(), Error> {
    if of.is_same(wanted) { Ok(()) } else { Err(other_subject(path, of, wanted)) }
}

fn other_subject(path: &Path, of: &Subject, wanted: &Subject) -> Error {
    let what = match of {
        _ if !of.is_known() => "is of a newer version of this program".to_owned(),
        Subject { installation: Some(_), .. }
            if of.dry_run == wanted.dry_run && wanted.installation.is_some() =>
        {
            format!(
                "is about {}, another installation: give another one for {} with --journal",
                of.base_url, wanted.base_url
            )
        }
        Subject { base_url, .. } if *base_url != wanted.base_url => {
            format!("is about {base_url}: give another one for {} with --journal", wanted.base_url)
        }
        Subject { .. } => "is about dry runs, or this one is: give another one with --journal".to_owned(),
    };
    refused(path, &what)
}

/// Content of a file.
enum Read {
    /// Empty, or a journal whose first line was torn.
    New,
    /// Something else.
    Other,
    /// A journal with an invalid line followed by valid records, which no crash of this program leaves.
    Broken(u64),
    /// A journal that is valid up to the offset `end`.
    Journal { subject: Subject, end: u64 },
}

fn read(file: &File, mut each: impl FnMut(Line, u64)) -> io::Result<Read> {
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

#[cfg(test)]
mod tests {
    use super::super::record::{Outcome, Problem, Sums};
    use super::super::{fingerprint_of, key};
    use super::*;
    use proptest::prelude::*;

    fn record(n: u32) -> Record {
        Record {
            file: "a b.ndjson".into(),
            line: n,
            import_supplier: Some("ACME".into()),
            external_account_number: Some(format!("\"{n}\n")),
            fingerprint: format!("{:016x}", fingerprint_of(&n.to_le_bytes())),
            outcome: if n.is_multiple_of(2) { Outcome::Accepted } else { Outcome::Refused },
            status: Some(201),
            errors: vec![Problem { attr: "a.0.b".into(), code: "invalid".into() }],
            totals: Some(Sums { ledger_balance: "-1.10".into(), readings: 1, transactions: 2, documents: 3 }),
        }
    }

    fn outcome(index: &Index, n: u32) -> Option<Outcome> {
        let print = fingerprint_of(&n.to_le_bytes());
        index.outcome(key(Some("ACME"), Some(&format!("\"{n}\n")), print), print)
    }

    fn subject() -> Subject {
        Subject::new("http://x", false)
    }

    fn written(path: &Path, records: u32) -> Vec<u8> {
        let (mut journal, _) = Journal::open(path, &subject()).unwrap();
        (0..records).for_each(|n| journal.add(&record(n)).unwrap());
        journal.commit().unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn records_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        written(&path, 3);
        let (_, index) = Journal::open(&path, &subject()).unwrap();
        assert_eq!(index.len(), 3);
        assert_eq!(
            (outcome(&index, 1), outcome(&index, 2)),
            (Some(Outcome::Refused), Some(Outcome::Accepted))
        );
        let mut seen = Vec::new();
        assert_eq!(entries(&path, |record, _| seen.push(record)).unwrap(), subject());
        assert_eq!(seen, [record(0), record(1), record(2)]);
    }

    #[test]
    fn the_last_record_of_an_account_counts() {
        let mut index = Index::default();
        let (old, new) = (record(1), Record { fingerprint: format!("{:016x}", 7), ..record(1) });
        let key = key(Some("ACME"), Some("\"1\n"), 7);
        [&old, &new].into_iter().for_each(|record| index.add(record));
        assert_eq!((outcome(&index, 1), index.outcome(key, 7)), (None, Some(Outcome::Refused)));
        index.add(&old);
        assert_eq!((outcome(&index, 1), index.outcome(key, 7)), (Some(Outcome::Refused), None));
    }

    #[test]
    fn a_journal_with_a_broken_line_in_the_middle_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let whole = written(&path, 3);
        let ends: Vec<usize> = (0..whole.len()).filter(|i| whole[*i] == b'\n').collect();
        let long = vec![b'x'; usize::try_from(MAX_LINE).unwrap() + 9];
        for bad in [&b"{\"file\":"[..], &[0; 4_096], &long] {
            let text = [&whole[..=ends[1]], bad, &whole[ends[2]..]].concat();
            std::fs::write(&path, &text).unwrap();
            let error = Journal::open(&path, &subject()).unwrap_err().to_string();
            assert!(error.contains("is broken in line 3, with records behind it"), "{error}");
            assert!(entries(&path, |_, _| ()).is_err());
            assert!(std::fs::read(&path).unwrap() == text, "it was changed");
        }
    }

    #[test]
    fn a_journal_in_use_cannot_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let (_journal, _) = Journal::open(&path, &subject()).unwrap();
        let error = Journal::open(&path, &subject()).unwrap_err().to_string();
        assert!(error.ends_with("j is in use by another run"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_this_journal_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        for (text, part) in [
            ("{\"import_supplier\": \"ACME\"}\n", "is not a journal"),
            ("notes", "is not a journal"),
            ("\n", "is not a journal"),
            ("{\"cutover_journal\":3,\"base_url\":\"http://x\",\"dry_run\":false}\n", "a newer version"),
            ("{\"cutover_journal\":1,\"base_url\":\"http://y\",\"dry_run\":false}\n", "is about http://y"),
            ("{\"cutover_journal\":1,\"base_url\":\"http://x\",\"dry_run\":true}\n", "is about dry runs"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Journal::open(&path, &subject()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn the_history_is_written_with_the_first_record_and_the_last_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let (mut journal, _) = Journal::open(&path, &subject()).unwrap();
        journal.add_history("ACME", "h1").unwrap();
        drop(journal);
        assert!(!path.exists());
        let (mut journal, _) = Journal::open(&path, &subject()).unwrap();
        journal.add_history("ACME", "h1").unwrap();
        journal.add(&Record { import_supplier: Some("OTHER".into()), ..record(2) }).unwrap();
        journal.add(&record(2)).unwrap();
        journal.add_history("ACME", "h2").unwrap();
        journal.sync().unwrap();
        drop(journal);
        let (journal, index) = Journal::open(&path, &subject()).unwrap();
        assert_eq!(index.len(), 2);
        let known = [("ACME".to_owned(), Some("h2".to_owned())), ("OTHER".to_owned(), None)];
        assert_eq!(journal.histories(), known.into());
    }

    #[test]
    fn a_journal_of_version_1_becomes_one_of_this_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let text = String::from_utf8(written(&path, 2)).unwrap();
        let old = text.replacen("{\"cutover_journal\":2,", "{\"cutover_journal\":1,", 1);
        assert_ne!(old, text);
        std::fs::write(&path, &old).unwrap();
        let (_, index) = Journal::open(&path, &subject()).unwrap();
        assert_eq!((index.len(), std::fs::read_to_string(&path).unwrap()), (2, text));
    }

    proptest! {
        #[test]
        fn after_a_crash_the_complete_records_are_kept(cut in 0_usize..4_000, garbage in prop::collection::vec(any::<u8>(), 0..20)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("j");
            let whole = written(&path, 5);
            let ends: Vec<usize> = (0..whole.len()).filter(|i| whole[*i] == b'\n').map(|i| i + 1).collect();
            let cut = cut % (whole.len() + 1);
            // Garbage at the beginning would make the file something other than a journal.
            let garbage = if cut < ends[0] { &[][..] } else { &garbage[..] };
            // A line feed would complete a record whose own was cut off.
            prop_assume!(garbage.first() != Some(&b'\n') && !garbage.trim_ascii_start().is_empty() || garbage.is_empty());
            std::fs::write(&path, [&whole[..cut], garbage].concat()).unwrap();
            let kept = ends.iter().filter(|end| **end <= cut).count().saturating_sub(1);
            let (mut journal, index) = Journal::open(&path, &subject()).unwrap();
            prop_assert_eq!(index.len(), kept);
            // Later records are appended as if the torn end had never been there.
            journal.add(&record(9)).unwrap();
            journal.sync().unwrap();
            drop(journal);
            let (_, index) = Journal::open(&path, &subject()).unwrap();
            prop_assert_eq!(index.len(), kept + 1);
            prop_assert_eq!(outcome(&index, 8), None);
            prop_assert!(outcome(&index, 9).is_some());
        }
    }
}
