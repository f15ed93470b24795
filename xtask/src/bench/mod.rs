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
pub(crate) mod figure;
mod flat;
mod http;
mod import;
mod lists;
mod load;
pub(crate) mod machine;
mod memory;
mod micro;
mod offline;
mod postgres;
mod progress;
pub(crate) mod record;
mod report;
mod seed;
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
use record::{Measured, Run};
use std::path::PathBuf;
use std::process::ExitCode;
use yardstick::Kit;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Decoding, rules, encoding and a step of a process by themselves: times and instructions, without the yardsticks
    Micro,
    /// Decoding and all rules in memory, beside typed serde and the peers' checks
    Offline,
    /// The client's validation of 100,000 accounts, beside the same in memory
    Client,
    /// The validate endpoint, beside the peers' servers
    Http,
    /// Durable creates over 32 connections on SQLite, beside 1 and 100 a commit
    Create,
    /// The memory of a server, idle and under 32 connections with large accounts
    Memory,
    /// Bytes that are kept and written for an account on SQLite
    Stored,
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
    /// The server's CPU for requests and imports with few and many processes, suppliers and readings, on SQLite
    Flat,
    /// Durable creates over 32 connections on PostgreSQL, beside pgbench
    PgCreate,
    /// The CPU of server and database likewise, on PostgreSQL
    PgFlat,
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
    /// A tenth of the accounts: a first look, no figures
    #[arg(long, conflicts_with = "store")]
    quick: bool,
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

impl Part {
    /// Its word on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
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
    let (mut run, mut not_run) = (Run { machine: Machine::this(), parts: Vec::new() }, Vec::new());
    let mut is_whole = true;
    for part in parts {
        println!("{} …", part.name());
        match measure(*part, args, &mut not_run) {
            Ok(figures) => run.parts.push(measured(*part, args, figures)),
            // Hours of other parts are not lost for it.
            Err(error) => {
                not_run.push(format!("{}: {error}", part.name()));
                is_whole = false;
            }
        }
    }
    report::print(&run, &not_run);
    let kept =
        args.compare.as_ref().map(|file| compare::with_file(&run, file).map(|c| compare::print(&c, file)));
    let is_kept = kept.transpose()?.unwrap_or(true);
    if let Some(file) = &args.store_instructions {
        compare::store_instructions(&run, file)?;
    }
    if let Some(file) = &args.store {
        run.store(file)?;
    }
    Ok(if is_whole && is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure(part: Part, args: &Args, not_run: &mut Vec<String>) -> Result<Vec<Figure>, Error> {
    match part {
        Part::Micro => micro::measure(args, not_run),
        Part::Offline => offline::compare(&args.kit()?, args.rounds),
        Part::Client => client::compare(args),
        Part::Http => http::compare(args),
        Part::Create => create::compare(args),
        Part::Memory => memory::measure(args),
        Part::Stored => stored::measure(args),
        Part::Import => import::measure(args),
        Part::Lists => lists::compare(args),
        Part::Status => status::compare(args),
        Part::Progress => progress::compare(args),
        Part::Additions => additions::compare(args),
        Part::Flat => flat::on_sqlite(args),
        Part::PgFlat => flat::on_postgres(args),
        Part::PgCreate => postgres::create(args),
        Part::PgImport => postgres::import(args),
        Part::PgNodes => postgres::nodes(args),
        Part::PgIdle => postgres::idle(args),
        Part::PgClaim => postgres::claim(args),
        Part::PgList => postgres::list(args),
        Part::PgProgress => postgres::progress(args),
    }
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

pub(crate) fn measure_offline(args: &OfflineArgs) -> Result<ExitCode, Error> {
    offline::measure(&args.file)
}

pub(crate) fn measure_micro(args: &MicroArgs) -> Result<ExitCode, Error> {
    micro::child(args)
}
