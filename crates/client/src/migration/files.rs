//! The accounts of the supplier's files, which are compared with those of the journals.

use crate::error::{Error, print_error};
use crate::identity::Identity;
use crate::input::{InputEvent, Location, Source};
use crate::journal::{Record, fingerprint_of, key_of};
use crate::origin::Origin;
use crate::pipeline::{Pipeline, Worker};
use std::collections::HashMap;
use std::thread::available_parallelism;

/// The last copy of each account of a supplier, and of accounts that name none. An account takes 30 to 60 bytes.
#[derive(Debug)]
pub(super) struct Files {
    sources: Vec<Source>,
    accounts: HashMap<u64, InFile>,
    /// Copies of accounts that differ from the one before.
    pub(super) differing: Vec<Location>,
    /// Accounts that are too large to be sent.
    too_large: Vec<Location>,
    /// Number of files that cannot be read to their end.
    pub(super) unreadable: u64,
}

#[derive(Debug, Clone, Copy)]
struct InFile {
    location: Location,
    fingerprint: u64,
}

/// An account of a journal beside those of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// The files have it as it is in the journal.
    Same,
    /// The files have it, with other content.
    Changed,
    /// The files do not have it.
    NotThere,
}

/// Reads the supplier and the number of each account.
struct Reader(String);

/// Key and fingerprint of an account; `None` if it is of another supplier.
impl Worker for Reader {
    type Output = Option<(u64, u64)>;

    fn process(&self, _: Location, account: &[u8]) -> Self::Output {
        let fingerprint = fingerprint_of(account);
        let Some(identity) = Identity::read(account.trim_ascii()) else {
            return Some((fingerprint, fingerprint));
        };
        let is_ours = identity.supplier.as_deref().is_none_or(|supplier| supplier == self.0);
        is_ours.then(|| (identity.key(account), fingerprint))
    }
}

impl Files {
    /// Reads the accounts of a supplier.
    ///
    /// # Errors
    /// [`Error`] if a thread failed.
    pub(super) fn read(sources: Vec<Source>, supplier: &str) -> Result<Self, Error> {
        let mut files = Self {
            sources,
            accounts: HashMap::new(),
            differing: Vec::new(),
            too_large: Vec::new(),
            unreadable: 0,
        };
        let workers = available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
        let sources = files.sources.clone();
        Pipeline::new().run(sources, workers, Reader(supplier.to_owned()), |location: Location, event| {
            files.see(location, event);
            Ok(())
        })?;
        Ok(files)
    }

    fn see(&mut self, location: Location, event: InputEvent<Option<(u64, u64)>>) {
        match event {
            InputEvent::Opened | InputEvent::Account(None) => {}
            InputEvent::Account(Some((key, fingerprint))) => {
                let before = self.accounts.insert(key, InFile { location, fingerprint });
                if before.is_some_and(|before| before.fingerprint != fingerprint) {
                    self.differing.push(location);
                }
            }
            InputEvent::TooLarge => self.too_large.push(location),
            InputEvent::Unreadable(why) => {
                let file = self.place(location).file;
                print_error(&format_args!("{file} cannot be read: {why}"));
                self.unreadable += 1;
            }
        }
    }

    /// Compares an account of a journal with the files, and takes it out if it is the same there.
    pub(super) fn compare(&mut self, record: &Record) -> Beside {
        let key = key_of(record);
        match self.accounts.get(&key) {
            None => Beside::NotThere,
            Some(there) if format!("{:016x}", there.fingerprint) != record.fingerprint => Beside::Changed,
            Some(_) => {
                self.accounts.remove(&key);
                Beside::Same
            }
        }
    }

    /// Takes an account of a journal out, whatever its content, and returns where it is.
    pub(super) fn take(&mut self, record: &Record) -> Option<Origin> {
        let location = self.accounts.remove(&key_of(record))?.location;
        Some(self.place(location))
    }

    /// The places of the accounts that were not taken out, in the order of the files.
    pub(super) fn rest(&self) -> Vec<Origin> {
        let left = self.accounts.values().map(|account| account.location);
        let mut left: Vec<Location> = left.chain(self.too_large.iter().copied()).collect();
        left.sort_unstable_by_key(|location| (location.source, location.line));
        left.into_iter().map(|location| self.place(location)).collect()
    }

    /// File and line of an account; of its row if it was made of tables.
    pub(super) fn place(&self, location: Location) -> Origin {
        self.sources[location.source as usize].place(location.line)
    }
}
