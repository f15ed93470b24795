//! Runs many seeds in parallel.

use crate::coverage::Coverage;
use crate::databases::Database;
use crate::plan::Op;
use crate::planner::{NODES, plan};
use crate::shrink::shrink;
use crate::simulation::{Simulation, lock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Result of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) violations: Vec<String>,
    pub(crate) coverage: Coverage,
}

/// Opens databases.
pub(crate) type Opening<'o> = &'o (dyn Fn() -> Database + Sync);

/// Runs a plan on its own database.
pub(crate) fn run(seed: u64, plan: &[Op], database: Database) -> Outcome {
    run_in(&Simulation::new(database, seed), plan)
}

/// Runs a plan in a simulation.
pub(crate) fn run_in(simulation: &Simulation, plan: &[Op]) -> Outcome {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        plan.iter().for_each(|op| simulation.perform(op));
        simulation.quiet();
        simulation.check();
    }));
    let mut violations = simulation.oracle().violations().to_vec();
    if let Err(panic) = ran {
        violations.push(format!("the run panicked: {:?}", panic.downcast_ref::<String>()));
    }
    let mut coverage = simulation.coverage().clone();
    for node in 0..NODES {
        let metrics = simulation.metrics(node);
        coverage.add("stale", metrics.stale.load(Ordering::SeqCst));
    }
    Outcome { violations, coverage }
}

/// Seeds to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) from: u64,
    pub(crate) seeds: u64,
    /// Time after which no further run begins.
    pub(crate) within: Option<Duration>,
}

impl Wanted {
    /// `usual` seeds unless the environment names a number, of which `per_thousand` are taken.
    pub(crate) fn of_environment(usual: u64, per_thousand: u64) -> Self {
        let number = |name: &str| {
            let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
            Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
        };
        if let Some(seed) = number("CUTOVER_SIM_SEED") {
            return Self { from: seed, seeds: 1, within: None };
        }
        let asked = number("CUTOVER_SIM_SEEDS").map(|seeds| (seeds * per_thousand).div_ceil(1_000));
        Self {
            from: number("CUTOVER_SIM_FROM").unwrap_or(0),
            seeds: asked.unwrap_or(usual),
            within: number("CUTOVER_SIM_SECONDS").map(Duration::from_secs),
        }
    }
}

/// Runs seeds on all cores and returns their number and coverage. The first failure is shrunk and reported.
///
/// # Panics
/// If a seed fails.
pub(crate) fn run_all(name: &str, wanted: Wanted, open: Opening<'_>) -> (u64, Coverage) {
    let (all, failed) = (Mutex::new((0, Coverage::default())), Mutex::new(None));
    on_all_cores(wanted, |seed| {
        let outcome = run(seed, &plan(seed), open());
        let mut all = lock(&all);
        all.0 += 1;
        all.1.merge(outcome.coverage);
        let is_well = outcome.violations.is_empty();
        if !is_well {
            lock(&failed).get_or_insert((seed, outcome.violations));
        }
        is_well
    });
    if let Some((seed, violations)) = failed.into_inner().unwrap() {
        panic!("{}", report(name, seed, &violations, open));
    }
    all.into_inner().unwrap()
}

/// Runs seeds of a simulation that returns the fault it found, on all cores.
///
/// # Panics
/// If a seed finds a fault.
pub(crate) fn find_none(wanted: Wanted, fault: impl Fn(u64) -> Option<String> + Sync) {
    let found = Mutex::new(None);
    on_all_cores(wanted, |seed| {
        let Some(fault) = fault(seed) else { return true };
        lock(&found).get_or_insert((seed, fault));
        false
    });
    assert_eq!(found.into_inner().unwrap(), None, "seed and fault");
}

/// Performs seeds until one of them is not well.
fn on_all_cores(wanted: Wanted, is_well: impl Fn(u64) -> bool + Sync) {
    let begun = Instant::now();
    let (next, stops) = (AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        loop {
            let n = next.fetch_add(1, Ordering::SeqCst);
            let is_late = wanted.within.is_some_and(|within| begun.elapsed() >= within);
            if n >= wanted.seeds || is_late || stops.load(Ordering::SeqCst) {
                return;
            }
            if !is_well(wanted.from + n) {
                stops.store(true, Ordering::SeqCst);
            }
        }
    };
    // Half of the time is spent waiting for the disk.
    let threads = 2 * thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

/// Runs the seeds below `all` until `enough` of them find a planted bug, and prints these.
///
/// # Panics
/// If fewer find it.
pub(crate) fn found(enough: usize, all: u64, finds: impl Fn(u64) -> bool) {
    let found: Vec<u64> = (0..all).filter(|seed| finds(*seed)).take(enough).collect();
    println!("found with the seeds {found:?}");
    assert_eq!(found.len(), enough, "of {all} seeds only {found:?} found it");
}

/// Report of a failing seed.
fn report(name: &str, seed: u64, first: &[String], open: Opening<'_>) -> String {
    let whole = plan(seed);
    let fails = |ops: &[Op]| !run(seed, ops, open()).violations.is_empty();
    let short = shrink(whole.clone(), fails);
    let first = first.join("\n  ");
    let violations = run(seed, &short, open()).violations.join("\n  ");
    let ops: Vec<String> = short.iter().map(|op| format!("{op:?}")).collect();
    format!(
        "seed {seed} fails:\n  {first}\nafter {} of its {} operations too:\n  {violations}\n  {}\n\
         again: CUTOVER_SIM_SEED={seed} cargo test -p cutover-simulation {name}",
        short.len(),
        whole.len(),
        ops.join("\n  "),
    )
}
