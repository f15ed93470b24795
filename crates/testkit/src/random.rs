use crate::payload::Dice;
use cutover_app::port::Random;
use std::sync::{Mutex, PoisonError};

/// Deterministic randomness.
#[derive(Debug)]
pub struct SeededRandom(Mutex<Dice>);

impl SeededRandom {
    /// Returns the randomness of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Dice::new(seed)))
    }
}

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let mut dice = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.iter_mut().for_each(|byte| *byte = dice.below(256) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_repeat_and_differ() {
        let numbers = |seed| {
            let random = SeededRandom::new(seed);
            [random.number(), random.number()]
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert_ne!(numbers(1)[0], numbers(1)[1]);
    }
}
