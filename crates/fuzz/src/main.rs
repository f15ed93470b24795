//! Drives a fuzz target without guidance by coverage: the fallback of `cargo xtask fuzz` without a C++
//! compiler.

use clap::Parser;
use cutover_fuzz::{Budget, TARGETS, Target, drive, target};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Runs random mutations of the seeds, and stops at the first input that violates an invariant.
#[derive(Parser)]
struct Args {
    /// The target
    #[arg(long, value_parser = known)]
    target: &'static Target,
    /// Duration of the run in seconds
    #[arg(long)]
    seconds: u64,
    /// Seed of the random numbers: equal seeds give equal inputs
    #[arg(long)]
    seed: u64,
    /// Beginning of the path to which an input that violates an invariant is written
    #[arg(long)]
    finding: PathBuf,
}

fn known(name: &str) -> Result<&'static Target, String> {
    let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    target(name).ok_or_else(|| format!("expected one of {}", names()))
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The printed lines have the format of libFuzzer, as far as `cargo xtask fuzz` reads them.
fn run(args: &Args) -> io::Result<ExitCode> {
    let budget = Budget { executions: u64::MAX >> 1, time: Duration::from_secs(args.seconds) };
    let (executions, code) = match drive(args.target, args.seed, budget)? {
        Ok(done) => (done.executions, ExitCode::SUCCESS),
        Err(finding) => {
            let mut file = args.finding.clone().into_os_string();
            file.push(&blake3::hash(&finding.input).to_hex()[..16]);
            std::fs::write(&file, &finding.input)?;
            println!("Test unit written to {}", PathBuf::from(file).display());
            (finding.executions, ExitCode::FAILURE)
        }
    };
    println!("stat::number_of_executed_units: {executions}");
    Ok(code)
}
