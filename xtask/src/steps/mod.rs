//! `cargo xtask test`, which builds and runs the tests, and `cargo xtask check`, which runs every other check.

pub(crate) mod alerts;
mod api;
mod binaries;
pub(crate) mod book;
mod browser;
mod clients;
mod database;
mod deny;
mod fuzz;
mod optimised;
mod packages;
mod plain;
mod program;
mod python;
mod python_libraries;
mod report;
mod service;
mod snapshots;
mod summary;
mod tests;
pub(crate) mod torture;
mod wheel;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;

use crate::error::Error;
use crate::{citations, evidence, fence, references, released};
use summary::Counts;

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct TestArgs {
    /// Install nothing; tests whose tools are missing are NOT RUN
    #[arg(long)]
    no_install: bool,
}

/// Options of `cargo xtask check`.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Run only these steps, in the usual order
    #[arg(long, value_name = "STEP,…", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// List the steps and run none
    #[arg(long)]
    list: bool,
    /// Install missing tools: into target/tools, or with apt-get if you are root
    #[arg(long)]
    install: bool,
    /// Continue with the next step after a failure
    #[arg(long)]
    keep_going: bool,
}

/// A check of the project.
struct Step {
    name: &'static str,
    /// Description for `--list` and the heading.
    what: &'static str,
    run: fn(Tools) -> Result<Outcome, Error>,
}

/// The steps of `cargo xtask test`.
const TESTS: &[Step] = &[
    Step { name: "build", what: "every program and test compiles", run: |_| tests::build() },
    Step {
        name: "tests",
        what: "unit, snapshot, store, end-to-end and documentation tests",
        run: tests::run,
    },
];

/// The steps of `cargo xtask check`, fast ones first.
const CHECKS: &[Step] = &[
    Step { name: "fmt", what: "the code is formatted", run: |_| plain::fmt() },
    Step {
        name: "fence",
        what: "crates depend only on permitted crates, modules not in cycles",
        run: |_| fence_step(),
    },
    Step {
        name: "references",
        what: "the generated references are up to date, and tests that pages name exist",
        run: |_| references_step(),
    },
    Step { name: "citations", what: "cited sections, rules and decisions exist", run: |_| citations_step() },
    Step {
        name: "released",
        what: "nothing of the released description of the API is removed or narrowed",
        run: |_| released_step(),
    },
    Step {
        name: "optimised",
        what: "a release build optimises every crate fully",
        run: |_| optimised::run(),
    },
    Step {
        name: "deny",
        what: "licences, sources, banned crates and advisories, with cargo-deny",
        run: deny::run,
    },
    Step {
        name: "alerts",
        what: "alert rules and the dashboard parse, and alerts fire as tested, with promtool",
        run: alerts::run,
    },
    Step {
        name: "book",
        what: "links of the documentation are valid and its book builds, with mdBook",
        run: book::run,
    },
    Step { name: "clippy", what: "lints, warnings denied", run: |_| plain::clippy() },
    Step {
        name: "alone",
        what: "the programs compile without what tests turn on in their dependencies, as in a release",
        run: |_| plain::alone(),
    },
    Step { name: "docs", what: "the documentation of every crate, warnings denied", run: |_| plain::docs() },
    Step {
        name: "packages",
        what: "the files of a release, installed into empty folders and run",
        run: |_| packages::run(),
    },
    Step {
        name: "wheel",
        what: "the wheel for Python, its symbols, and its tests in an empty environment, with maturin",
        run: wheel::run,
    },
    Step { name: "fuzz", what: "fuzz targets with the same random inputs each time", run: |_| fuzz::run() },
    Step {
        name: "api",
        what: "the running service conforms to its description, with schemathesis",
        run: api::run,
    },
    Step {
        name: "clients",
        what: "clients in Python and TypeScript, generated from the description, migrate the fixtures",
        run: clients::run,
    },
    Step {
        name: "torture",
        what: "the long tests in a short form: see cargo xtask torture",
        run: torture::step,
    },
];

/// Permission to install missing tools.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tools {
    Install,
    AsTheyAre,
}

/// Result of a step.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Passed, with a remark or an empty text.
    Ok(String),
    /// Ran tests: their counts, and the remark or the fault.
    Tested(Counts, Result<String, String>),
    /// Passed, but some tests could not run: their counts, and how to install what is missing.
    Partly(Counts, String),
    /// Found a fault: which, or how to fix it.
    Failed(String),
    /// Did not run because a tool is missing: which, and how to install it.
    NotRun(String),
}

impl Outcome {
    fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Tested(_, Err(_)))
    }
}

/// A finished step.
struct Done {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// `cargo xtask test`. With `strict`, as in CI, a test that could not run is a failure.
pub(crate) fn test(args: &TestArgs, strict: bool) -> Result<ExitCode, Error> {
    let tools = if args.no_install { Tools::AsTheyAre } else { Tools::Install };
    run(&TESTS.iter().collect::<Vec<_>>(), tools, Mode { keep_going: false, strict })
}

/// `cargo xtask check`. With `strict`, as in CI, tools are installed, all steps run even after a failure, and one that
/// could not run is a failure.
pub(crate) fn check(args: &CheckArgs, strict: bool) -> Result<ExitCode, Error> {
    let chosen: Vec<&Step> = CHECKS.iter().filter(|step| is_chosen(step, &args.only)).collect();
    if args.list {
        print!("{}", report::list(&chosen));
        return Ok(ExitCode::SUCCESS);
    }
    let tools = if strict || args.install { Tools::Install } else { Tools::AsTheyAre };
    run(&chosen, tools, Mode { keep_going: strict || args.keep_going, strict })
}

/// How failures are treated.
#[derive(Clone, Copy)]
struct Mode {
    /// Continue with the next step after a failure.
    keep_going: bool,
    /// A step that could not run is a failure.
    strict: bool,
}

fn run(steps: &[&Step], tools: Tools, mode: Mode) -> Result<ExitCode, Error> {
    let done = run_steps(steps, tools, mode.keep_going)?;
    print!("\n{}", report::table(&done, mode.strict));
    Ok(if passed(&done, mode.strict) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(CHECKS.iter().map(|step| step.name))
}

fn is_chosen(step: &Step, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == step.name)
}

fn run_steps(steps: &[&Step], tools: Tools, keep_going: bool) -> Result<Vec<Done>, Error> {
    let mut stopped_by = None;
    let mut done = Vec::new();
    for step in steps {
        let begun = Instant::now();
        let outcome = match stopped_by {
            Some(name) => Outcome::NotRun(format!("stopped after {name}")),
            None => run_step(step, tools)?,
        };
        if outcome.is_failure() && !keep_going {
            stopped_by = stopped_by.or(Some(step.name));
        }
        done.push(Done { name: step.name, outcome, took: begun.elapsed() });
    }
    Ok(done)
}

fn run_step(step: &Step, tools: Tools) -> Result<Outcome, Error> {
    println!("\n== {}: {}", step.name, step.what);
    let begun = Instant::now();
    let outcome = (step.run)(tools)?;
    println!("{}", report::line(step.name, &outcome, begun.elapsed()));
    Ok(outcome)
}

fn passed(done: &[Done], strict: bool) -> bool {
    done.iter().all(|done| match done.outcome {
        Outcome::NotRun(_) | Outcome::Partly(..) => !strict,
        _ => !done.outcome.is_failure(),
    })
}

fn fence_step() -> Result<Outcome, Error> {
    let faults = fence::check()?;
    Ok(of_faults(&faults, "see xtask/src/fence"))
}

fn references_step() -> Result<Outcome, Error> {
    let stale = of_faults(&references::stale()?, &format!("fix with: {}", references::FIX));
    if stale.is_failure() {
        return Ok(stale);
    }
    Ok(of_faults(&evidence::check()?, evidence::FIX))
}

fn citations_step() -> Result<Outcome, Error> {
    let (checked, faults) = citations::check()?;
    Ok(match of_faults(&faults, citations::FIX) {
        Outcome::Ok(_) => Outcome::Ok(format!("{checked} citations resolve")),
        failed => failed,
    })
}

fn released_step() -> Result<Outcome, Error> {
    Ok(of_faults(&released::check()?, released::FIX))
}

/// A single fault becomes the remark; several are printed, and the remark counts them. Both say how to fix
/// them.
fn of_faults(faults: &[impl std::fmt::Display], fix: &str) -> Outcome {
    match faults {
        [] => Outcome::Ok(String::new()),
        [fault] => Outcome::Failed(format!("{fault}; {fix}")),
        _ => {
            faults.iter().for_each(|fault| println!("{fault}"));
            Outcome::Failed(format!("{} faults; {fix}", faults.len()))
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    const GOOD: Step = Step { name: "good", what: "", run: |_| Ok(Outcome::Ok(String::new())) };
    const BAD: Step = Step { name: "bad", what: "", run: |_| Ok(Outcome::Failed("broken".to_owned())) };
    const AWAY: Step = Step { name: "away", what: "", run: |_| Ok(Outcome::NotRun("no tool".to_owned())) };

    fn outcomes(steps: &[&Step], keep_going: bool) -> Vec<Outcome> {
        run_steps(steps, Tools::AsTheyAre, keep_going).unwrap().into_iter().map(|done| done.outcome).collect()
    }

    #[test]
    fn a_failure_stops_the_rest_unless_told_otherwise() {
        let failed = Outcome::Failed("broken".to_owned());
        let stopped = Outcome::NotRun("stopped after bad".to_owned());
        assert_eq!(outcomes(&[&BAD, &GOOD], true)[1], Outcome::Ok(String::new()));
        assert_eq!(outcomes(&[&BAD, &GOOD], false), [failed, stopped]);
    }

    #[test]
    fn a_missing_tool_is_a_failure_only_when_strict() {
        let done = run_steps(&[&GOOD, &AWAY], Tools::AsTheyAre, false).unwrap();
        assert!(passed(&done, false));
        assert!(!passed(&done, true));
        let partly = Outcome::Partly(Counts::default(), "no tool".to_owned());
        let done = [Done { name: "tests", outcome: partly, took: Duration::ZERO }];
        assert!(passed(&done, false));
        assert!(!passed(&done, true));
    }

    #[test]
    fn a_failure_is_one_however_strict() {
        let done = run_steps(&[&BAD], Tools::AsTheyAre, false).unwrap();
        assert!(!passed(&done, false));
        let tested = Outcome::Tested(Counts::default(), Err("some failed".to_owned()));
        assert!(!passed(&[Done { name: "tests", outcome: tested, took: Duration::ZERO }], false));
    }

    #[test]
    fn only_the_chosen_steps_are_run() {
        assert!(is_chosen(&GOOD, &[]));
        assert!(is_chosen(&GOOD, &["bad".to_owned(), "good".to_owned()]));
        assert!(!is_chosen(&GOOD, &["bad".to_owned()]));
    }

    #[test]
    fn faults_are_reported_with_the_way_to_fix_them() {
        assert_eq!(of_faults(&[""; 0], "fix"), Outcome::Ok(String::new()));
        assert_eq!(of_faults(&["a"], "fix"), Outcome::Failed("a; fix".to_owned()));
        assert_eq!(of_faults(&["a", "b"], "fix"), Outcome::Failed("2 faults; fix".to_owned()));
    }
}
