use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Wakes workers that wait for work.
#[derive(Debug, Default)]
pub struct Wake {
    calls: Mutex<u64>,
    changed: Condvar,
}

impl Wake {
    /// There may be work, or it is time to stop.
    pub fn call(&self) {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// The number of calls so far; to be taken before looking for work.
    pub fn seen(&self) -> u64 {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a call after those seen, at most so long.
    pub fn wait(&self, seen: u64, at_most: Duration) {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // A poisoned lock cannot be left inconsistent by a counter.
        let _ = self.changed.wait_timeout_while(calls, at_most, |calls| *calls == seen);
    }
}
