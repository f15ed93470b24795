use crate::upload::DocumentOptions;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

const CHECK_EXAMPLES: &str = "\
Examples:
  cutover-client documents check documents/ --accounts exports/
  cutover-client documents check documents/ --accounts exports/ --report missing.csv

The folder is laid out as below the supplier's document root in the storage. Each path that a note
or a statement of an account names must be a file there, and statements must begin as a PDF does.
Needs no service.

Exit codes: 0 all are there, 1 some are missing, no PDF or not named safely, 2 usage, or an input
that cannot be read, 130 interrupted by Ctrl-C.";

const UPLOAD_EXAMPLES: &str = "\
Examples:
  cutover-client documents upload documents/ --supplier ACME
  cutover-client documents upload documents/ --supplier ACME --report refused.csv

Each file is stored under its path below the folder, as notes and statements name it. What is stored
is never replaced; the same bytes may be sent again. Run again after an interruption, it resumes.

Exit codes:
  0    the service has every document
  1    some are empty, have names that no account can name, or were refused: another document is
       stored under the path, or they are too large
  2    usage, a folder that cannot be read, a fault of the service
  130  interrupted by Ctrl-C: answers to requests in flight are in the journal";

/// Commands about documents.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Check that a folder has each document that accounts name
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckOptions),
    /// Bring a folder of documents into the storage of the service
    #[command(after_help = UPLOAD_EXAMPLES)]
    Upload(DocumentOptions),
}

/// Options of `documents check`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CheckOptions {
    /// The folder with the documents
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Files of accounts, folders of them, or - for NDJSON on standard input, as for upload; may be repeated
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    pub(super) accounts: Vec<PathBuf>,
    /// Number of accounts to look at at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Write every finding to a .json, .csv or .html file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl CheckOptions {
    pub(super) fn workers(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(|| available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}
