//! Chores of contributors: `cargo xtask --help`.
//!
//! `test` builds and runs the tests, `check` runs every other check, `docs` writes the references that are generated from code, `bench` measures, `package` writes the files
//! of a release.

mod anchor;
mod cargo;
mod citations;
mod error;
mod evidence;
mod fence;
mod files;
mod fuzz;
mod package;
mod references;
mod released;
mod steps;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

const EXAMPLES: &str = "\
Examples:
  cargo xtask test                    all tests
  cargo xtask check                   every other check of a change
  cargo xtask check --list            what these are
  cargo xtask check --only fmt,fence  some of them
  cargo xtask fuzz --target decode    a minute of one fuzz target
  cargo xtask docs                    after a change of codes, rules, states or the API
  cargo xtask package                 the files of a release";

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
    /// Build and run all tests: on SQLite, on PostgreSQL, and in a browser
    ///
    /// Installs PostgreSQL, PgBouncer and Chromium with apt-get if they are missing and you are root. Tests that
    /// lack a tool all the same are printed as NOT RUN, which is a failure only if the variable CI is true.
    Test(steps::TestArgs),
    /// Run every check beside the tests, or some of them; stops at the first that fails
    ///
    /// A check whose tool is missing is printed as NOT RUN with the way to install it. If the variable CI is true,
    /// missing tools are installed, all checks run even after a failure, and one that could not run is a failure.
    Check(steps::CheckArgs),
    /// Run the long tests: the simulation with many seeds, request storms, rolling deployments
    ///
    /// A seed that fails is printed with the command that runs it again.
    Torture(steps::torture::Args),
    /// Fuzz everything that clients can send for a given time
    ///
    /// Guided by coverage if there is a C++ compiler. Builds into target/xtask/fuzz, which also holds
    /// findings and the corpus of the next run.
    Fuzz(fuzz::Args),
    /// Measure next to well-known frameworks; prints ratios formed in one run
    ///
    /// Builds the package cutover-bench as a release and runs it with these options.
    #[command(disable_help_flag = true)]
    Bench {
        /// Options of the bench; --help lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
        options: Vec<OsString>,
    },
    /// Write the files of a release into target/package
    ///
    /// A tarball of each program, a Debian package of the service, bills of materials, and checksums. On Linux
    /// with glibc; the programs need that version of it or a newer one.
    Package(package::Args),
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
        Chore::Test(args) => steps::test(&args, ci_is_set()),
        Chore::Check(args) => steps::check(&args, ci_is_set()),
        Chore::Torture(args) => steps::torture::command(&args, ci_is_set()),
        Chore::Fuzz(args) => fuzz::run(&args),
        Chore::Bench { options } => bench(&options),
        Chore::Package(args) => package::command(&args),
        Chore::Docs { check } => references::command(check),
    }
}

fn bench(options: &[OsString]) -> Result<ExitCode, Error> {
    if !cargo::succeeds(cargo::cargo(["build", "--quiet", "--release", "--package", "cutover-bench"]))? {
        return Err(Error::BenchBuild);
    }
    let mut command = cargo::command(cargo::root().join("target/release/cutover-bench"));
    command.args(options);
    Ok(if cargo::succeeds(command)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    fn options_of_a_bench_are_passed_on() {
        let cli = Cli::try_parse_from(["xtask", "bench", "--only", "micro", "--help"]).ok().unwrap();
        let Chore::Bench { options } = cli.chore else { panic!("no bench") };
        assert_eq!(options, ["--only", "micro", "--help"]);
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let message =
            Cli::try_parse_from(["xtask", "check", "--only", "fmt,clipy"]).err().unwrap().to_string();
        assert!(message.contains("clipy") && message.contains("fence"), "{message}");
    }
}
