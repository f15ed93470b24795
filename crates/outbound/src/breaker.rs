use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Default number of consecutive failures that open a circuit.
pub(crate) const FAILURES: u32 = 5;
/// Default time for which a circuit stays open.
pub(crate) const PAUSE: Duration = Duration::from_secs(10);

/// Circuit breaker of one external dependency: a payment vendor, or document storage.
#[derive(Debug)]
pub(crate) struct Circuit(Mutex<Breaker>);

/// A call that the circuit permits. Dropping it reports nothing about the dependency.
#[derive(Debug)]
pub(crate) struct Attempt {
    circuit: Arc<Circuit>,
    kind: Option<CallKind>,
}

impl Circuit {
    /// Opens for `pause` after `limit` consecutive failures.
    pub(crate) fn new(limit: u32, pause: Duration) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Breaker::new(limit, pause))))
    }

    /// Permits a call; returns `None` while the circuit is open.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Attempt> {
        let kind = self.breaker().permit(Instant::now())?;
        Some(Attempt { circuit: self.clone(), kind: Some(kind) })
    }

    /// True while the circuit is open.
    pub(crate) fn is_open(&self) -> bool {
        self.breaker().is_open(Instant::now())
    }

    /// Every step leaves the state consistent, so a poisoned lock is usable.
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt {
    /// Reports an answer, even an error. Returns true if this closed the circuit.
    pub(crate) fn answered(mut self) -> bool {
        let kind = self.kind.take();
        self.circuit.breaker().answered();
        kind == Some(CallKind::Probe)
    }

    /// Reports that the dependency was not available. Returns true if this opened the circuit.
    pub(crate) fn failed(mut self) -> bool {
        let kind = self.kind.take();
        kind.is_some_and(|kind| self.circuit.breaker().failed(kind, Instant::now()))
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(kind) = self.kind.take() {
            self.circuit.breaker().abandoned(kind, Instant::now());
        }
    }
}

/// Blocks calls for a while after consecutive failures, then permits one call as a probe.
#[derive(Debug)]
struct Breaker {
    limit: u32,
    pause: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Calls are permitted; this many in a row have failed.
    Closed { failures: u32 },
    /// No calls are permitted until then.
    Open { until: Instant },
    /// One call is probing whether the dependency is back.
    Probing,
}

/// Kind of a permitted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallKind {
    /// A call through a closed circuit.
    Call,
    /// The call that probes whether the dependency is back.
    Probe,
}

impl Breaker {
    /// Opens for `pause` after `limit` consecutive failures.
    fn new(limit: u32, pause: Duration) -> Self {
        Self { limit, pause, state: State::Closed { failures: 0 } }
    }

    /// Permits a call, or returns `None`.
    fn permit(&mut self, now: Instant) -> Option<CallKind> {
        match self.state {
            State::Closed { .. } => Some(CallKind::Call),
            State::Open { until } if until <= now => {
                self.state = State::Probing;
                Some(CallKind::Probe)
            }
            State::Open { .. } | State::Probing => None,
        }
    }

    /// True while no call is permitted. False after the pause even before a probe: the dependency may no
    /// longer exist.
    fn is_open(&self, now: Instant) -> bool {
        match self.state {
            State::Closed { .. } => false,
            State::Open { until } => now < until,
            State::Probing => true,
        }
    }

    /// Handles an answer, even an error.
    fn answered(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// Handles a failure. Returns true if it opened the circuit.
    fn failed(&mut self, kind: CallKind, now: Instant) -> bool {
        let failures = match (kind, &self.state) {
            (CallKind::Call, State::Closed { failures }) => failures + 1,
            (CallKind::Probe, _) => self.limit,
            // The call began before the circuit opened, so its failure is not new information.
            (CallKind::Call, _) => return false,
        };
        let open = failures >= self.limit;
        self.state = if open { State::Open { until: now + self.pause } } else { State::Closed { failures } };
        open
    }

    /// Handles a call without a result. An abandoned probe makes room for the next one.
    fn abandoned(&mut self, kind: CallKind, now: Instant) {
        if kind == CallKind::Probe {
            self.state = State::Open { until: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A breaker with a limit of three that has just opened, and the time.
    fn open() -> (Breaker, Instant) {
        let (mut breaker, now) = (Breaker::new(3, PAUSE), Instant::now());
        let opened: Vec<bool> = (0..3).map(|_| breaker.failed(CallKind::Call, now)).collect();
        assert_eq!(opened, [false, false, true]);
        (breaker, now)
    }

    #[test]
    fn it_opens_after_consecutive_failures() {
        let (mut breaker, now) = (Breaker::new(3, PAUSE), Instant::now());
        for _ in 0..10 {
            assert!(!breaker.failed(CallKind::Call, now));
            assert!(!breaker.failed(CallKind::Call, now));
            breaker.answered();
        }
        assert_eq!(breaker.permit(now), Some(CallKind::Call));
        let (mut breaker, now) = open();
        assert_eq!(breaker.permit(now), None);
    }

    #[test]
    fn one_probe_is_permitted_after_the_pause() {
        let (mut breaker, now) = open();
        assert!(breaker.is_open(now) && !breaker.is_open(now + PAUSE));
        assert_eq!(breaker.permit(now + PAUSE - Duration::from_nanos(1)), None);
        assert_eq!(breaker.permit(now + PAUSE), Some(CallKind::Probe));
        assert_eq!(breaker.permit(now + PAUSE * 2), None);
        assert!(breaker.is_open(now + PAUSE), "nothing is known yet");
        breaker.answered();
        assert!(!breaker.is_open(now + PAUSE));
        assert_eq!(breaker.permit(now + PAUSE), Some(CallKind::Call));
    }

    #[test]
    fn a_failed_probe_opens_it_for_as_long_again() {
        let (mut breaker, now) = open();
        let later = now + PAUSE;
        assert_eq!(breaker.permit(later), Some(CallKind::Probe));
        assert!(breaker.failed(CallKind::Probe, later));
        assert_eq!(breaker.permit(later + PAUSE / 2), None);
        assert_eq!(breaker.permit(later + PAUSE), Some(CallKind::Probe));
    }

    #[test]
    fn late_failures_of_earlier_calls_do_not_lengthen_the_pause() {
        let (mut breaker, now) = open();
        assert!(!breaker.failed(CallKind::Call, now + PAUSE / 2));
        assert_eq!(breaker.permit(now + PAUSE), Some(CallKind::Probe));
        assert!(!breaker.failed(CallKind::Call, now + PAUSE));
        assert_eq!(breaker.permit(now + PAUSE), None);
    }

    #[test]
    fn a_probe_that_is_abandoned_makes_room_for_the_next() {
        let (mut breaker, now) = open();
        assert_eq!(breaker.permit(now + PAUSE), Some(CallKind::Probe));
        breaker.abandoned(CallKind::Probe, now + PAUSE);
        assert_eq!(breaker.permit(now + PAUSE), Some(CallKind::Probe));
        breaker.abandoned(CallKind::Call, now + PAUSE);
        assert_eq!(breaker.permit(now + PAUSE), None);
    }
}
