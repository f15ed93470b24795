//! The system's clock and randomness behind the ports: the only place that asks for them.

use chrono::{DateTime, SubsecRound, Utc};
use cutover_app::port::{Clock, Random};

/// The clock of the system, in whole microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter of the Clock port")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}

/// The random numbers of the system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter of the Random port")]
    fn fill(&self, bytes: &mut [u8]) {
        if getrandom::fill(bytes).is_err() {
            // Keys made without randomness would be worse than no service.
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_shows_what_the_store_can_hold() {
        assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1_000, 0);
    }

    #[test]
    fn two_draws_differ() {
        assert_ne!(SystemRandom.number(), SystemRandom.number());
    }
}
