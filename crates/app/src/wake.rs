use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes workers that wait for work.
#[derive(Debug, Default)]
pub struct Wake {
    calls: Mutex<u64>,
    /// For those who wait for work.
    work: Condvar,
    /// For those who rest.
    end: Condvar,
}

impl Wake {
    /// There may be more work than for one, or it is time to stop.
    pub fn call(&self) {
        *self.calls() += 1;
        self.work.notify_all();
        self.end.notify_all();
    }

    /// There may be work: one of those who wait looks, and calls the others if there is more than for it.
    pub fn call_one(&self) {
        *self.calls() += 1;
        self.work.notify_one();
    }

    /// The number of calls so far; to be taken before looking for work.
    pub fn seen(&self) -> u64 {
        *self.calls()
    }

    /// Waits for a call after those seen, at most so long.
    pub fn wait(&self, seen: u64, at_most: Duration) {
        self.pause(&self.work, at_most, |calls| calls == seen);
    }

    /// Waits so long, unless all are called and it is over then; calls for one are left to those who wait
    /// for work.
    pub fn rest(&self, at_most: Duration, is_over: impl Fn() -> bool) {
        self.pause(&self.end, at_most, |_| !is_over());
    }

    fn pause(&self, bell: &Condvar, at_most: Duration, goes_on: impl Fn(u64) -> bool) {
        // A poisoned lock cannot be left inconsistent by a counter.
        let _ = bell.wait_timeout_while(self.calls(), at_most, |calls| goes_on(*calls));
    }

    fn calls(&self) -> MutexGuard<'_, u64> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    /// Longer than any test: who waits so long was not called.
    const EVER: Duration = Duration::from_secs(3_600);

    /// Threads that pause until they may go, and tell when they do. All of them wait when this returns: that they may not go yet was found under the lock, which only waiting gives free.
    fn pausing(
        wake: &Arc<Wake>,
        count: usize,
        bell: fn(&Wake) -> &Condvar,
        goes_on: impl Fn(u64) -> bool + Clone + Send + 'static,
    ) -> Receiver<()> {
        let ((ready, is_ready), (gone, has_gone)) = (channel(), channel());
        for _ in 0..count {
            let (wake, ready, gone, goes_on) = (wake.clone(), ready.clone(), gone.clone(), goes_on.clone());
            thread::spawn(move || {
                wake.pause(bell(&wake), EVER, |calls| {
                    // Heard the first time only.
                    let _ = ready.send(());
                    goes_on(calls)
                });
                let _ = gone.send(());
            });
        }
        (0..count).for_each(|_| is_ready.recv().unwrap());
        drop(wake.calls());
        has_gone
    }

    fn waiting(wake: &Arc<Wake>, count: usize) -> Receiver<()> {
        let seen = wake.seen();
        pausing(wake, count, |wake| &wake.work, move |calls| calls == seen)
    }

    /// So many of them go; a call that does not reach them is not waited for.
    fn go(gone: &Receiver<()>, count: usize) {
        (0..count).for_each(|_| gone.recv_timeout(Duration::from_secs(60)).unwrap());
    }

    #[test]
    fn who_saw_less_than_was_called_does_not_wait() {
        let wake = Wake::default();
        for call in [Wake::call as fn(&Wake), Wake::call_one] {
            let seen = wake.seen();
            call(&wake);
            wake.wait(seen, EVER);
            wake.wait(wake.seen(), Duration::from_millis(1));
        }
    }

    #[test]
    fn a_call_wakes_all() {
        let wake = Arc::new(Wake::default());
        let gone = waiting(&wake, 4);
        wake.call();
        go(&gone, 4);
    }

    #[test]
    fn a_call_for_one_lets_others_wait() {
        let wake = Arc::new(Wake::default());
        // One that is only just about to wait may go with it, so that once need not be enough.
        let others_wait = || {
            let gone = waiting(&wake, 4);
            wake.call_one();
            go(&gone, 1);
            let others_wait = gone.recv_timeout(Duration::from_millis(50)).is_err();
            wake.call();
            others_wait
        };
        assert!((0..20).any(|_| others_wait()));
        let gone = waiting(&wake, 4);
        for _ in 0..4 {
            wake.call_one();
            go(&gone, 1);
        }
    }

    #[test]
    fn a_call_for_one_goes_to_who_waits_for_work() {
        let wake = Arc::new(Wake::default());
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let resting = pausing(&wake, 3, |wake| &wake.end, move |_| !over.load(Ordering::SeqCst));
        let waiting = waiting(&wake, 1);
        wake.call_one();
        go(&waiting, 1);
        // A call while it is not over leaves them at rest.
        wake.call();
        assert!(resting.try_recv().is_err());
        is_over.store(true, Ordering::SeqCst);
        wake.call();
        go(&resting, 3);
    }

    #[test]
    fn who_rests_when_it_is_over_does_not_rest() {
        let wake = Wake::default();
        wake.rest(EVER, || true);
        wake.rest(Duration::from_millis(1), || false);
    }
}
