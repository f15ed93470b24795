use crate::error::Error;
use crate::part::Part;
use crate::program;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Options of a run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Parts to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    pub(crate) only: Vec<Part>,
    /// Rounds; medians are printed with the minimum and the maximum
    #[arg(long, default_value = "3")]
    rounds: NonZeroUsize,
    /// A built `cutover` to measure [default: built first with the profile release]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// A built `cutover-client` to measure [default: built first with the profile release]
    #[arg(long, value_name = "FILE")]
    client: Option<PathBuf>,
    /// Use a tenth of the accounts and of the time, for a quick look; the figures are not comparable
    #[arg(long, conflicts_with = "write")]
    pub(crate) quick: bool,
    /// Install the peers from the registries of Python and of Node into target/bench first
    #[arg(long)]
    pub(crate) install: bool,
    /// Write the tables into docs/PERFORMANCE.md
    #[arg(long)]
    pub(crate) write: bool,
    /// Compare the instructions of the part micro with those of a file; fail if any grew by more than 2 %
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Write the instructions of the part micro into a file
    #[arg(long, value_name = "FILE")]
    pub(crate) store_instructions: Option<PathBuf>,
}

impl Args {
    /// The service to measure.
    pub(crate) fn program(&self) -> Result<PathBuf, Error> {
        given_or_built(self.program.as_ref(), "cutover")
    }

    /// The client to measure.
    pub(crate) fn client(&self) -> Result<PathBuf, Error> {
        given_or_built(self.client.as_ref(), "cutover-client")
    }

    pub(crate) fn rounds(&self) -> std::ops::Range<usize> {
        0..self.rounds.get()
    }

    /// Scales a part's own number of accounts.
    pub(crate) fn count(&self, all: usize) -> usize {
        if self.quick { all / 10 } else { all }
    }

    /// Scales a part's own duration in seconds.
    pub(crate) fn seconds(&self, all: u64) -> u64 {
        if self.quick { 1 } else { all }
    }
}

fn given_or_built(given: Option<&PathBuf>, package: &str) -> Result<PathBuf, Error> {
    match given {
        Some(program) => std::path::absolute(program).map_err(Error::file("find", program)),
        None => program::built(package),
    }
}
