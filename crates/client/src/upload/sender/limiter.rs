use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// Limits the concurrent requests and their size: less when the service is overloaded, slowly more again when
/// not.
#[derive(Debug)]
pub(super) struct Limiter {
    max: Limits,
    state: Mutex<State>,
    changed: Notify,
    stopped: watch::Receiver<bool>,
}

/// Number of concurrent requests, and of lines in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limits {
    requests: usize,
    lines: usize,
}

#[derive(Debug)]
struct State {
    allowed: Limits,
    running: usize,
    /// Time before which no request begins.
    resume: Instant,
}

/// Least limit of lines in a request.
const MIN_LINES: usize = 8;

/// Permission to send a request of this many lines; returned when dropped.
pub(super) struct Permit<'l> {
    limiter: &'l Limiter,
    pub(super) lines: usize,
}

impl Limiter {
    /// A limiter that starts at its maximum.
    pub(super) fn new(requests: usize, lines: usize, stopped: watch::Receiver<bool>) -> Self {
        let max = Limits { requests, lines };
        let state = State { allowed: max, running: 0, resume: Instant::now() };
        Self { max, state: Mutex::new(state), changed: Notify::new(), stopped }
    }

    /// Waits for a permit; returns `None` if sending was cancelled.
    pub(super) async fn acquire(&self) -> Option<Permit<'_>> {
        let mut stopped = self.stopped.clone();
        loop {
            let changed = self.changed.notified();
            if *stopped.borrow() {
                return None;
            }
            let wait = match self.try_acquire() {
                Ok(permit) => return Some(permit),
                Err(wait) => wait,
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(wait) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// Returns a permit, or the time after which to try again at the latest.
    fn try_acquire(&self) -> Result<Permit<'_>, Duration> {
        let mut state = self.lock();
        let early = state.resume.saturating_duration_since(Instant::now());
        if !early.is_zero() {
            return Err(early);
        }
        if state.running >= state.allowed.requests {
            return Err(UNTIL_CHANGED);
        }
        state.running += 1;
        Ok(Permit { limiter: self, lines: state.allowed.lines })
    }

    /// Raises the limits after a request succeeded.
    pub(super) fn increase(&self) {
        let mut state = self.lock();
        state.allowed.requests = (state.allowed.requests + 1).min(self.max.requests);
        state.allowed.lines = (state.allowed.lines * 2).min(self.max.lines);
        self.changed.notify_waiters();
    }

    /// Halves the limits after a request failed, and begins no request during `wait`.
    pub(super) fn decrease(&self, wait: Duration) {
        let mut state = self.lock();
        state.allowed.requests = (state.allowed.requests / 2).max(1);
        state.allowed.lines = (state.allowed.lines / 2).max(MIN_LINES).min(self.max.lines);
        state.resume = state.resume.max(Instant::now() + wait);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wait that ends only when another permit is returned or the limits change.
const UNTIL_CHANGED: Duration = Duration::from_secs(3_600);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.lock().running -= 1;
        self.limiter.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::block_on;

    fn limiter() -> (watch::Sender<bool>, Limiter) {
        let (stop, stopped) = watch::channel(false);
        (stop, Limiter::new(4, 500, stopped))
    }

    fn lines(limiter: &Limiter) -> Vec<usize> {
        let permits: Vec<_> = std::iter::from_fn(|| limiter.try_acquire().ok()).collect();
        permits.iter().map(|permit| permit.lines).collect()
    }

    #[test]
    fn limits_fall_fast_and_rise_slowly() {
        let (_stop, limiter) = limiter();
        assert_eq!(lines(&limiter), [500; 4]);
        limiter.decrease(Duration::ZERO);
        assert_eq!(lines(&limiter), [250; 2]);
        (0..9).for_each(|_| limiter.decrease(Duration::ZERO));
        assert_eq!(lines(&limiter), [8]);
        limiter.increase();
        assert_eq!(lines(&limiter), [16; 2]);
        (0..9).for_each(|_| limiter.increase());
        assert_eq!(lines(&limiter), [500; 4]);
    }

    #[test]
    fn the_longest_wait_counts() {
        let (_stop, limiter) = limiter();
        limiter.decrease(Duration::from_secs(3_600));
        limiter.decrease(Duration::from_secs(5));
        let wait = limiter.try_acquire().err().unwrap();
        assert!(wait > Duration::from_secs(1_800), "{wait:?}");
    }

    #[test]
    fn a_waiting_request_gets_a_permit_or_is_cancelled() {
        let (stop, limiter) = limiter();
        block_on(async {
            let permits: Vec<_> = std::iter::from_fn(|| limiter.try_acquire().ok()).collect();
            let (waits, frees) = (limiter.acquire(), async { drop(permits) });
            assert!(tokio::join!(waits, frees).0.is_some());
            limiter.decrease(Duration::from_secs(3_600));
            let (waits, stops) = (limiter.acquire(), async { stop.send_replace(true) });
            assert!(tokio::join!(waits, stops).0.is_none());
        })
        .unwrap();
    }
}
