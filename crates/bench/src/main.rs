//! Benches of Cutover: figures next to those of well-known frameworks, as ratios formed in one run. Started
//! by `cargo xtask bench`.
//!
//! The yardsticks (peers, limits and a payload generator) are a kit outside this repository. Parts that need
//! it fail if it is missing.

mod accounts;
mod additions;
mod args;
mod calls;
mod client;
mod compare;
mod cpu;
mod create;
mod database;
mod dry_run;
mod error;
mod figure;
mod flat;
mod http;
mod import;
mod kept;
mod lists;
mod load;
mod machine;
mod memory;
mod micro;
mod offline;
#[cfg(test)]
mod page;
mod part;
mod postgres;
mod program;
mod progress;
mod record;
mod refused;
mod report;
mod seed;
mod sender;
mod server;
mod stats;
mod status;
mod stored;
mod valgrind;
mod workers;
mod yardstick;

use args::Args;
use chrono::{DateTime, Utc};
use clap::{Parser, Subcommand, ValueEnum};
use error::Error;
use figure::Figure;
use machine::Machine;
use part::Part;
use record::{Measured, Run};
use std::path::PathBuf;
use std::process::ExitCode;

// The allocator of the service, so that code measured in this process behaves as it does there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure Cutover next to the yardsticks; prints ratios formed in one run
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    args: Args,
    #[command(subcommand)]
    child: Option<ChildProcess>,
}

/// Measurements that a bench starts as a process of its own, pinned to a core.
#[derive(Subcommand)]
enum ChildProcess {
    /// Decode and check payloads in memory
    #[command(hide = true)]
    Offline {
        /// Payloads, one a line
        file: PathBuf,
    },
    /// Run the steps of a request in memory
    #[command(hide = true)]
    Micro {
        /// The case to run [default: all, with their times]
        #[arg(long)]
        case: Option<String>,
        /// Number of runs
        #[arg(long, default_value_t = 1)]
        times: u64,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.child {
        None => run(&cli.args),
        Some(ChildProcess::Offline { file }) => offline::child(file).map(|()| ExitCode::SUCCESS),
        Some(ChildProcess::Micro { case, times }) => {
            micro::child(case.as_deref(), *times).map(|()| ExitCode::SUCCESS)
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(args: &Args) -> Result<ExitCode, Error> {
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    // Read first, so that a wrong file name does not fail after hours of measuring.
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
            // Keep the figures of the other parts, which may have taken hours.
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

/// The figures of a part, with the command that measures it again.
fn measured(part: Part, args: &Args, figures: Vec<Figure>) -> Measured {
    let (name, rounds) = (part.name(), args.rounds);
    #[expect(clippy::disallowed_methods, reason = "a bench is no use case: it may read the clock")]
    let now = DateTime::<Utc>::from(std::time::SystemTime::now());
    let is_scaled = matches!(part, Part::Flat | Part::PgFlat | Part::Progress | Part::PgProgress);
    let huge = if args.huge && is_scaled { " --huge" } else { "" };
    let command = format!("cargo xtask bench --only {name} --rounds {rounds}{huge}");
    Measured { part: name, date: now.format("%Y-%m-%d").to_string(), command, figures }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
