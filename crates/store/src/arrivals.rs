//! What arrives for the one that writes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A bounded queue for one that takes many at a time: it is woken when as many as it wants are there, not by each.
/// To be woken by each costs a good part of what it takes to store one.
pub(crate) struct Arrivals<T> {
    state: Mutex<State<T>>,
    enough: Condvar,
    bound: usize,
}

struct State<T> {
    there: VecDeque<T>,
    /// With how many there the one that waits is to be woken; `None`: nobody waits.
    wanted: Option<usize>,
    is_closed: bool,
}

/// Why one was not taken in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Full,
    Closed,
}

impl<T> Arrivals<T> {
    /// At most so many.
    pub(crate) fn new(bound: usize) -> Self {
        let state = State { there: VecDeque::new(), wanted: None, is_closed: false };
        Self { state: Mutex::new(state), enough: Condvar::new(), bound }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more; given back if there is no room for it.
    pub(crate) fn push(&self, one: T) -> Result<(), (T, Refused)> {
        let mut state = self.state();
        if state.is_closed {
            return Err((one, Refused::Closed));
        }
        if state.there.len() >= self.bound {
            return Err((one, Refused::Full));
        }
        state.there.push_back(one);
        if state.wanted.is_some_and(|wanted| state.there.len() >= wanted) {
            state.wanted = None;
            drop(state);
            self.enough.notify_one();
        }
        Ok(())
    }

    /// Nothing more is taken in.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.enough.notify_one();
    }

    /// How many are there.
    pub(crate) fn len(&self) -> usize {
        self.state().there.len()
    }

    /// Waits for the first; `false` if none comes any more.
    pub(crate) fn wait_for_one(&self) -> bool {
        let mut state = self.state();
        while state.there.is_empty() && !state.is_closed {
            state.wanted = Some(1);
            state = self.enough.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.wanted = None;
        !state.there.is_empty()
    }

    /// Waits until so many are there, nothing more is taken in, or this time is over; how many there are.
    pub(crate) fn wait_for(&self, wanted: usize, at_most: Duration) -> usize {
        let mut state = self.state();
        if state.there.len() < wanted && !state.is_closed {
            state.wanted = Some(wanted);
            let lacking = |state: &mut State<T>| state.there.len() < wanted && !state.is_closed;
            let waited = self.enough.wait_timeout_while(state, at_most, lacking);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.wanted = None;
        }
        state.there.len()
    }

    /// Whether the one that takes them waits now.
    #[cfg(test)]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.state().wanted.is_some()
    }

    /// Takes the first, if there is one.
    pub(crate) fn pop(&self) -> Option<T> {
        self.state().there.pop_front()
    }

    /// Takes the first ones, as long as they fit.
    pub(crate) fn take_while(&self, mut fits: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut state = self.state();
        let count = state.there.iter().take_while(|one| fits(one)).count();
        state.there.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_has_no_room_is_given_back() {
        let arrivals = Arrivals::new(2);
        assert_eq!([arrivals.push(1), arrivals.push(2)], [Ok(()), Ok(())]);
        assert_eq!(arrivals.push(3), Err((3, Refused::Full)));
        assert_eq!(arrivals.take_while(|one| *one < 2), [1]);
        arrivals.close();
        assert_eq!(arrivals.push(4), Err((4, Refused::Closed)));
        assert!(arrivals.wait_for_one());
        assert_eq!(arrivals.take_while(|_| true), [2]);
        assert!(!arrivals.wait_for_one());
    }

    #[test]
    fn who_waits_is_woken_when_enough_are_there() {
        let arrivals = Arrivals::new(100);
        thread::scope(|scope| {
            let pusher = scope.spawn(|| (0..10).for_each(|one| arrivals.push(one).unwrap()));
            assert!(arrivals.wait_for(10, LONG) >= 10);
            pusher.join().unwrap();
        });
        assert_eq!(arrivals.len(), 10);
    }

    #[test]
    fn who_waits_is_woken_by_the_end() {
        let arrivals = Arrivals::<()>::new(1);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| (arrivals.wait_for(5, LONG), arrivals.wait_for_one()));
            arrivals.close();
            assert_eq!(waiter.join().unwrap(), (0, false));
        });
    }

    #[test]
    fn nobody_waits_for_ever_for_others() {
        let arrivals = Arrivals::new(5);
        arrivals.push(1).unwrap();
        assert_eq!(arrivals.wait_for(5, Duration::from_millis(1)), 1);
    }
}
