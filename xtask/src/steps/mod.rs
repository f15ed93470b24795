//! The checks of the project, one after another: `cargo xtask test` and `cargo xtask ci`.

pub(crate) mod alerts;
mod apart;
mod api;
mod binaries;
pub(crate) mod book;
mod browser;
mod clients;
mod database;
mod fuzz;
mod licences;
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

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::{citations, evidence, fence, references, released};
use summary::Counts;

/// Steps to run, and options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these steps, in the usual order
    #[arg(long, value_name = "STEP,…", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// List the steps and run none
    #[arg(long)]
    list: bool,
    /// Install what is missing: tools into target/tools (takes minutes), PostgreSQL, Chromium and promtool
    /// with apt-get if you are root
    #[arg(long)]
    install: bool,
    /// Continue with the next step after a failure
    #[arg(long)]
    keep_going: bool,
    /// Write the outcome of the only step to this file
    #[arg(long, hide = true, value_name = "FILE")]
    outcome: Option<PathBuf>,
}

/// A check of the project.
struct Step {
    name: &'static str,
    /// Description for `--list` and the heading.
    what: &'static str,
    when: When,
    run: fn(Tools) -> Result<Outcome, Error>,
}

/// The time at which a step runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// In its turn, alone.
    Alone,
    /// In its turn, together with the steps that run beside the tests.
    Tests,
    /// While the tests run, which leave processor time, one after another. It uses about one processor.
    BesideTests,
}

/// Every check, fast ones first.
const STEPS: &[Step] = &[
    Step { name: "fmt", what: "the code is formatted", when: When::Alone, run: |_| plain::fmt() },
    Step {
        name: "fence",
        what: "crates depend only on permitted crates",
        when: When::Alone,
        run: |_| fence_step(),
    },
    Step {
        name: "references",
        what: "the generated references are up to date, and tests that pages name exist",
        when: When::Alone,
        run: |_| references_step(),
    },
    Step {
        name: "citations",
        what: "cited sections, rules and decisions exist",
        when: When::Alone,
        run: |_| citations_step(),
    },
    Step {
        name: "released",
        what: "nothing of the released description of the API is removed or narrowed",
        when: When::Alone,
        run: |_| released_step(),
    },
    Step {
        name: "alerts",
        what: "alert rules and the dashboard parse, and alerts fire as tested, with promtool",
        when: When::Alone,
        run: alerts::run,
    },
    Step {
        name: "book",
        what: "links of the documentation are valid and its book builds, with mdBook",
        when: When::Alone,
        run: book::run,
    },
    Step {
        name: "licences",
        what: "licences and sources of all crates, banned crates and advisories",
        when: When::Alone,
        run: |_| licences::run(),
    },
    Step { name: "clippy", what: "lints, warnings denied", when: When::Alone, run: |_| plain::clippy() },
    Step {
        name: "docs",
        what: "the documentation of every crate, warnings denied",
        when: When::Alone,
        run: |_| plain::docs(),
    },
    Step {
        name: "build",
        what: "every program and test compiles",
        when: When::Alone,
        run: |_| tests::build(),
    },
    Step {
        name: "tests",
        what: "unit, snapshot, store, end-to-end and documentation tests",
        when: When::Tests,
        run: tests::run,
    },
    Step {
        name: "packages",
        what: "the files of a release, installed into empty folders and run",
        when: When::BesideTests,
        run: |_| packages::run(),
    },
    Step {
        name: "fuzz",
        what: "fuzz targets with the same random inputs each time",
        when: When::BesideTests,
        run: |_| fuzz::run(),
    },
    Step {
        name: "api",
        what: "the running service conforms to its description, with schemathesis",
        when: When::BesideTests,
        run: api::run,
    },
    Step {
        name: "clients",
        what: "clients in Python and TypeScript, generated from the description, migrate the fixtures",
        when: When::BesideTests,
        run: clients::run,
    },
    Step {
        name: "torture",
        what: "the long tests in a short form: see cargo xtask torture",
        when: When::BesideTests,
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
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Runs the chosen steps. `strict` is for CI: tools are installed, no step is skipped, and one that could not
/// run is a failure.
pub(crate) fn run(args: &Args, strict: bool) -> Result<ExitCode, Error> {
    let chosen: Vec<&Step> = STEPS.iter().filter(|step| is_chosen(step, &args.only)).collect();
    if args.list {
        print!("{}", report::list(&chosen));
        return Ok(ExitCode::SUCCESS);
    }
    let tools = if strict || args.install { Tools::Install } else { Tools::AsTheyAre };
    if let Some(file) = &args.outcome {
        return write_outcome(&chosen, tools, file);
    }
    let done = run_steps(&chosen, tools, strict || args.keep_going)?;
    print!("\n{}", report::table(&done, strict));
    Ok(if passed(&done, strict) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(STEPS.iter().map(|step| step.name))
}

fn is_chosen(step: &Step, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == step.name)
}

fn run_steps(steps: &[&Step], tools: Tools, keep_going: bool) -> Result<Vec<Done>, Error> {
    let mut sequence = Sequence { tools, keep_going, stopped_by: None, done: Vec::new() };
    let has_tests = steps.iter().any(|step| step.when == When::Tests);
    let is_beside = |step: &&Step| has_tests && step.when == When::BesideTests;
    let (beside, turns): (Vec<&Step>, Vec<&Step>) = steps.iter().copied().partition(is_beside);
    for step in turns {
        if step.when == When::Tests {
            sequence.run_beside(step, &beside)?;
        } else {
            sequence.run(step, run_step)?;
        }
    }
    Ok(sequence.done)
}

/// Steps that run one after another.
struct Sequence {
    tools: Tools,
    keep_going: bool,
    /// The step after whose failure no other begins.
    stopped_by: Option<&'static str>,
    done: Vec<Done>,
}

impl Sequence {
    fn run(&mut self, step: &Step, run: fn(&Step, Tools) -> Result<Outcome, Error>) -> Result<(), Error> {
        let begun = Instant::now();
        let outcome = match self.stopped_by {
            Some(name) => Outcome::NotRun(format!("stopped after {name}")),
            None => run(step, self.tools)?,
        };
        if outcome.is_failure() && !self.keep_going {
            self.stopped_by = Some(step.name);
        }
        self.done.push(Done { name: step.name, outcome, took: begun.elapsed() });
        Ok(())
    }

    /// Runs the tests, and other steps beside them.
    fn run_beside(&mut self, tests: &Step, others: &[&Step]) -> Result<(), Error> {
        let mut second = Sequence { done: Vec::new(), ..*self };
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| others.iter().try_for_each(|step| second.run(step, apart::run)));
            self.run(tests, run_step)?;
            ended.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        self.stopped_by = self.stopped_by.or(second.stopped_by);
        self.done.extend(second.done);
        Ok(())
    }
}

fn run_step(step: &Step, tools: Tools) -> Result<Outcome, Error> {
    println!("\n== {}: {}", step.name, step.what);
    let begun = Instant::now();
    let outcome = (step.run)(tools)?;
    println!("{}", report::line(step.name, &outcome, begun.elapsed()));
    Ok(outcome)
}

/// Runs a step for another process of this program, which decides what its outcome means.
fn write_outcome(steps: &[&Step], tools: Tools, file: &Path) -> Result<ExitCode, Error> {
    let [step] = steps else { return Ok(ExitCode::FAILURE) };
    let outcome = serde_json::to_vec(&run_step(step, tools)?)?;
    std::fs::write(file, outcome).map_err(Error::file("write", file))?;
    Ok(ExitCode::SUCCESS)
}

fn passed(done: &[Done], strict: bool) -> bool {
    done.iter().all(|done| match done.outcome {
        Outcome::NotRun(_) | Outcome::Partly(..) => !strict,
        _ => !done.outcome.is_failure(),
    })
}

fn fence_step() -> Result<Outcome, Error> {
    let faults = fence::check()?;
    Ok(of_faults(&faults, "see xtask/src/fence/table.rs"))
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

    const GOOD: Step =
        Step { name: "good", what: "", when: When::Alone, run: |_| Ok(Outcome::Ok(String::new())) };
    const BAD: Step =
        Step { name: "bad", what: "", when: When::Alone, run: |_| Ok(Outcome::Failed("broken".to_owned())) };
    const AWAY: Step = Step {
        name: "away",
        what: "",
        when: When::Alone,
        run: |_| Ok(Outcome::NotRun("no tool".to_owned())),
    };

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

    /// A step beside the tests runs this program, which ends here without an outcome: it knows no such step.
    #[test]
    fn steps_beside_the_tests_run_only_with_them_in_a_process_of_their_own() {
        let beside = Step { name: "beside", when: When::BesideTests, ..GOOD };
        let tests = Step { name: "tests", when: When::Tests, ..GOOD };
        let good = || Outcome::Ok(String::new());
        assert_eq!(outcomes(&[&GOOD, &beside], false), [good(), good()]);
        let stopped = || Outcome::NotRun("stopped after bad".to_owned());
        assert_eq!(outcomes(&[&BAD, &tests, &beside], false)[1..], [stopped(), stopped()]);
        let lost = Outcome::Failed("it ended without an outcome, see above".to_owned());
        assert_eq!(outcomes(&[&tests, &beside, &GOOD], true), [good(), lost, good()]);
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
