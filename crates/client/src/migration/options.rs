use crate::assemble::TableOptions;
use crate::error::Error;
use crate::input::is_same;
use crate::journal::{default_path, dry_run_path};
use crate::service::Target;
use clap::Args;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Options of `watch`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WatchOptions {
    /// The import supplier's code
    pub(super) supplier: String,
    /// Seconds between two looks at the service
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    pub(super) interval: NonZeroU64,
    /// Print only the final progress, as the JSON document of the service
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) target: Target,
}

/// Options of `report`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReportOptions {
    /// The import supplier's code
    pub(super) supplier: String,
    /// Paths that were uploaded, of accounts or of tables: every account in them is looked for; the journals are next to them
    #[arg(value_name = "PATH", required_unless_present = "journal")]
    pub(super) paths: Vec<PathBuf>,
    /// Journal of an upload; may be repeated [default: the paths with .cutover-journal appended]
    #[arg(long, value_name = "FILE")]
    journal: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) tables: TableOptions,
    /// Write the result of every account to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) target: Target,
}

impl ReportOptions {
    /// Paths of the journals. A path that was uploaded together with others has none of its own.
    ///
    /// # Errors
    /// [`Error`] if no path can be derived, or a report would replace a journal.
    pub(super) fn journals(&self) -> Result<Vec<PathBuf>, Error> {
        let journals = self.named_or_default()?;
        match journals.iter().find(|path| self.report.iter().any(|report| is_same(report, path))) {
            None => Ok(journals),
            Some(path) => {
                let path = path.display();
                Err(Error::refused(format!("{path} is a journal: a report would replace it")))
            }
        }
    }

    fn named_or_default(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.journal.is_empty() {
            return Ok(self.journal.clone());
        }
        let default: Vec<PathBuf> =
            self.paths.iter().filter_map(|path| default_path(std::slice::from_ref(path))).collect();
        let existing = |paths: &mut dyn Iterator<Item = PathBuf>| {
            let mut there: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
            there.dedup();
            there
        };
        let mut there = existing(&mut default.iter().cloned());
        if there.is_empty() {
            // Nothing but a rehearsal has been sent yet.
            there = existing(&mut default.iter().map(|path| dry_run_path(path)));
        }
        let first = || default.first().cloned().map(|path| vec![path]);
        let none = || Error::refused("name the journal of the upload with --journal FILE");
        if there.is_empty() { first().ok_or_else(none) } else { Ok(there) }
    }
}
