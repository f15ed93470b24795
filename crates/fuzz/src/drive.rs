//! Fuzzing without guidance: runs the seeds, then random mutations of them.

use crate::{Target, mutate, seeds};
use cutover_testkit::payload::Dice;
use std::io;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// Limits of a run; it ends when the first one is reached, but runs every seed.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Maximum number of mutated inputs.
    pub executions: u64,
    /// Maximum time.
    pub time: Duration,
}

/// Result of a run in which all invariants held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Number of inputs, including seeds.
    pub executions: u64,
    /// Duration of the run.
    pub took: Duration,
}

/// An input that violates an invariant. The panic has printed which one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// Number of inputs before this one.
    pub executions: u64,
}

/// Maximum time for one input, even on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Runs a target on its seeds and on mutations of them that depend on `seed`.
///
/// # Errors
/// The inner error is the first [`Finding`]; the outer one says that the corpus cannot be read.
pub fn drive(target: &Target, seed: u64, budget: Budget) -> io::Result<Result<Done, Finding>> {
    let (pool, began, mut dice) = (seeds(target)?, Instant::now(), Dice::new(seed));
    let mut executions = 0;
    for input in &pool {
        if !holds(target, input) {
            return Ok(Err(Finding { input: input.clone(), executions }));
        }
        executions += 1;
    }
    let last = executions + budget.executions;
    while executions < last && began.elapsed() < budget.time && !pool.is_empty() {
        let mut input = pool[dice.below(pool.len() as u64) as usize].clone();
        mutate(&mut input, &pool, target.words, target.max, &mut dice);
        if !holds(target, &input) {
            return Ok(Err(Finding { input, executions }));
        }
        executions += 1;
    }
    Ok(Ok(Done { executions, took: began.elapsed() }))
}

fn holds(target: &Target, input: &[u8]) -> bool {
    let began = Instant::now();
    let is_good = catch_unwind(|| (target.run)(input)).is_ok();
    if began.elapsed() > MAX_TIME {
        eprintln!("an input of {} bytes takes longer than {MAX_TIME:?}", input.len());
        return false;
    }
    is_good
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { executions: 500, time: Duration::from_secs(60) };

    fn no_x(input: &[u8]) {
        assert!(!input.contains(&b'x'), "an x");
    }

    fn of(seeds: fn() -> Vec<Vec<u8>>) -> Target {
        Target { name: "none", description: "", run: no_x, seeds, words: &["x"], max: 100, executions: 1 }
    }

    #[test]
    fn violations_are_found_reproducibly() {
        let target = of(|| vec![b"abc".to_vec()]);
        let finding = drive(&target, 1, BUDGET).unwrap().unwrap_err();
        assert!(finding.executions > 0 && finding.input.contains(&b'x'));
        assert_eq!(drive(&target, 1, BUDGET).unwrap().unwrap_err(), finding);
        assert_ne!(drive(&target, 2, BUDGET).unwrap().unwrap_err(), finding);
    }

    #[test]
    fn a_seed_that_violates_an_invariant_is_a_finding() {
        let finding = drive(&of(|| vec![b"x".to_vec()]), 1, BUDGET).unwrap().unwrap_err();
        assert_eq!(finding, Finding { input: b"x".to_vec(), executions: 0 });
    }

    #[test]
    fn it_ends_with_its_budget() {
        let target = Target { run: |_| (), ..of(|| vec![b"abc".to_vec(), b"".to_vec()]) };
        assert_eq!(drive(&target, 1, BUDGET).unwrap().unwrap().executions, 502);
        let budget = Budget { time: Duration::ZERO, ..BUDGET };
        assert_eq!(drive(&target, 1, budget).unwrap().unwrap().executions, 2);
    }
}
