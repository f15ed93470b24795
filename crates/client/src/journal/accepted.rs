use super::index::{fingerprint_in, key, key_of};
use super::lines::entries;
use super::subject::Subject;
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Accounts that the service accepted at any time by a journal, at 10 to 20 bytes per account.
#[derive(Debug, Default)]
pub(crate) struct AcceptedAccounts(HashSet<u64>);

impl AcceptedAccounts {
    /// Reads a journal. If it is about another subject, the set is empty.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read or is not a journal.
    pub(crate) fn read(path: &Path, subject: &Subject) -> Result<Self, Error> {
        let mut keys = HashSet::new();
        let of = entries(path, |record, _| {
            if record.outcome.is_stored() {
                keys.insert(key_of(&record));
            }
        })?;
        Ok(if of.is_same(subject) { Self(keys) } else { Self::default() })
    }

    /// True if the account with this key was accepted.
    pub(crate) fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
}

/// Accounts of a supplier that the service accepted by a journal. An account takes 20 to 40 bytes.
#[derive(Debug, Default)]
pub(crate) struct AcceptedOfSupplier {
    supplier: String,
    /// Fingerprint of the bytes that were accepted last, by the key of the account.
    accepted: HashMap<u64, u64>,
    /// Accounts of which different bytes were accepted.
    replaced: HashSet<u64>,
}

impl AcceptedOfSupplier {
    /// Reads a journal.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read or is not a journal.
    pub(super) fn read(path: &Path, supplier: &str) -> Result<Self, Error> {
        let mut of = Self { supplier: supplier.to_owned(), ..Self::default() };
        entries(path, |record, _| {
            if record.outcome.is_stored() && record.import_supplier.as_deref() == Some(supplier) {
                let (key, fingerprint) = (key_of(&record), fingerprint_in(&record));
                if of.accepted.insert(key, fingerprint).is_some_and(|earlier| earlier != fingerprint) {
                    of.replaced.insert(key);
                }
            }
        })?;
        Ok(of)
    }

    /// Takes an account out. Returns its key if different bytes of it were accepted.
    pub(crate) fn take(&mut self, number: &str) -> Option<u64> {
        let key = key(Some(&self.supplier), Some(number), 0);
        self.accepted.remove(&key);
        self.replaced.take(&key)
    }

    /// True if no account is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.accepted.is_empty()
    }

    /// Number of accounts that are left.
    pub(crate) fn len(&self) -> usize {
        self.accepted.len()
    }

    /// Keys of the accounts that are left.
    pub(crate) fn into_keys(self) -> impl Iterator<Item = u64> {
        self.accepted.into_keys()
    }
}
