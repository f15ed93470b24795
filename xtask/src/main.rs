//! Chores of contributors: `cargo xtask --help`.
//!
//! `test` runs every check of the project in one command, `ci` does the same and lets nothing pass that could
//! not run, `docs` writes the references that are generated from code, `bench` measures.

mod bench;
mod cargo;
mod citations;
#[cfg(test)]
mod deploy;
mod error;
mod evidence;
mod fence;
mod files;
mod fuzz;
mod references;
mod released;
mod steps;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

// The allocator of the service, so that benches measure what it does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  cargo xtask test                    everything, as before a commit
  cargo xtask test --list             what everything is
  cargo xtask test --only fmt,fence   a part of it
  cargo xtask fuzz --target decode    a minute of one fuzz target
  cargo xtask docs                    after a change of codes, rules, states or the API";

/// Chores of contributors to Cutover.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every check, or some of them; stops at the first that fails
    ///
    /// Needs Rust and a C toolchain. A check whose tool is not there is printed as NOT RUN with the way to
    /// get it, and is no failure unless the variable CI is true.
    Test(steps::Args),
    /// Run every check, and let nothing pass that could not run
    ///
    /// Installs missing tools and goes on after a failure. The same as `cargo xtask test` with the variable CI
    /// set to true.
    Ci(steps::Args),
    /// Repeat what takes long: the simulation with many seeds, storms, rolling deployments
    ///
    /// A seed that fails is printed with the command that runs it again.
    Torture(steps::torture::Args),
    /// Fuzz for as long as you like: what anybody may send, and the laws that hold whatever it is
    ///
    /// Guided by coverage where there is a C++ compiler. Builds into target/xtask/fuzz, where findings lie, and what
    /// the next run begins with.
    Fuzz(fuzz::Args),
    /// Measure beside the yardsticks; prints ratios formed in one run
    Bench(bench::Args),
    #[command(hide = true)]
    BenchOffline(bench::OfflineArgs),
    #[command(hide = true)]
    BenchMicro(bench::MicroArgs),
    /// Write the references in docs/ that are generated from code
    Docs {
        /// Write nothing; fail and name the files that differ from the code
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().chore) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<ExitCode, Error> {
    match chore {
        Chore::Test(args) => steps::run(&args, ci_is_set()),
        Chore::Ci(args) => steps::run(&args, true),
        Chore::Torture(args) => steps::torture::command(&args, ci_is_set()),
        Chore::Fuzz(args) => fuzz::run(&args),
        Chore::Bench(args) => bench::run(&args),
        Chore::BenchOffline(args) => bench::measure_offline(&args),
        Chore::BenchMicro(args) => bench::measure_micro(&args),
        Chore::Docs { check } => references::command(check),
    }
}

fn ci_is_set() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let message =
            Cli::try_parse_from(["xtask", "test", "--only", "fmt,clipy"]).err().unwrap().to_string();
        assert!(message.contains("clipy") && message.contains("fence"), "{message}");
    }
}
