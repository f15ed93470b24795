use super::sender::SendOptions;
use crate::assemble::TableOptions;
use crate::expect::ExpectOption;
use crate::request::Selection;
use crate::service::Target;
use crate::validate::Rules;
use std::path::{Path, PathBuf};

/// What a run sends, where to, and how: the options of `upload` and of `send`.
pub(super) struct Plan<'o> {
    /// What is sent, if not accounts.
    pub(super) requests: Option<Selection>,
    /// The supplier whose documents are sent, from the folder that is the only path.
    pub(super) documents_of: Option<&'o str>,
    pub(super) paths: &'o [PathBuf],
    /// How tables are read; `None` if no input is a table.
    pub(super) tables: Option<&'o TableOptions>,
    pub(super) target: &'o Target,
    pub(super) journal: PathBuf,
    /// For a dry run, path of the journal of the accounts that were sent to be imported.
    pub(super) staged: Option<PathBuf>,
    pub(super) again: bool,
    pub(super) retry_refused: bool,
    pub(super) no_validate: bool,
    pub(super) sending: SendOptions,
    pub(super) rules: &'o Rules,
    pub(super) expect: Option<&'o ExpectOption>,
    pub(super) report: &'o [PathBuf],
    pub(super) json: bool,
    pub(super) quiet: bool,
}

impl Plan<'_> {
    /// The files that the run writes.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        self.report.iter().map(PathBuf::as_path).chain([self.journal.as_path()]).map(Path::to_owned).collect()
    }
}
