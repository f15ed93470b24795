//! Fuzzing without guidance: seeds as they are, then changed by chance.

use crate::{Target, mutate, seeds};
use cutover_testkit::payload::Dice;
use std::io;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// How long a target is driven: until the first of both is reached, but for every seed at least.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// So many changed seeds.
    pub executions: u64,
    /// So long.
    pub time: Duration,
}

/// A target that kept its laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Inputs, seeds included.
    pub executions: u64,
    /// How long it took.
    pub took: Duration,
}

/// An input that breaks a law; which one, the panic has said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was sent.
    pub input: Vec<u8>,
    /// How many inputs kept all laws before.
    pub executions: u64,
}

/// No input takes so long, however busy the machine is.
const SLOW: Duration = Duration::from_secs(20);

/// Runs a target on its seeds, and on what becomes of them by the dice of a number.
///
/// # Errors
/// The first [`Finding`], inside; of the corpus, if it cannot be read.
pub fn drive(target: &Target, seed: u64, budget: Budget) -> io::Result<Result<Done, Finding>> {
    let (pool, began, mut dice) = (seeds(target)?, Instant::now(), Dice::new(seed));
    let mut executions = 0;
    for input in &pool {
        if !keeps_its_laws(target, input) {
            return Ok(Err(Finding { input: input.clone(), executions }));
        }
        executions += 1;
    }
    let last = executions + budget.executions;
    while executions < last && began.elapsed() < budget.time && !pool.is_empty() {
        let mut input = pool[dice.below(pool.len() as u64) as usize].clone();
        mutate(&mut input, &pool, target.words, target.max, &mut dice);
        if !keeps_its_laws(target, &input) {
            return Ok(Err(Finding { input, executions }));
        }
        executions += 1;
    }
    Ok(Ok(Done { executions, took: began.elapsed() }))
}

fn keeps_its_laws(target: &Target, input: &[u8]) -> bool {
    let began = Instant::now();
    let is_good = catch_unwind(|| (target.run)(input)).is_ok();
    if began.elapsed() > SLOW {
        eprintln!("an input of {} bytes takes longer than {SLOW:?}", input.len());
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
        Target { name: "none", what: "", run: no_x, seeds, words: &["x"], max: 100, executions: 1 }
    }

    #[test]
    fn what_breaks_a_law_is_found_and_found_again() {
        let target = of(|| vec![b"abc".to_vec()]);
        let finding = drive(&target, 1, BUDGET).unwrap().unwrap_err();
        assert!(finding.executions > 0 && finding.input.contains(&b'x'));
        assert_eq!(drive(&target, 1, BUDGET).unwrap().unwrap_err(), finding);
        assert_ne!(drive(&target, 2, BUDGET).unwrap().unwrap_err(), finding);
    }

    #[test]
    fn a_seed_that_breaks_a_law_is_a_finding() {
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
