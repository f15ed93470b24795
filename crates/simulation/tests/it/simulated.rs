//! Runs of many seeds: all invariants hold, and everything that should happen does.

use crate::coverage::Coverage;
use crate::databases::Template;
use crate::planner::plan;
use crate::runs::{Wanted, run, run_all};
use cutover_process::{EventKind, TRANSITIONS, Transition};

/// Number of first seeds in which everything happens. Planted bugs are found five times in 40.
const FULL_COVERAGE: u64 = 300;
const ON_POSTGRES: u64 = 50;

#[test]
fn on_sqlite() {
    let template = Template::sqlite();
    let wanted = Wanted::of_environment(FULL_COVERAGE, 1_000);
    let (runs, coverage) = run_all("simulated::on_sqlite", wanted, &|| template.open());
    report(runs, &coverage);
    if wanted.from == 0 && runs >= FULL_COVERAGE {
        check_coverage(&coverage);
    }
}

#[test]
fn on_postgres() {
    let Some(template) = Template::postgres() else { return };
    let wanted = Wanted::of_environment(ON_POSTGRES, 50);
    let (runs, coverage) = run_all("simulated::on_postgres", wanted, &|| template.open());
    report(runs, &coverage);
}

/// Running a seed again does the same.
#[test]
fn a_seed_always_gives_the_same_run() {
    let template = Template::sqlite();
    for seed in 0..3 {
        let [first, second] = [(); 2].map(|()| run(seed, &plan(seed), template.open()).coverage);
        assert_eq!(first.answers, second.answers);
        assert_eq!(first.steps, second.steps);
    }
}

/// Prints the coverage, for `--nocapture`.
fn report(runs: u64, coverage: &Coverage) {
    println!("{runs} seeds");
    coverage.answers.iter().for_each(|(what, times)| println!("{times:>8}  {what}"));
    for ((from, on, to), times) in &coverage.steps {
        println!("{times:>8}  {} on {on}: {to}", from.unwrap_or("-"));
    }
}

/// Occurrences without which the simulation would miss faults.
const HAPPENS: &[&str] = &[
    "create: done",
    "create: unavailable, applied",
    "create: silence, applied",
    "create: already imported",
    "create: in progress",
    "create: not ongoing",
    "create: faults",
    "create faulty: faults",
    "notes: added",
    "notes: not found",
    "notes: unavailable, applied",
    "transactions: added",
    "transactions: done",
    "transactions: faults",
    "transactions: unavailable, applied",
    "statements: done",
    "statements: faults",
    "statements: unavailable, applied",
    "instruct: done",
    "instruct: faults",
    "instruct: unavailable",
    "instruct: unavailable, applied",
    "business: done",
    "business: faults",
    "business: unavailable, applied",
    "replace business: done",
    "replace business: faults",
    "replace business: not found",
    "replace business: unavailable, applied",
    "instruct business: done",
    "instruct business: faults",
    "again: create",
    "again: transactions",
    "again: instruct",
    "intrude: strange",
    "look: done",
    "set status: done",
    "set dry run: done",
    "set limit: done",
    "cancel: done",
    "cancel: refused",
    "retry: done",
    "retry: refused",
    "undo: done",
    "undo: unavailable, applied",
    "bill: done",
    "bill: not found",
    "turn: done",
    "turn: unavailable, applied",
    "turn: silence, applied",
    "sweep: done",
    "sweep: unavailable, applied",
    "fold: done",
    "take over: done",
    "archive: done",
    "token: done",
    "verdict: accepted",
    "verdict: rejected",
    "stale",
];

fn check_coverage(coverage: &Coverage) {
    let missing: Vec<_> = HAPPENS.iter().filter(|what| coverage.of(what) == 0).collect();
    assert!(missing.is_empty(), "never happened: {missing:?}");
    // A dry run is not rejected: it fails. That one which failed is cancelled is too seldom to be expected.
    let may_happen = |row: &&Transition| match row.on {
        EventKind::Rejected => row.to.as_str() != "DRY_RUN_ERRORED",
        EventKind::Cancelled => row.from.is_none_or(|from| from.as_str() != "DRY_RUN_ERRORED"),
        _ => true,
    };
    let taken = |row: &Transition| {
        let step = (row.from.map(|from| from.as_str()), row.on.as_str(), row.to.as_str());
        coverage.steps.contains_key(&step)
    };
    let missing: Vec<_> = TRANSITIONS.iter().filter(may_happen).filter(|row| !taken(row)).collect();
    assert!(missing.is_empty(), "no process took these steps: {missing:?}");
}
