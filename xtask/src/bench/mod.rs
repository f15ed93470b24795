//! `cargo xtask bench`: our figures beside those of well-known frameworks, as ratios formed in one run.
//!
//! The yardsticks are a kit of their own, outside this repository: peers, limits and a payload generator, with
//! one `run` program. Without it there is nothing to compare with, and the bench says so.

mod create;
mod http;
mod import;
mod load;
mod offline;
mod server;
mod stats;
mod yardstick;

use crate::error::Error;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Decoding and all rules in memory, beside typed serde and the peers' checks
    Offline,
    /// The validate endpoint, beside the peers' servers
    Http,
    /// Durable creates over 32 connections on SQLite, beside one commit an insert
    Create,
    /// Imports, and the memory they take
    Import,
}

/// How to measure.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Args {
    /// What to measure [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    only: Vec<Part>,
    /// Rounds; medians are printed with the least and the greatest
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The folder of the yardsticks
    #[arg(long, env = "CUTOVER_YARDSTICKS", default_value = "../shared/bench")]
    yardsticks: PathBuf,
}

/// Measures in this very process: called by `bench` in a release build, pinned to a core.
#[derive(Debug, ClapArgs)]
pub(crate) struct OfflineArgs {
    /// Payloads, one a line
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Error> {
    let kit = yardstick::Kit::open(&args.yardsticks)?;
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    for part in parts {
        match part {
            Part::Offline => offline::compare(&kit, args.rounds)?,
            Part::Http => http::compare(&kit, args.rounds)?,
            Part::Create => create::compare(&kit, args.rounds)?,
            Part::Import => import::measure(&kit)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn measure_offline(args: &OfflineArgs) -> Result<ExitCode, Error> {
    offline::measure(&args.file)
}
