use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes workers that wait for work.
#[derive(Debug, Default)]
pub struct Wake {
    counts: Mutex<Counts>,
    /// Signalled for workers that wait for work.
    work: Condvar,
    /// Signalled for workers that sleep until they are stopped.
    end: Condvar,
}

#[derive(Debug, Default)]
struct Counts {
    notifications: u64,
    handovers: u64,
}

impl Wake {
    /// Wakes all workers: there may be more work than one of them can do, or they are to stop.
    pub fn notify_all(&self) {
        self.counts().notifications += 1;
        self.work.notify_all();
        self.end.notify_all();
    }

    /// Wakes one worker. It notifies another if there is more work than it can do.
    pub fn notify_one(&self) {
        self.counts().notifications += 1;
        self.work.notify_one();
    }

    /// Asks the waiting workers to take over polling, which the caller has stopped.
    pub(crate) fn hand_over_polling(&self) {
        self.counts().handovers += 1;
        // A single signal could go to a worker that is polling already.
        self.work.notify_all();
    }

    /// Returns the number of notifications so far. Take it before looking for work.
    pub fn notifications(&self) -> u64 {
        self.counts().notifications
    }

    /// Returns the number of handovers so far. Take it before checking that another worker polls.
    pub(crate) fn handovers(&self) -> u64 {
        self.counts().handovers
    }

    /// Waits until there are more notifications than `seen`, at most for `at_most`.
    pub fn wait(&self, seen: u64, at_most: Duration) {
        self.wait_while(at_most, |counts| counts.notifications == seen);
    }

    /// Like [`wait`](Self::wait), and returns as well when polling is handed over.
    pub(crate) fn wait_or_take_over(&self, seen: u64, handovers: u64, at_most: Duration) {
        self.wait_while(at_most, |counts| (counts.notifications, counts.handovers) == (seen, handovers));
    }

    /// Sleeps until all are notified and `is_over` returns true, at most for `at_most`. Leaves notifications
    /// of one to the workers that wait for work.
    pub fn sleep(&self, at_most: Duration, is_over: impl Fn() -> bool) {
        // A poisoned lock cannot be left inconsistent by a counter.
        let _ = self.end.wait_timeout_while(self.counts(), at_most, |_| !is_over());
    }

    fn wait_while(&self, at_most: Duration, goes_on: impl Fn(&Counts) -> bool) {
        let _ = self.work.wait_timeout_while(self.counts(), at_most, |counts| goes_on(counts));
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_testkit_machine::receive;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;
    use std::time::Instant;

    /// Longer than any test runs: a wait of this length never ends by itself.
    const EVER: Duration = Duration::from_secs(3_600);
    const SHORT: Duration = Duration::from_millis(1);

    fn took(job: impl FnOnce()) -> Duration {
        let begun = Instant::now();
        job();
        begun.elapsed()
    }

    /// Starts threads that run `pause`, and returns a channel that gets a message from each when its pause
    /// ends.
    ///
    /// The pause calls its last argument whenever it evaluates its condition, which it does under the lock.
    /// Only waiting releases that lock, so all threads wait when this returns.
    fn pausing(
        wake: &Arc<Wake>,
        count: usize,
        pause: impl Fn(&Wake, &dyn Fn()) + Clone + Send + 'static,
    ) -> Receiver<()> {
        let ((asked, has_asked), (gone, has_gone)) = (channel(), channel());
        for _ in 0..count {
            let (wake, asked, gone, pause) = (wake.clone(), asked.clone(), gone.clone(), pause.clone());
            thread::spawn(move || {
                // The receiver is gone after the first message of each thread.
                pause(&wake, &|| {
                    let _ = asked.send(());
                });
                let _ = gone.send(());
            });
        }
        expect(&has_asked, count);
        drop(wake.counts());
        has_gone
    }

    fn waiting(wake: &Arc<Wake>, count: usize) -> Receiver<()> {
        let seen = wake.notifications();
        pausing(wake, count, move |wake, asks| {
            wake.wait_while(EVER, |counts| {
                asks();
                counts.notifications == seen
            });
        })
    }

    /// Receives `count` messages.
    fn expect(messages: &Receiver<()>, count: usize) {
        (0..count).for_each(|_| receive("a message", messages));
    }

    #[test]
    fn a_notification_that_was_not_seen_ends_the_wait_at_once() {
        let wake = Wake::default();
        for notify in [Wake::notify_all as fn(&Wake), Wake::notify_one] {
            let seen = wake.notifications();
            notify(&wake);
            wake.wait(seen, EVER);
            assert!(took(|| wake.wait(wake.notifications(), SHORT)) >= SHORT);
        }
    }

    #[test]
    fn notify_all_wakes_all() {
        let wake = Arc::new(Wake::default());
        let gone = waiting(&wake, 4);
        wake.notify_all();
        expect(&gone, 4);
    }

    #[test]
    fn notify_one_lets_others_wait() {
        let wake = Arc::new(Wake::default());
        // A thread that is just about to wait may return as well, so one try need not be enough.
        let others_wait = || {
            let gone = waiting(&wake, 4);
            wake.notify_one();
            expect(&gone, 1);
            let others_wait = gone.recv_timeout(Duration::from_millis(50)).is_err();
            wake.notify_all();
            others_wait
        };
        assert!((0..20).any(|_| others_wait()));
        let gone = waiting(&wake, 4);
        for _ in 0..4 {
            wake.notify_one();
            expect(&gone, 1);
        }
    }

    #[test]
    fn notify_one_wakes_a_worker_that_waits_for_work() {
        let wake = Arc::new(Wake::default());
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let sleeping = pausing(&wake, 3, move |wake, asks| {
            wake.sleep(EVER, || {
                asks();
                over.load(Ordering::SeqCst)
            });
        });
        let waiting = waiting(&wake, 1);
        wake.notify_one();
        expect(&waiting, 1);
        // They sleep on as long as it is not over.
        wake.notify_all();
        assert!(sleeping.try_recv().is_err());
        is_over.store(true, Ordering::SeqCst);
        wake.notify_all();
        expect(&sleeping, 3);
    }

    #[test]
    fn sleep_returns_at_once_when_it_is_over() {
        let wake = Wake::default();
        wake.sleep(EVER, || true);
        assert!(took(|| wake.sleep(SHORT, || false)) >= SHORT);
    }
}
