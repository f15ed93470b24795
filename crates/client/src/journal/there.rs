use super::file::{Subject, entries};
use super::index::key_of;
use crate::error::Error;
use std::collections::HashSet;
use std::path::Path;

/// Which accounts the service has by a journal, whatever became of them later; some 10 to 20 bytes for each.
#[derive(Debug, Default)]
pub(crate) struct There(HashSet<u64>);

impl There {
    /// Reads a journal through; one of another subject says nothing about this one.
    ///
    /// # Errors
    /// [`Error`] if it cannot be read or is no journal.
    pub(crate) fn read(path: &Path, subject: &Subject) -> Result<Self, Error> {
        let mut keys = HashSet::new();
        let of = entries(path, |record, _| {
            if record.outcome.is_there() {
                keys.insert(key_of(&record));
            }
        })?;
        Ok(if of == *subject { Self(keys) } else { Self::default() })
    }

    /// Whether it has this account.
    pub(crate) fn has(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
}
