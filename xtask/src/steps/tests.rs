//! `cargo test` over the workspace, its results added up, its snapshots compared with the tree.

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
    // What fails on one database says nothing of the other.
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

/// What the commands of the documentation need besides the programs under test.
fn commands_not_run() -> Option<String> {
    let is_there = |helper: &&str| {
        let mut command = cargo::command(helper);
        command.arg("--version");
        cargo::output(command).is_some()
    };
    let missing = ["curl", "jq"].into_iter().find(|helper| !is_there(helper))?;
    Some(format!("NOT RUN the commands of the documentation: no {missing}"))
}

/// An empty file for insta to write to.
fn fresh_references() -> Result<std::path::PathBuf, Error> {
    let folder = cargo::scratch();
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let file = folder.join("snapshot-references");
    std::fs::write(&file, "").map_err(Error::file("write", &file))?;
    Ok(file)
}

/// Tests of the service as a whole that are about one database, by parts of their names.
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

/// And those that would see the same on any, or go to each by themselves.
const OF_NO_DATABASE: [&str; 4] = ["browser::checks", "browser::docs", "browser::keyboard", "browser::plain"];

/// Has tests of the service as a whole run on PostgreSQL.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// The crate whose tests look at it: no others are run once more.
const SERVICE: &str = "crates/cutover";

fn everything() -> Option<Command> {
    let mut command = cargo::cargo(["test", "--no-fail-fast", "--workspace"]);
    command.env_remove(TEST_ON);
    Some(command)
}

/// Tests of the service as a whole once more, on PostgreSQL; nothing if they cannot be built.
fn on_postgres() -> Option<Command> {
    let mut again = integration_tests(SERVICE)?;
    again.env(TEST_ON, "postgres");
    OF_ONE_DATABASE.iter().chain(&OF_NO_DATABASE).for_each(|name| {
        again.args(["--skip", name]);
    });
    Some(again)
}

/// How many tests run at a time, if nobody says it.
const THREADS: &str = "RUST_TEST_THREADS";

/// More than there are processors: what the long ones take is mostly waiting, for leases to end or databases to come
/// back. Those of the service take a processor for 150 s of the 550 s that they last, added up. With still more of them
/// at a time, those that send a hundred requests at once are refused where a machine has other work as well.
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

/// Runs it with its output passed on; whether it succeeded, and what it counted.
fn test(command: &mut Command) -> Result<(bool, Counts), Error> {
    let run_error = |source| Error::Run { command: "cargo test".to_owned(), source };
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(run_error)?;
    let mut counts = Counts::default();
    if let Some(output) = child.stdout.take() {
        counts = pass_on(BufReader::new(output), &mut std::io::stdout()).map_err(run_error)?;
    }
    Ok((child.wait().map_err(run_error)?.success(), counts))
}

/// Copies line by line, whatever the bytes, and counts on the way.
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
        unused.iter().map(|path| format!("no test looks at the snapshot {}", path.display())).collect();
    Ok(match of_faults(&faults, "delete what is no longer wanted") {
        Outcome::Failed(fault) => Err(fault),
        _ if counts.ignored > 0 => Ok(format!("{} ignored", counts.ignored)),
        _ => Ok(String::new()),
    })
}

#[cfg(test)]
mod unit {
    use super::*;

    /// Whether something that is written in Rust below a folder asks what tests are run on.
    fn asks(folder: &Path) -> bool {
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).any(|path| {
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            (path.is_dir() && asks(&path))
                || (is_code && std::fs::read_to_string(&path).unwrap().contains(TEST_ON))
        })
    }

    #[test]
    fn no_tests_but_those_that_are_run_again_ask_what_they_are_run_on() {
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
