//! `cargo xtask fuzz`: runs fuzz targets for a given time.
//!
//! Fuzzing is guided by coverage if there is a C++ compiler, which libFuzzer needs. Any Rust toolchain will
//! do, as every rustc has LLVM's coverage pass. Otherwise seeds are mutated at random.

mod build;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cargo;
use crate::error::Error;
use build::Program;

/// Targets and duration.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these targets
    #[arg(long, value_name = "TARGET,…", value_delimiter = ',', value_parser = known)]
    target: Vec<String>,
    /// Seconds per target
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Mutate seeds at random even if fuzzing could be guided by coverage
    #[arg(long)]
    unguided: bool,
    /// Run only this input, in the build of the tests
    #[arg(long, value_name = "FILE", requires = "target", conflicts_with_all = ["seconds", "unguided"])]
    replay: Option<PathBuf>,
}

/// Runs the targets one after another; fails if there is a finding.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Error> {
    if let Some(input) = &args.replay {
        let kept = args.target.iter().map(|name| replays(name, input)).collect::<Result<Vec<_>, _>>()?;
        return Ok(code(!kept.contains(&false)));
    }
    let Some(program) = Program::build(args.unguided)? else { return Ok(ExitCode::FAILURE) };
    println!("\n{:<10}{:>14}{:>10}  FINDING", "TARGET", "EXECUTIONS", "COVERAGE");
    let all = targets();
    let mut found = false;
    for name in if args.target.is_empty() { &all } else { &args.target } {
        let end = End::of(&fuzz(&program, name, args.seconds)?);
        println!("{name:<10}{end}");
        found |= end.finding.is_some() || end.executions.is_empty();
    }
    Ok(code(!found))
}

fn code(is_good: bool) -> ExitCode {
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Names of the targets: each has a folder with inputs made by hand.
fn targets() -> Vec<String> {
    let entries = fs::read_dir(cargo::root().join("crates/fuzz/corpus")).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn known(name: &str) -> Result<String, String> {
    let all = targets();
    if all.iter().any(|target| target == name) { Ok(name.to_owned()) } else { Err(all.join(", ")) }
}

/// Returns true if an input passes a target.
fn replays(name: &str, input: &Path) -> Result<bool, Error> {
    let input = input.canonicalize().map_err(Error::file("read", input))?;
    let mut command = tests();
    command.args(["--", "--exact", name]).env("CUTOVER_FUZZ_REPLAY", input);
    cargo::succeeds(command)
}

/// The command of the tests that run targets, in the build of all tests.
pub(crate) fn tests() -> Command {
    cargo::cargo(["test", "--workspace", "--test", "corpora"])
}

/// Fuzzes a target and returns its output.
fn fuzz(program: &Program, name: &str, seconds: u64) -> Result<String, Error> {
    let folder = |kind: &str| {
        let folder = cargo::scratch().join("fuzz").join(kind);
        fs::create_dir_all(&folder).map_err(Error::file("create", &folder)).map(|()| folder)
    };
    let (log, finding) = (folder("logs")?.join(name), folder("findings")?.join(format!("{name}-")));
    let mut command = program.command(name, seconds, &folder(&format!("corpus/{name}"))?, &finding);
    let file = File::create(&log).map_err(Error::file("create", &log))?;
    let errors = file.try_clone().map_err(Error::file("write", &log))?;
    cargo::succeeds({
        command.stdout(file).stderr(errors);
        command
    })?;
    let text = fs::read(&log).map_err(Error::file("read", &log))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Result of a run, parsed from the output of libFuzzer or its replacement.
#[derive(Debug, Default, PartialEq, Eq)]
struct End {
    executions: String,
    /// Reached coverage points; unknown without guidance.
    coverage: String,
    finding: Option<String>,
}

impl End {
    fn of(log: &str) -> Self {
        let mut end = Self::default();
        for line in log.lines() {
            if let Some(count) = line.strip_prefix("stat::number_of_executed_units: ") {
                end.executions = count.trim().to_owned();
            }
            if let Some((_, rest)) = line.split_once(" cov: ") {
                end.coverage = rest.split(' ').next().unwrap_or_default().to_owned();
            }
            if let Some((_, file)) = line.split_once("Test unit written to ") {
                end.finding = Some(file.to_owned());
            }
        }
        end
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let failed =
            if self.executions.is_empty() { "it did not run: see target/xtask/fuzz/logs" } else { "-" };
        let finding = self.finding.as_deref().unwrap_or(failed);
        write!(f, "{:>14}{:>10}  {finding}", self.executions, self.coverage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_named_by_their_folders() {
        assert!(targets().contains(&"decode".to_owned()), "{:?}", targets());
    }

    #[test]
    fn the_end_of_a_run_is_read() {
        let log = "#2\tINITED cov: 120 ft: 200 corp: 3/1Kb\n#9\tDONE   cov: 3456 ft: 1 corp\n\
                   stat::number_of_executed_units: 9000\nstat::average_exec_per_sec:     0\n";
        let end = End::of(log);
        assert_eq!((end.executions.as_str(), end.coverage.as_str(), &end.finding), ("9000", "3456", &None));
        let crash = format!("{log}artifact_prefix='x/'; Test unit written to x/decode-crash-1\n");
        assert_eq!(End::of(&crash).finding.as_deref(), Some("x/decode-crash-1"));
        assert!(End::of("").to_string().contains("did not run"));
    }
}
