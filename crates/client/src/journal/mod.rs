//! The journal: answers of the service on disk, from which an interrupted run resumes and reports are made.
//!
//! Journals of accounts and of other requests have the same form, and a journal is about one of them.
//!
//! Each line is a JSON record, or the history of the service's database; the first line identifies the service. Lines
//! are only appended. A torn end, left by a crash, is cut off: the account or request of that line is sent again, which the
//! contract makes safe.

mod accepted;
mod file;
mod index;
mod latest;
mod lines;
mod record;
mod requests;
mod subject;

pub(crate) use accepted::{AcceptedAccounts, AcceptedOfSupplier};
pub(crate) use file::Journal;
pub(crate) use index::{Index, account_hash, fingerprint_of, key, key_of, request_key};
pub(crate) use latest::LatestRecords;
pub(crate) use lines::is_of_dry_runs;
pub(crate) use record::{Outcome, Problem, Record, StoredTotals, Sums};
pub(crate) use requests::{AcceptedAdditions, is_journal};
pub(crate) use subject::Subject;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Default path of the journal: next to the first input, or next to the folder if that is one. `None` for
/// standard input.
pub(crate) fn default_path(inputs: &[PathBuf]) -> Option<PathBuf> {
    let first = inputs.first().filter(|path| *path != Path::new("-"))?;
    let path = first.canonicalize().unwrap_or_else(|_| first.clone());
    // The root folder has no name.
    let mut name = OsString::from(path.file_name()?);
    name.push(".cutover-journal");
    let beside = first.file_name().map(|_| first.with_file_name(&name));
    Some(beside.unwrap_or_else(|| path.with_file_name(&name)))
}

/// Path of the journal of dry runs beside the journal at this path.
pub(crate) fn dry_run_path(journal: &Path) -> PathBuf {
    journal.with_extension("cutover-dry-run-journal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_is_next_to_the_first_input() {
        let default = |path: &str| default_path(&[path.into(), "other".into()]);
        assert_eq!(default("in/a.ndjson.gz"), Some("in/a.ndjson.gz.cutover-journal".into()));
        assert_eq!(default("exports/"), Some("exports.cutover-journal".into()));
        assert_eq!(default("-"), None);
        let here = std::env::current_dir().unwrap();
        let name = format!("{}.cutover-journal", here.file_name().unwrap().to_str().unwrap());
        assert_eq!(default("."), Some(here.with_file_name(name)));
    }
}
