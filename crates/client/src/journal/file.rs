use super::accepted::AcceptedOfSupplier;
use super::index::Index;
use super::latest::LatestRecords;
use super::lines::{HistoryLine, Line, MAGIC, Read, broken, read};
use super::record::Record;
use super::subject::{Subject, VERSION, check, refused};
use crate::error::{Error, print_note};
use same_file::Handle;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Records are synced to the disk after this time at the latest.
const SYNC_INTERVAL: Duration = Duration::from_millis(250);

/// Time to wait for the lock of a process that is being killed.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// The suppliers of a journal of which accounts were accepted or whose history is known, with that history.
type Histories = BTreeMap<String, Option<String>>;

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
        let mut file = locked(path, lock)?;
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

/// Opens or creates the file at a path and locks it. A run that recorded nothing removes its file when it ends, perhaps
/// while this one waits for the lock: then what is locked is not the file at the path any more.
fn locked(path: &Path, lock: impl Fn(&File, &Path) -> Result<(), Error>) -> Result<File, Error> {
    let open = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    loop {
        let file = open().map_err(Error::file("used as a journal", path))?;
        lock(&file, path)?;
        if is_at(&file, path).map_err(Error::file("used as a journal", path))? {
            return Ok(file);
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match Handle::from_path(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        there => Ok(there? == Handle::from_file(file.try_clone()?)?),
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

#[cfg(test)]
mod tests {
    use super::super::lines::{MAX_LINE, entries};
    use super::super::record::{Outcome, Problem, Sums};
    use super::super::{fingerprint_of, key};
    use super::*;
    use crate::request::Kind;
    use proptest::prelude::*;

    fn record(n: u32) -> Record {
        Record {
            file: "a b.ndjson".into(),
            line: n,
            request: Kind::Account,
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

    /// The other run ends without a record between the opening and the lock.
    #[test]
    fn a_journal_that_another_run_removes_is_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let (other, _) = Journal::open(&path, &subject()).unwrap();
        let other = std::cell::Cell::new(Some(other));
        let mut file = locked(&path, |_, _| {
            drop(other.take());
            Ok(())
        })
        .unwrap();
        file.write_all(b"x").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"x");
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
