use crate::error::Error;
use crate::part::Part;
use crate::program;
use crate::yardstick::Kit;
use std::path::PathBuf;

/// Options of a run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Parts to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    pub(crate) only: Vec<Part>,
    /// Rounds; medians are printed with the minimum and the maximum
    #[arg(long, default_value_t = 3, value_parser = rounds)]
    pub(crate) rounds: usize,
    /// Folder of the yardsticks
    #[arg(long, env = "CUTOVER_YARDSTICKS", default_value = "yardsticks")]
    yardsticks: PathBuf,
    /// A built `cutover` to measure [default: the build for deployment, built first]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Use a tenth of the accounts, for a quick look; the figures are not comparable
    #[arg(long, conflicts_with = "store")]
    pub(crate) quick: bool,
    /// Number of accounts or processes of each part; the figures are not comparable [default: the part's own]
    #[arg(long, value_name = "N", conflicts_with_all = ["store", "quick"])]
    count: Option<u64>,
    /// Measure flat, pg-flat, progress and pg-progress with 5,000,000 processes, which take minutes to create
    #[arg(long)]
    pub(crate) huge: bool,
    /// Write the figures as JSON; the file keeps its figures of other parts
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write only the instructions per call, which can be compared between machines
    #[arg(long, value_name = "FILE")]
    pub(crate) store_instructions: Option<PathBuf>,
    /// List the ratios and instruction counts that are worse than in a stored file; fail if there are any
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
}

/// Parses a number of rounds, which is not zero.
fn rounds(text: &str) -> Result<usize, String> {
    let rounds = text.parse::<std::num::NonZeroUsize>().map_err(|e| e.to_string())?;
    Ok(rounds.get())
}

impl Args {
    /// The yardsticks, set up.
    pub(crate) fn kit(&self) -> Result<Kit, Error> {
        Kit::open(&self.yardsticks)
    }

    /// The yardsticks for their payload generator alone, which needs no setup.
    pub(crate) fn generator(&self) -> Result<Kit, Error> {
        Kit::find(&self.yardsticks)
    }

    /// The program to measure.
    pub(crate) fn program(&self) -> Result<PathBuf, Error> {
        match &self.program {
            Some(program) => std::path::absolute(program).map_err(Error::file("find", program)),
            None => program::built("cutover"),
        }
    }

    /// Scales a part's own number of accounts or processes as the options say.
    pub(crate) fn count(&self, all: u64) -> u64 {
        self.count.unwrap_or(if self.quick { all / 10 } else { all })
    }

    /// The same for a number of payloads in memory.
    pub(crate) fn payloads(&self, all: u64) -> usize {
        usize::try_from(self.count(all)).unwrap_or(usize::MAX)
    }
}
