use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes workers that wait for work.
#[derive(Debug, Default)]
pub struct Wake {
    calls: Mutex<Calls>,
    /// For those who wait for work.
    work: Condvar,
    /// For those who rest.
    end: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    for_work: u64,
    to_look_out: u64,
}

impl Wake {
    /// There may be more work than for one, or it is time to stop.
    pub fn call(&self) {
        self.calls().for_work += 1;
        self.work.notify_all();
        self.end.notify_all();
    }

    /// There may be work: one of those who wait looks, and calls the others if there is more than for it.
    pub fn call_one(&self) {
        self.calls().for_work += 1;
        self.work.notify_one();
    }

    /// Nobody looks out any more: one of those who wait is to.
    pub(crate) fn call_lookout(&self) {
        self.calls().to_look_out += 1;
        // Who looks out already, or rests, is not the one.
        self.work.notify_all();
    }

    /// The number of calls so far; to be taken before looking for work.
    pub fn seen(&self) -> u64 {
        self.calls().for_work
    }

    /// The number of calls for somebody who looks out; to be taken before it is seen that somebody does.
    pub(crate) fn seen_lookouts(&self) -> u64 {
        self.calls().to_look_out
    }

    /// Waits for a call after those seen, at most so long.
    pub fn wait(&self, seen: u64, at_most: Duration) {
        self.wait_while(at_most, |calls| calls.for_work == seen);
    }

    /// Waits as well for a call to look out after those seen.
    pub(crate) fn wait_to_look_out(&self, seen: u64, lookouts: u64, at_most: Duration) {
        self.wait_while(at_most, |calls| (calls.for_work, calls.to_look_out) == (seen, lookouts));
    }

    /// Waits so long, unless all are called and it is over then; calls for one are left to those who wait
    /// for work.
    pub fn rest(&self, at_most: Duration, is_over: impl Fn() -> bool) {
        // A poisoned lock cannot be left inconsistent by a counter.
        let _ = self.end.wait_timeout_while(self.calls(), at_most, |_| !is_over());
    }

    fn wait_while(&self, at_most: Duration, goes_on: impl Fn(&Calls) -> bool) {
        let _ = self.work.wait_timeout_while(self.calls(), at_most, |calls| goes_on(calls));
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
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
    use std::time::Instant;

    /// Longer than any test: who waits so long was not called.
    const EVER: Duration = Duration::from_secs(3_600);
    const SHORT: Duration = Duration::from_millis(1);

    fn took(job: impl FnOnce()) -> Duration {
        let begun = Instant::now();
        job();
        begun.elapsed()
    }

    /// Threads that pause, and tell when they do not any more. The pause calls its last argument whenever it
    /// asks whether it is to go on: when this returns all of them wait, for they asked under the lock, which
    /// only waiting gives free.
    fn pausing(
        wake: &Arc<Wake>,
        count: usize,
        pause: impl Fn(&Wake, &dyn Fn()) + Clone + Send + 'static,
    ) -> Receiver<()> {
        let ((asked, has_asked), (gone, has_gone)) = (channel(), channel());
        for _ in 0..count {
            let (wake, asked, gone, pause) = (wake.clone(), asked.clone(), gone.clone(), pause.clone());
            thread::spawn(move || {
                // Each is heard the first time only.
                pause(&wake, &|| {
                    let _ = asked.send(());
                });
                let _ = gone.send(());
            });
        }
        go(&has_asked, count);
        drop(wake.calls());
        has_gone
    }

    fn waiting(wake: &Arc<Wake>, count: usize) -> Receiver<()> {
        let seen = wake.seen();
        pausing(wake, count, move |wake, asks| {
            wake.wait_while(EVER, |calls| {
                asks();
                calls.for_work == seen
            });
        })
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
            assert!(took(|| wake.wait(wake.seen(), SHORT)) >= SHORT);
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
        let resting = pausing(&wake, 3, move |wake, asks| {
            wake.rest(EVER, || {
                asks();
                over.load(Ordering::SeqCst)
            });
        });
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
        assert!(took(|| wake.rest(SHORT, || false)) >= SHORT);
    }
}
