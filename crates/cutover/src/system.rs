//! The only access to the system's clock and randomness, behind the ports.

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

/// The random number generator of the system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter of the Random port")]
    fn fill(&self, bytes: &mut [u8]) {
        if getrandom::fill(bytes).is_err() {
            // Predictable keys would be worse than no service.
            std::process::abort();
        }
    }
}

/// Returns the user that runs the command, by the environment; under `sudo` the user that called it. Empty or long names
/// and those with control characters are ignored.
pub(crate) fn user() -> Option<String> {
    let names = ["SUDO_USER", "LOGNAME", "USER"].into_iter().filter_map(|name| std::env::var(name).ok());
    names.into_iter().find(|name| is_name(name))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 128 && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_has_the_precision_of_the_store() {
        assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1_000, 0);
    }

    #[test]
    fn a_user_name_is_plain_text() {
        assert!(is_name("ana.müller"));
        for bad in ["", "a\nb", "\u{1b}[2J", &"a".repeat(129)] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn two_random_numbers_differ() {
        assert_ne!(SystemRandom.number(), SystemRandom.number());
    }
}
