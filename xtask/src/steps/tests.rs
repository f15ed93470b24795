//! Runs the tests of the workspace, adds up their results, and compares their snapshots with the tree.

use std::collections::VecDeque;
use std::fs::Permissions;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cutover_testkit_postgres::memory_folder;
use tempfile::TempDir;

use super::binaries::{TestProgram, test_programs};
use super::browser::Browser;
use super::database::Database;
use super::snapshots;
use super::summary::Counts;
use super::{Outcome, Tools, of_faults, python_libraries};
use crate::cargo;
use crate::error::Error;

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    let references = fresh_references()?;
    let database = match Database::start(tools) {
        Ok(database) => database,
        Err(e) => return Ok(Outcome::Failed(format!("PostgreSQL for the tests does not start: {e}"))),
    };
    let browser = Browser::find(tools);
    let library = python_libraries::find(tools);
    let Some(programs) = test_programs() else {
        return Ok(Outcome::Failed("the tests cannot be built".to_owned()));
    };
    let memory = memory()?;
    let mut runs = runs(&programs, database.is_there());
    for run in &mut runs {
        prepared(&mut run.command, &references).envs(database.variable());
        run.command.envs(memory.iter().map(|folder| ("TMPDIR", folder.path())));
    }
    let (all_passed, counts) = run_all(runs);
    if !all_passed {
        return Ok(Outcome::Tested(counts, Err("see above".to_owned())));
    }
    let library = (!library).then(python_libraries::not_run);
    let missing = [database.not_run(), browser.not_run(), commands_not_run(), library];
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
    let missing = ["curl", "jq", "sqlite3"].into_iter().find(|helper| !is_there(helper))?;
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

/// Builds what the tests and the steps beside them run.
pub(super) fn build() -> Result<Outcome, Error> {
    Ok(match test_programs() {
        Some(programs) => Outcome::Ok(format!("{} test programs", programs.len())),
        None => Outcome::Failed("see above".to_owned()),
    })
}

/// Creates a folder in memory for the tests' files, SQLite's databases above all, if there is room.
fn memory() -> Result<Option<TempDir>, Error> {
    let Some(memory) = memory_folder() else { return Ok(None) };
    let mut folder = tempfile::Builder::new();
    // Servers that root starts for tests run as another user.
    folder.prefix("cutover-tests-").permissions(Permissions::from_mode(0o755));
    folder.tempdir_in(memory).map(Some).map_err(Error::file("create a folder in", memory))
}

/// End-to-end tests that use one database whatever the variable says, by parts of their names.
const OF_ONE_DATABASE: [&str; 12] = [
    "postgres::",
    "sqlite_only::",
    "holds::waves_are_exact_with",
    "rolling::an_upgrade",
    "storm::",
    "book::",
    "faults::clocks",
    "faults::disk",
    "faults::long_reader",
    "faults::lost_commit",
    "faults::silent_database",
    "faults::zombie",
];

/// End-to-end tests that are not repeated on PostgreSQL: they do not depend on the database, use each by themselves, or
/// ask it only what the store's suite and the simulation ask on both. Whatever pages ask of a database, `console::` asks
/// on both.
const OF_NO_DATABASE: [&str; 36] = [
    "after_import::",
    "audit::",
    "browser::",
    "certificates_verified::",
    "commands::",
    "consumers::",
    "demo::",
    "document_paths::",
    "documents::",
    "erase_supplier::an_erasure_survives",
    "export::",
    "floods::",
    "framing::",
    "hostile_json::",
    "http::",
    "jobs::a_job_survives",
    "leaks::",
    "manifests::",
    "newer_version::",
    "notes::",
    "open_period::",
    "payment_instructions::",
    "properties::",
    "secrets::",
    "self_service::",
    "statements::",
    "storage::",
    "texts::",
    "transactions::",
    "undo::an_undo_survives",
    "validation::",
    "vendor_commands::",
    "vendor_storm::",
    "vendors::",
    "warnings::",
    "readiness::",
];

/// Variable that makes end-to-end tests use PostgreSQL.
const TEST_ON: &str = "CUTOVER_TEST_ON";

/// The crate whose tests read it: no others are repeated.
const SERVICE: &str = "crates/cutover";

/// Programs that take longest, in the order in which they begin. Others follow in cargo's order.
const LONGEST: [&str; 4] = [SERVICE, "crates/store", "crates/simulation", "crates/http"];

/// Programs that run at the same time, at least: both runs of the end-to-end tests, which wait now and then, and
/// another in the processor time that they leave. The steps beside the tests take the rest.
const AT_ONCE: usize = 3;

/// Priority of programs beside the end-to-end tests: those drive servers that have deadlines.
const NICENESS: &str = "10";

/// A test program to be run.
struct Run {
    what: String,
    command: Command,
}

/// Returns what is to be run, longest first.
fn runs(programs: &[TestProgram], has_postgres: bool) -> Vec<Run> {
    let mut runs = Vec::new();
    let rank = |program: &TestProgram| {
        let long = LONGEST.iter().position(|folder| program.folder == Path::new(folder));
        long.filter(|_| program.target == "it" || program.folder == Path::new("crates/http"))
    };
    let mut sorted: Vec<&TestProgram> = programs.iter().collect();
    sorted.sort_by_key(|program| rank(program).unwrap_or(LONGEST.len()));
    for program in sorted {
        let what = format!("{} {}", program.folder.display(), program.target);
        let is_end_to_end = program.folder == Path::new(SERVICE) && program.target == "it";
        let mut command = if is_end_to_end { program.command() } else { program.command_with(NICENESS) };
        command.env_remove(TEST_ON);
        runs.push(Run { what: what.clone(), command });
        if has_postgres && is_end_to_end {
            runs.push(Run { what: format!("{what}, on PostgreSQL"), command: on_postgres(program) });
        }
    }
    runs.push(Run {
        what: "documentation".to_owned(),
        command: cargo::cargo(["test", "--workspace", "--doc", "--quiet"]),
    });
    runs
}

/// Command of the end-to-end tests on PostgreSQL.
fn on_postgres(program: &TestProgram) -> Command {
    let mut again = program.command();
    again.env(TEST_ON, "postgres");
    OF_ONE_DATABASE.iter().chain(&OF_NO_DATABASE).for_each(|name| {
        again.args(["--skip", name]);
    });
    again
}

/// Runs programs, some at a time. Prints a line for each, and the output of those that failed. Returns true if
/// all succeeded, and the numbers of tests.
fn run_all(runs: Vec<Run>) -> (bool, Counts) {
    let (queue, sum) = (Mutex::new(VecDeque::from(runs)), Mutex::new((true, Counts::default())));
    std::thread::scope(|scope| {
        for _ in 0..processors().max(AT_ONCE) {
            scope.spawn(|| {
                while let Some(mut run) = next(&queue) {
                    let begun = Instant::now();
                    let (succeeded, counts) = report(&run.what, run.command.output(), begun);
                    let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                    sum.0 &= succeeded;
                    sum.1 += counts;
                }
            });
        }
    });
    sum.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn next(queue: &Mutex<VecDeque<Run>>) -> Option<Run> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// Prints the result of a program. Returns true if it succeeded, and the numbers of its tests.
fn report(what: &str, ended: std::io::Result<Output>, begun: Instant) -> (bool, Counts) {
    let output = match ended {
        Ok(output) => output,
        Err(error) => {
            println!("{what}: cannot be run: {error}");
            return (false, Counts::default());
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut counts = Counts::default();
    text.lines().for_each(|line| counts.add_line(line));
    let succeeded = output.status.success();
    if !succeeded {
        println!("{text}\n{}\n{what}: {}", String::from_utf8_lossy(&output.stderr), output.status);
    }
    println!("{}", line(what, counts, begun.elapsed()));
    (succeeded, counts)
}

fn line(what: &str, counts: Counts, took: Duration) -> String {
    let Counts { passed, failed, .. } = counts;
    format!("{what:40} {passed:>5} passed, {failed} failed {:>7.1} s", took.as_secs_f64())
}

/// Variable for the number of tests that run at the same time.
const THREADS: &str = "RUST_TEST_THREADS";

/// Default of that number. It exceeds the number of processors, as the long tests mostly wait for leases to
/// end or databases to come back: end-to-end tests use a processor for 300 s of the 700 s that they last in
/// total. With even more, tests that send a hundred requests at once are refused on a busy machine.
fn threads() -> String {
    std::env::var(THREADS).unwrap_or_else(|_| (processors() + 1).to_string())
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn prepared<'c>(command: &'c mut Command, references: &Path) -> &'c mut Command {
    command
        .env("INSTA_UPDATE", "no")
        .env(THREADS, threads())
        .env_remove("INSTA_FORCE_PASS")
        .env(snapshots::VARIABLE, references)
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

    /// Returns true if a Rust file below a folder has a module of this name, and a function or module that begins so.
    fn exists(module: &str, part: &str) -> bool {
        let tests = cargo::root().join(SERVICE).join("tests/it");
        let file = [tests.join(format!("{module}.rs")), tests.join(module).join("mod.rs")];
        let text = file.iter().find_map(|file| std::fs::read_to_string(file).ok());
        text.is_some_and(|text| {
            text.contains(&format!("fn {part}")) || text.contains(&format!("mod {part}")) || part.is_empty()
        })
    }

    #[test]
    fn tests_that_are_left_out_on_one_database_exist() {
        let names = OF_ONE_DATABASE.iter().chain(&OF_NO_DATABASE);
        let gone = names.filter(|name| {
            let (module, part) = name.split_once("::").unwrap();
            !exists(module, part)
        });
        assert_eq!(gone.collect::<Vec<_>>(), [&""; 0]);
    }

    /// The tests of end-to-end modules that begin on PostgreSQL, whatever the variable says.
    fn begin_on_postgres() -> Vec<String> {
        let files = cargo::root().join(SERVICE).join("tests/it").read_dir().unwrap();
        let files = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        let begin = |path: std::path::PathBuf| {
            let module = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let tests = text.split("#[test]\nfn ").skip(1).filter_map(|test| {
                let (name, body) = test.split_once("() {\n")?;
                let first = body.lines().next()?;
                let is_one =
                    first.contains("Fleet::start()") || first.contains("Installation::on_postgres()");
                is_one.then(|| format!("{module}::{name}"))
            });
            tests.collect::<Vec<_>>()
        };
        files.flat_map(begin).collect()
    }

    #[test]
    fn a_test_that_is_always_on_postgres_is_run_once() {
        let tests = begin_on_postgres();
        assert!(tests.len() > 3, "{tests:?}");
        let left_out =
            |test: &String| OF_ONE_DATABASE.iter().chain(&OF_NO_DATABASE).any(|part| test.starts_with(part));
        assert_eq!(tests.into_iter().filter(|test| !left_out(test)).collect::<Vec<_>>(), [""; 0]);
    }

    fn program(folder: &str, target: &str) -> TestProgram {
        TestProgram::at(folder, target)
    }

    #[test]
    fn end_to_end_tests_run_on_both_databases_and_first() {
        let programs = [program("crates/app", "it"), program("crates/store", "it"), program(SERVICE, "it")];
        let what = |has_postgres| -> Vec<String> {
            runs(&programs, has_postgres).into_iter().map(|run| run.what).collect()
        };
        let on_both = ["crates/cutover it", "crates/cutover it, on PostgreSQL"];
        let others = ["crates/store it", "crates/app it", "documentation"];
        assert_eq!(what(true), [&on_both[..], &others].concat());
        assert_eq!(what(false), [&on_both[..1], &others].concat());
    }

    #[test]
    fn a_failure_counts_and_the_others_still_run() {
        let run = |what: &str| {
            let mut command = cargo::command("sh");
            command.args(["-c", &format!("echo 'test result: ok. 2 passed; 1 failed; 0 ignored'; {what}")]);
            Run { what: what.to_owned(), command }
        };
        let (succeeded, counts) = run_all(vec![run("exit 1"), run("exit 0"), run("exit 0")]);
        assert_eq!((succeeded, counts), (false, Counts { passed: 6, failed: 3, ignored: 0 }));
    }
}
