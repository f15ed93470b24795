//! Runs `cargo test` over the workspace, adds up its results, and compares its snapshots with the tree.

use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use super::binaries::integration_tests;
use super::browser::Browser;
use super::database::Database;
use super::snapshots;
use super::summary::Counts;
use super::{Outcome, Tools, of_faults};
use crate::cargo;
use crate::error::Error;

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let references = fresh_references()?;
    let database = match Database::start(tools) {
        Ok(database) => database,
        Err(e) => return Ok(Outcome::Failed(format!("PostgreSQL for the tests does not start: {e}"))),
    };
    let browser = Browser::find(tools);
    let (mut counts, mut all_passed) = (Counts::default(), true);
    let passes: &[fn() -> Option<Command>] =
        if database.is_there() { &[everything, on_postgres] } else { &[everything] };
    // A failure on one database says nothing about the other.
    for pass in passes {
        let Some(mut command) = pass() else {
            all_passed = false;
            continue;
        };
        let (succeeded, found) = test(prepared(&mut command, &references).envs(database.variable()))?;
        counts += found;
        all_passed &= succeeded;
    }
    if !all_passed {
        return Ok(Outcome::Tested(counts, Err("see above".to_owned())));
    }
    let missing = [database.not_run(), browser.not_run(), commands_not_run()];
    let missing: Vec<String> = missing.into_iter().flatten().collect();
    Ok(match remark(&references, counts)? {
        Ok(_) if !missing.is_empty() => Outcome::Partly(counts, missing.join("; ")),
        remark => Outcome::Tested(counts, remark),
    })
}

/// Message about programs that the documentation's commands need and this machine lacks.
fn commands_not_run() -> Option<String> {
    let is_there = |helper: &&str| {
        let mut command = cargo::command(helper);
        command.arg("--version");
        cargo::output(command).is_some()
    };
    let missing = ["curl", "jq"].into_iter().find(|helper| !is_there(helper))?;
    Some(format!("NOT RUN the commands of the documentation: no {missing}"))
}

/// Creates an empty file for insta to write to.
fn fresh_references() -> Result<std::path::PathBuf, Error> {
    let folder = cargo::scratch();
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let file = folder.join("snapshot-references");
    std::fs::write(&file, "").map_err(Error::file("write", &file))?;
    Ok(file)
}

/// End-to-end tests that are specific to one database, by parts of their names.
const OF_ONE_DATABASE: [&str; 11] = [
    "postgres::",
    "sqlite_only::",
    "rolling::an_upgrade",
    "storm::what_was_accepted",
    "book::",
    "faults::clocks",
    "faults::disk",
    "faults::long_reader",
    "faults::lost_commit",
    "faults::silent_database",
    "faults::zombie",
];

/// End-to-end tests that do not depend on the database, or use each by themselves.
const OF_NO_DATABASE: [&str; 4] = ["browser::checks", "browser::docs", "browser::keyboard", "browser::plain"];

/// Variable that makes end-to-end tests use PostgreSQL.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// The crate whose tests read it: no others are repeated.
const SERVICE: &str = "crates/cutover";

fn everything() -> Option<Command> {
    let mut command = cargo::cargo(["test", "--no-fail-fast", "--workspace"]);
    command.env_remove(TEST_ON);
    Some(command)
}

/// Command of the end-to-end tests on PostgreSQL; `None` if they cannot be built.
fn on_postgres() -> Option<Command> {
    let mut again = integration_tests(SERVICE)?;
    again.env(TEST_ON, "postgres");
    OF_ONE_DATABASE.iter().chain(&OF_NO_DATABASE).for_each(|name| {
        again.args(["--skip", name]);
    });
    Some(again)
}

/// Variable for the number of tests that run at the same time.
const THREADS: &str = "RUST_TEST_THREADS";

/// Default of that number. It exceeds the number of processors, as the long tests mostly wait for leases to
/// end or databases to come back: end-to-end tests use a processor for 150 s of the 550 s that they last in
/// total. With even more, tests that send a hundred requests at once are refused on a busy machine.
fn threads() -> String {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::env::var(THREADS).unwrap_or_else(|_| (processors + 1).to_string())
}

fn prepared<'c>(command: &'c mut Command, references: &Path) -> &'c mut Command {
    command
        .env("INSTA_UPDATE", "no")
        .env(THREADS, threads())
        .env_remove("INSTA_FORCE_PASS")
        .env(snapshots::VARIABLE, references)
}

/// Runs a command and passes its output on. Returns whether it succeeded, and the numbers of tests.
fn test(command: &mut Command) -> Result<(bool, Counts), Error> {
    let run_error = |source| Error::Run { command: "cargo test".to_owned(), source };
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(run_error)?;
    let mut counts = Counts::default();
    if let Some(output) = child.stdout.take() {
        counts = pass_on(BufReader::new(output), &mut std::io::stdout()).map_err(run_error)?;
    }
    Ok((child.wait().map_err(run_error)?.success(), counts))
}

/// Copies line by line and counts tests.
fn pass_on(mut from: impl BufRead, to: &mut impl Write) -> std::io::Result<Counts> {
    let mut counts = Counts::default();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        counts.add_line(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(counts)
}

fn remark(references: &Path, counts: Counts) -> Result<Result<String, String>, Error> {
    let text = std::fs::read_to_string(references).map_err(Error::file("read", references))?;
    let unused = snapshots::unreferenced(cargo::root(), &text)?;
    let faults: Vec<String> =
        unused.iter().map(|path| format!("no test uses the snapshot {}", path.display())).collect();
    Ok(match of_faults(&faults, "delete snapshots that are no longer needed") {
        Outcome::Failed(fault) => Err(fault),
        _ if counts.ignored > 0 => Ok(format!("{} ignored", counts.ignored)),
        _ => Ok(String::new()),
    })
}

#[cfg(test)]
mod unit {
    use super::*;

    /// Returns true if a Rust file below a folder reads the variable.
    fn asks(folder: &Path) -> bool {
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).any(|path| {
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            (path.is_dir() && asks(&path))
                || (is_code && std::fs::read_to_string(&path).unwrap().contains(TEST_ON))
        })
    }

    #[test]
    fn only_repeated_tests_read_the_database_variable() {
        let crates = cargo::root().join("crates").read_dir().unwrap();
        let asking = crates.map(|entry| entry.unwrap().path()).filter(|folder| asks(folder));
        assert_eq!(asking.collect::<Vec<_>>(), [cargo::root().join(SERVICE)]);
    }

    #[test]
    fn output_is_passed_on_as_it_is_and_counted() {
        let output = b"caf\xe9\ntest result: ok. 2 passed; 0 failed; 0 ignored\nno line end".as_slice();
        let mut passed_on = Vec::new();
        let counts = pass_on(output, &mut passed_on).unwrap();
        assert_eq!(passed_on, output);
        assert_eq!(counts, Counts { passed: 2, failed: 0, ignored: 0 });
    }
}
