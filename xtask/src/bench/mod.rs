//! `cargo xtask bench`: our figures beside those of well-known frameworks, as ratios formed in one run.
//!
//! The yardsticks are a kit of their own, outside this repository: peers, limits and a payload generator, with
//! one `run` program. Without it there is nothing to compare with, and the bench says so.

mod additions;
mod create;
mod http;
mod import;
mod lists;
mod load;
mod offline;
mod seed;
mod server;
mod stats;
mod status;
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
    /// The list of a supplier with 1,000,000 accounts, beside the export of the sqlite3 shell
    Lists,
    /// Status reads with 1,000 and with 1,000,000 processes
    Status,
    /// Notes, transactions and statements for accounts that have 10 and 100,000 of them
    Additions,
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
    let kit = || yardstick::Kit::open(&args.yardsticks);
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    for part in parts {
        match part {
            Part::Offline => offline::compare(&kit()?, args.rounds)?,
            Part::Http => http::compare(&kit()?, args.rounds)?,
            Part::Create => create::compare(&kit()?, args.rounds)?,
            Part::Import => import::measure(&kit()?)?,
            Part::Lists => lists::compare(args.rounds)?,
            Part::Status => status::compare(args.rounds)?,
            Part::Additions => additions::compare(args.rounds)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn measure_offline(args: &OfflineArgs) -> Result<ExitCode, Error> {
    offline::measure(&args.file)
}
