//! `cargo xtask bench`: our figures beside those of well-known frameworks, as ratios formed in one run.
//!
//! The yardsticks are a kit of their own, outside this repository: peers, limits and a payload generator, with
//! one `run` program. Without it there is nothing to compare with, and the bench says so.

mod additions;
mod client;
mod cpu;
mod create;
mod http;
mod import;
mod lists;
mod load;
mod offline;
mod postgres;
mod progress;
mod seed;
mod server;
mod stats;
mod status;
mod yardstick;

use crate::cargo;
use crate::error::Error;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use yardstick::Kit;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Decoding and all rules in memory, beside typed serde and the peers' checks
    Offline,
    /// The client's validation of 100,000 accounts, beside the same in memory
    Client,
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
    /// The progress of a supplier with 1,000 and with 1,000,000 processes
    Progress,
    /// Notes, transactions and statements for accounts that have 10 and 100,000 of them
    Additions,
    /// Durable creates over 8 connections on PostgreSQL, beside pgbench
    PgCreate,
    /// Imports on PostgreSQL by one process, beside UNNEST from Python
    PgImport,
    /// Imports on PostgreSQL by one process and by two, on a short line and on a long one
    PgNodes,
    /// What eight idle worker processes ask of PostgreSQL
    PgIdle,
    /// Claims on PostgreSQL with 1,000 and with 1,000,000 pending
    PgClaim,
    /// The list of a supplier with 1,000,000 accounts on PostgreSQL, beside COPY
    PgList,
    /// The progress of a supplier with 1,000 and with 1,000,000 processes on PostgreSQL
    PgProgress,
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
    /// A built `cutover` to measure [default: the release build, made anew]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// A tenth of the accounts on PostgreSQL: a first look, no figures
    #[arg(long)]
    quick: bool,
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

    /// So many, or fewer for a first look.
    fn count(&self, all: u64) -> u64 {
        if self.quick { all / 10 } else { all }
    }
}

/// Measures in this very process: called by `bench` in a release build, pinned to a core.
#[derive(Debug, ClapArgs)]
pub(crate) struct OfflineArgs {
    /// Payloads, one a line
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Error> {
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    for part in parts {
        match part {
            Part::Offline => offline::compare(&args.kit()?, args.rounds)?,
            Part::Client => client::compare(args)?,
            Part::Http => http::compare(args)?,
            Part::Create => create::compare(args)?,
            Part::Import => import::measure(args)?,
            Part::Lists => lists::compare(args)?,
            Part::Status => status::compare(args)?,
            Part::Progress => progress::compare(args)?,
            Part::Additions => additions::compare(args)?,
            Part::PgCreate => postgres::create(args)?,
            Part::PgImport => postgres::import(args)?,
            Part::PgNodes => postgres::nodes(args)?,
            Part::PgIdle => postgres::idle(args)?,
            Part::PgClaim => postgres::claim(args)?,
            Part::PgList => postgres::list(args)?,
            Part::PgProgress => postgres::progress(args)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn measure_offline(args: &OfflineArgs) -> Result<ExitCode, Error> {
    offline::measure(&args.file)
}
