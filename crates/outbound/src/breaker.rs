use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row after which a dependency is left alone, unless said otherwise.
pub(crate) const FAILURES: u32 = 5;
/// How long it is left alone, unless said otherwise.
pub(crate) const PAUSE: Duration = Duration::from_secs(10);

/// The circuit breaker of one dependency outside: a payment vendor, or document storage.
#[derive(Debug)]
pub(crate) struct Circuit(Mutex<Breaker>);

/// A call that may be made. Dropping it says nothing of the dependency.
#[derive(Debug)]
pub(crate) struct Attempt {
    circuit: Arc<Circuit>,
    leave: Option<Leave>,
}

impl Circuit {
    /// Opens for `pause` after `limit` failures in a row.
    pub(crate) fn new(limit: u32, pause: Duration) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Breaker::new(limit, pause))))
    }

    /// Leave to call, or none while the dependency is left alone.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Attempt> {
        let leave = self.breaker().ask(Instant::now())?;
        Some(Attempt { circuit: self.clone(), leave: Some(leave) })
    }

    /// Whether the dependency is left alone.
    pub(crate) fn is_open(&self) -> bool {
        self.breaker().is_open(Instant::now())
    }

    /// What is locked here is whole after each step.
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt {
    /// The dependency answered, well or not. True if it was left alone until now.
    pub(crate) fn answered(mut self) -> bool {
        let leave = self.leave.take();
        self.circuit.breaker().answered();
        leave == Some(Leave::Probe)
    }

    /// The dependency was not available. True if it is left alone from now on.
    pub(crate) fn failed(mut self) -> bool {
        let leave = self.leave.take();
        leave.is_some_and(|leave| self.circuit.breaker().failed(leave, Instant::now()))
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(leave) = self.leave.take() {
            self.circuit.breaker().given_up(leave, Instant::now());
        }
    }
}

/// Leaves a dependency alone for a while after it was not available a number of times in a row, then asks it once
/// to see whether it is back.
#[derive(Debug)]
struct Breaker {
    limit: u32,
    pause: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Calls go through; so many in a row have failed.
    Closed { failures: u32 },
    /// No calls until then.
    Open { until: Instant },
    /// One call is on its way to see whether the dependency is back.
    Probing,
}

/// A call that may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    /// One of many.
    Call,
    /// The one that sees whether the dependency is back.
    Probe,
}

impl Breaker {
    /// Opens for `pause` after `limit` failures in a row.
    fn new(limit: u32, pause: Duration) -> Self {
        Self { limit, pause, state: State::Closed { failures: 0 } }
    }

    /// Leave to call, or none.
    fn ask(&mut self, now: Instant) -> Option<Leave> {
        match self.state {
            State::Closed { .. } => Some(Leave::Call),
            State::Open { until } if until <= now => {
                self.state = State::Probing;
                Some(Leave::Probe)
            }
            State::Open { .. } | State::Probing => None,
        }
    }

    /// Whether nobody is asked now. Not after the pause, though nobody asked since: the dependency may be gone for good.
    fn is_open(&self, now: Instant) -> bool {
        match self.state {
            State::Closed { .. } => false,
            State::Open { until } => now < until,
            State::Probing => true,
        }
    }

    /// The dependency answered, well or not.
    fn answered(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// The dependency was not available. True if it is left alone from now on.
    fn failed(&mut self, leave: Leave, now: Instant) -> bool {
        let failures = match (leave, &self.state) {
            (Leave::Call, State::Closed { failures }) => failures + 1,
            (Leave::Probe, _) => self.limit,
            // It was on its way when the others failed: no news.
            (Leave::Call, _) => return false,
        };
        let open = failures >= self.limit;
        self.state = if open { State::Open { until: now + self.pause } } else { State::Closed { failures } };
        open
    }

    /// Nobody waited for the answer: nothing is known.
    fn given_up(&mut self, leave: Leave, now: Instant) {
        if leave == Leave::Probe {
            self.state = State::Open { until: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A breaker of three that has just opened, and when.
    fn open() -> (Breaker, Instant) {
        let (mut breaker, now) = (Breaker::new(3, PAUSE), Instant::now());
        let opened: Vec<bool> = (0..3).map(|_| breaker.failed(Leave::Call, now)).collect();
        assert_eq!(opened, [false, false, true]);
        (breaker, now)
    }

    #[test]
    fn it_opens_after_failures_in_a_row() {
        let (mut breaker, now) = (Breaker::new(3, PAUSE), Instant::now());
        for _ in 0..10 {
            assert!(!breaker.failed(Leave::Call, now));
            assert!(!breaker.failed(Leave::Call, now));
            breaker.answered();
        }
        assert_eq!(breaker.ask(now), Some(Leave::Call));
        let (mut breaker, now) = open();
        assert_eq!(breaker.ask(now), None);
    }

    #[test]
    fn one_probe_goes_after_the_pause() {
        let (mut breaker, now) = open();
        assert!(breaker.is_open(now) && !breaker.is_open(now + PAUSE));
        assert_eq!(breaker.ask(now + PAUSE - Duration::from_nanos(1)), None);
        assert_eq!(breaker.ask(now + PAUSE), Some(Leave::Probe));
        assert_eq!(breaker.ask(now + PAUSE * 2), None);
        assert!(breaker.is_open(now + PAUSE), "nothing is known yet");
        breaker.answered();
        assert!(!breaker.is_open(now + PAUSE));
        assert_eq!(breaker.ask(now + PAUSE), Some(Leave::Call));
    }

    #[test]
    fn a_failed_probe_opens_it_for_as_long_again() {
        let (mut breaker, now) = open();
        let later = now + PAUSE;
        assert_eq!(breaker.ask(later), Some(Leave::Probe));
        assert!(breaker.failed(Leave::Probe, later));
        assert_eq!(breaker.ask(later + PAUSE / 2), None);
        assert_eq!(breaker.ask(later + PAUSE), Some(Leave::Probe));
    }

    #[test]
    fn late_failures_of_earlier_calls_do_not_lengthen_the_pause() {
        let (mut breaker, now) = open();
        assert!(!breaker.failed(Leave::Call, now + PAUSE / 2));
        assert_eq!(breaker.ask(now + PAUSE), Some(Leave::Probe));
        assert!(!breaker.failed(Leave::Call, now + PAUSE));
        assert_eq!(breaker.ask(now + PAUSE), None);
    }

    #[test]
    fn a_probe_that_is_given_up_makes_room_for_the_next() {
        let (mut breaker, now) = open();
        assert_eq!(breaker.ask(now + PAUSE), Some(Leave::Probe));
        breaker.given_up(Leave::Probe, now + PAUSE);
        assert_eq!(breaker.ask(now + PAUSE), Some(Leave::Probe));
        breaker.given_up(Leave::Call, now + PAUSE);
        assert_eq!(breaker.ask(now + PAUSE), None);
    }
}
