use super::file::{Subject, entries};
use super::index::key_of;
use crate::error::Error;
use std::collections::HashSet;
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
