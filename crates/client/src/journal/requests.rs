use super::index::key_of;
use super::lines::{MAGIC, entries};
use super::subject::refused;
use crate::error::Error;
use crate::request::Kind;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Requests that added something to accounts by journals of `send`, in the order of their answers. A request takes 20 to
/// 40 bytes.
#[derive(Debug, Default)]
pub(crate) struct AcceptedAdditions {
    order: HashMap<u64, usize>,
    /// The inputs that had them.
    pub(crate) files: Vec<PathBuf>,
}

/// True if a file begins as a journal does. What cannot be read is none.
pub(crate) fn is_journal(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begin));
    read.is_ok() && begin == MAGIC
}

impl AcceptedAdditions {
    /// Reads journals. Of a request that was answered twice the first answer counts.
    ///
    /// # Errors
    /// [`Error`] if one cannot be read, or is about accounts.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut all = Self::default();
        for path in paths {
            let subject = entries(path, |record, _| {
                let adds = !matches!(
                    record.request,
                    Kind::Account | Kind::Business | Kind::BusinessPaymentInstruction | Kind::Document
                );
                if adds && record.outcome.is_stored() {
                    let next = all.order.len();
                    all.order.entry(key_of(&record)).or_insert(next);
                    let file = PathBuf::from(record.file);
                    if !all.files.contains(&file) {
                        all.files.push(file);
                    }
                }
            })?;
            if subject.requests.is_none() {
                return Err(refused(path, "is a journal of accounts: name a journal of send"));
            }
        }
        Ok(all)
    }

    /// Place of a request in the order; `None` if it was not accepted.
    pub(crate) fn place(&self, key: u64) -> Option<usize> {
        self.order.get(&key).copied()
    }

    /// Number of requests.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
}
