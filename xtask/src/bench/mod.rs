//! `cargo xtask bench`: our figures beside those of well-known frameworks, as ratios formed in one run.
//!
//! The yardsticks are a kit of their own, outside this repository: peers, limits and a payload generator, with
//! one `run` program. Without it there is nothing to compare with, and the bench says so.

mod accounts;
mod additions;
mod calls;
mod client;
mod compare;
mod cpu;
mod create;
mod dry_run;
pub(crate) mod figure;
mod flat;
mod http;
mod import;
mod kept;
mod lists;
mod load;
pub(crate) mod machine;
mod memory;
mod micro;
mod offline;
mod part;
mod postgres;
mod progress;
pub(crate) mod record;
mod report;
mod seed;
mod sender;
mod server;
pub(crate) mod stats;
mod status;
mod stored;
mod valgrind;
mod workers;
mod yardstick;

use crate::cargo;
use crate::error::Error;
use chrono::{DateTime, Utc};
use clap::{Args as ClapArgs, ValueEnum};
use figure::Figure;
use machine::Machine;
use part::Part;
use record::{Measured, Run};
use std::path::PathBuf;
use std::process::ExitCode;
use yardstick::Kit;

/// How to measure.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Args {
    /// What to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    only: Vec<Part>,
    /// Rounds; medians are printed with the least and the greatest
    #[arg(long, default_value_t = 3, value_parser = rounds)]
    rounds: usize,
    /// The folder of the yardsticks
    #[arg(long, env = "CUTOVER_YARDSTICKS", default_value = "../shared/bench")]
    yardsticks: PathBuf,
    /// A built `cutover` to measure [default: the release build, made anew]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// A tenth of the accounts: a first look, no figures
    #[arg(long, conflicts_with = "store")]
    quick: bool,
    /// Number of accounts or processes of each part: a try, no figures [default: the part's own]
    #[arg(long, value_name = "N", conflicts_with_all = ["store", "quick"])]
    count: Option<u64>,
    /// The parts flat and pg-flat with 5,000,000 processes as well, which takes minutes to make
    #[arg(long)]
    huge: bool,
    /// Write what was measured as JSON; what the file holds of other parts stays there
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Write the instructions a call alone, which may be compared between machines
    #[arg(long, value_name = "FILE")]
    store_instructions: Option<PathBuf>,
    /// List the ratios and instruction counts that are worse than in a file that was stored; fails if there are any
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

/// A number of rounds: without one there is no figure.
fn rounds(text: &str) -> Result<usize, String> {
    let rounds = text.parse::<std::num::NonZeroUsize>().map_err(|e| e.to_string())?;
    Ok(rounds.get())
}

impl Args {
    fn kit(&self) -> Result<Kit, Error> {
        Kit::open(&self.yardsticks)
    }

    /// The program to measure.
    fn program(&self) -> Result<PathBuf, Error> {
        if let Some(program) = &self.program {
            return std::path::absolute(program).map_err(Error::file("find", program));
        }
        if !cargo::succeeds(cargo::cargo(["build", "--quiet", "--release", "--package", "cutover"]))? {
            return Err(Error::Bench("the release build failed".into()));
        }
        Ok(cargo::root().join("target/release/cutover"))
    }

    /// The kit for its payload generator alone, which needs no setup.
    fn generator(&self) -> Result<Kit, Error> {
        Kit::find(&self.yardsticks)
    }

    /// So many, or fewer for a first look, or the number that was given.
    fn count(&self, all: u64) -> u64 {
        self.count.unwrap_or(if self.quick { all / 10 } else { all })
    }
}

/// Measures in this very process: called by `bench` in a release build, pinned to a core.
#[derive(Debug, ClapArgs)]
pub(crate) struct OfflineArgs {
    /// Payloads, one a line
    file: PathBuf,
}

/// Measures the steps of a request in this very process: called by `bench` in a release build.
#[derive(Debug, ClapArgs)]
pub(crate) struct MicroArgs {
    /// The one to run [default: all, with their times]
    #[arg(long)]
    case: Option<String>,
    /// How often
    #[arg(long, default_value_t = 1)]
    times: u64,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Error> {
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    // Read before anything is measured: hours later a wrong name would be bad news.
    let earlier = args.compare.as_deref().map(compare::read).transpose()?;
    let (mut run, mut not_run) = (Run { machine: Machine::this(), parts: Vec::new() }, Vec::new());
    let mut is_whole = true;
    for part in parts {
        println!("{} …", part.name());
        match part.measure(args, &mut not_run).and_then(figure::sound) {
            Ok(figures) => {
                let measured = measured(*part, args, figures);
                if let Some(file) = &args.store {
                    Run { machine: run.machine.clone(), parts: vec![measured.clone()] }.store(file)?;
                }
                run.parts.push(measured);
            }
            // What other parts took hours for is not lost.
            Err(error) => {
                not_run.push(format!("{}: {error}", part.name()));
                is_whole = false;
            }
        }
    }
    report::print(&run, &not_run);
    if let Some(file) = &args.store_instructions {
        compare::store_instructions(&run, file)?;
    }
    let is_kept = earlier.is_none_or(|earlier| compare::print(&compare::with(&run, &earlier), &earlier));
    Ok(if is_whole && is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a part came to, with the command that measures it again.
fn measured(part: Part, args: &Args, figures: Vec<Figure>) -> Measured {
    let (name, rounds) = (part.name(), args.rounds);
    // A bench may look at the clock.
    #[expect(clippy::disallowed_methods, reason = "a bench is no use case")]
    let now = DateTime::<Utc>::from(std::time::SystemTime::now());
    let huge = if args.huge && matches!(part, Part::Flat | Part::PgFlat) { " --huge" } else { "" };
    let command = format!("cargo xtask bench --only {name} --rounds {rounds}{huge}");
    Measured { part: name, date: now.format("%Y-%m-%d").to_string(), command, figures }
}

/// The names of all parts.
#[cfg(test)]
pub(crate) fn parts() -> Vec<String> {
    Part::value_variants().iter().map(|part| part.name()).collect()
}

pub(crate) fn measure_offline(args: &OfflineArgs) -> Result<ExitCode, Error> {
    offline::measure(&args.file)
}

pub(crate) fn measure_micro(args: &MicroArgs) -> Result<ExitCode, Error> {
    micro::child(args)
}
