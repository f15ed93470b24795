use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// How much is under way at once: less when the service has too much to do, slowly more again when it copes.
#[derive(Debug)]
pub(super) struct Pace {
    most: Amount,
    now: Mutex<Now>,
    changed: Notify,
    stopped: watch::Receiver<bool>,
}

/// So many requests, of so many lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Amount {
    requests: usize,
    lines: usize,
}

#[derive(Debug)]
struct Now {
    allowed: Amount,
    running: usize,
    /// Nothing is begun before.
    resume: Instant,
}

/// A request has at least so many lines, if there are as many.
const FEWEST: usize = 8;

/// Leave to make a request of so many lines, until it is dropped.
pub(super) struct Turn<'p> {
    pace: &'p Pace,
    pub(super) lines: usize,
}

impl Pace {
    /// At most so many requests, of at most so many lines.
    pub(super) fn new(requests: usize, lines: usize, stopped: watch::Receiver<bool>) -> Self {
        let most = Amount { requests, lines };
        let now = Now { allowed: most, running: 0, resume: Instant::now() };
        Self { most, now: Mutex::new(now), changed: Notify::new(), stopped }
    }

    /// Waits for leave; none if no more is to be sent.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        let mut stopped = self.stopped.clone();
        loop {
            let changed = self.changed.notified();
            if *stopped.borrow() {
                return None;
            }
            let wait = match self.take() {
                Ok(turn) => return Some(turn),
                Err(wait) => wait,
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(wait) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// Leave, or how long to wait for it at most.
    fn take(&self) -> Result<Turn<'_>, Duration> {
        let mut now = self.lock();
        let early = now.resume.saturating_duration_since(Instant::now());
        if !early.is_zero() {
            return Err(early);
        }
        if now.running >= now.allowed.requests {
            return Err(LONG);
        }
        now.running += 1;
        Ok(Turn { pace: self, lines: now.allowed.lines })
    }

    /// A request went well.
    pub(super) fn faster(&self) {
        let mut now = self.lock();
        now.allowed.requests = (now.allowed.requests + 1).min(self.most.requests);
        now.allowed.lines = (now.allowed.lines * 2).min(self.most.lines);
        self.changed.notify_waiters();
    }

    /// One did not: fewer at once, and none for a while.
    pub(super) fn slower(&self, wait: Duration) {
        let mut now = self.lock();
        now.allowed.requests = (now.allowed.requests / 2).max(1);
        now.allowed.lines = (now.allowed.lines / 2).max(FEWEST).min(self.most.lines);
        now.resume = now.resume.max(Instant::now() + wait);
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Until something changes.
const LONG: Duration = Duration::from_secs(3_600);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pace.lock().running -= 1;
        self.pace.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::wait_for;

    fn pace() -> (watch::Sender<bool>, Pace) {
        let (stop, stopped) = watch::channel(false);
        (stop, Pace::new(4, 500, stopped))
    }

    fn lines(pace: &Pace) -> Vec<usize> {
        let turns: Vec<_> = std::iter::from_fn(|| pace.take().ok()).collect();
        turns.iter().map(|turn| turn.lines).collect()
    }

    #[test]
    fn it_falls_fast_and_rises_slowly() {
        let (_stop, pace) = pace();
        assert_eq!(lines(&pace), [500; 4]);
        pace.slower(Duration::ZERO);
        assert_eq!(lines(&pace), [250; 2]);
        (0..9).for_each(|_| pace.slower(Duration::ZERO));
        assert_eq!(lines(&pace), [8]);
        pace.faster();
        assert_eq!(lines(&pace), [16; 2]);
        (0..9).for_each(|_| pace.faster());
        assert_eq!(lines(&pace), [500; 4]);
    }

    #[test]
    fn it_waits_as_long_as_it_is_told() {
        let (_stop, pace) = pace();
        pace.slower(Duration::from_secs(60));
        pace.slower(Duration::from_secs(5));
        let wait = pace.take().err().unwrap();
        assert!(wait > Duration::from_secs(50), "{wait:?}");
    }

    #[test]
    fn who_waits_for_leave_gets_it_or_is_sent_home() {
        let (stop, pace) = pace();
        wait_for(async {
            let turns: Vec<_> = std::iter::from_fn(|| pace.take().ok()).collect();
            let (waits, frees) = (pace.turn(), async { drop(turns) });
            assert!(tokio::join!(waits, frees).0.is_some());
            pace.slower(Duration::from_secs(3_600));
            let (waits, stops) = (pace.turn(), async { stop.send_replace(true) });
            assert!(tokio::join!(waits, stops).0.is_none());
        })
        .unwrap();
    }
}
