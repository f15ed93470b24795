use crate::assemble::TableOptions;
use crate::service::{OfflineTarget, Target};
use clap::Args;
use cutover_core::Zone;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Options of `manifest`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files of accounts or of tables, folders of them, or - for NDJSON of accounts on standard input, as for upload
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) tables: TableOptions,
    /// Count the accounts of this import supplier only [default: every supplier in the inputs]
    #[arg(long, value_name = "CODE")]
    pub(super) supplier: Option<String>,
    /// Zone of the supplier's days and datetimes without offset [default: that of the service, or UTC]
    #[arg(long, value_name = "ZONE")]
    pub(super) time_zone: Option<Zone>,
    /// Declare the account numbers too, so that the service can name what is missing and what is too many
    #[arg(long)]
    pub(super) numbers: bool,
    /// Number of accounts to read at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress bar
    #[arg(long, short)]
    pub(super) quiet: bool,
    #[command(flatten)]
    service: OfflineTarget,
}

impl Options {
    /// The service to declare the manifests to; `None` if they are only printed.
    pub(super) fn target(&self) -> Option<Target> {
        self.service.target()
    }
}
