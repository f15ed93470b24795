//! A thread that takes batches from a queue.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A thread that consumes a queue. Dropping it waits until the accepted items are finished.
pub(crate) struct BatchThread<T> {
    queue: Arc<BatchQueue<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> BatchThread<T> {
    /// Starts a thread that runs `work` on a queue for at most `bound` items.
    pub(crate) fn start(
        name: &str,
        bound: usize,
        work: impl FnOnce(Arc<BatchQueue<T>>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(BatchQueue::new(bound));
        let consumed = queue.clone();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || work(consumed))?;
        Ok(Self { queue, thread: Some(thread) })
    }
}

impl<T> BatchThread<T> {
    /// Adds an item. Returns it if the queue is full or closed.
    pub(crate) fn push(&self, item: T) -> Result<(), (T, Refused)> {
        self.queue.push(item)
    }
}

impl<T> Drop for BatchThread<T> {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread cannot be handled here.
            let _ = thread.join();
        }
    }
}

/// A bounded queue for a single consumer that takes many items at a time. The consumer is woken once as many
/// as it wants have arrived: a wake-up for each item would cost a good part of what storing it costs.
pub(crate) struct BatchQueue<T> {
    state: Mutex<State<T>>,
    enough: Condvar,
    bound: usize,
}

struct State<T> {
    items: VecDeque<T>,
    /// Number of items at which the consumer is to be woken; `None` if it does not wait.
    wanted: Option<usize>,
    is_closed: bool,
}

/// The reason why an item was not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Full,
    Closed,
}

impl<T> BatchQueue<T> {
    /// Creates a queue for at most `bound` items.
    pub(crate) fn new(bound: usize) -> Self {
        let state = State { items: VecDeque::new(), wanted: None, is_closed: false };
        Self { state: Mutex::new(state), enough: Condvar::new(), bound }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item. Returns it if the queue is full or closed.
    pub(crate) fn push(&self, item: T) -> Result<(), (T, Refused)> {
        let mut state = self.state();
        if state.is_closed {
            return Err((item, Refused::Closed));
        }
        if state.items.len() >= self.bound {
            return Err((item, Refused::Full));
        }
        state.items.push_back(item);
        if state.wanted.is_some_and(|wanted| state.items.len() >= wanted) {
            state.wanted = None;
            drop(state);
            self.enough.notify_one();
        }
        Ok(())
    }

    /// Accepts no more items.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.enough.notify_one();
    }

    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.state().items.len()
    }

    /// Waits for an item. Returns false if the queue is closed and empty.
    pub(crate) fn wait_for_one(&self) -> bool {
        let mut state = self.state();
        while state.items.is_empty() && !state.is_closed {
            state.wanted = Some(1);
            state = self.enough.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.wanted = None;
        !state.items.is_empty()
    }

    /// Waits until there are `wanted` items, the queue is closed, or the time is over. Returns the number of
    /// items.
    pub(crate) fn wait_for(&self, wanted: usize, at_most: Duration) -> usize {
        let mut state = self.state();
        if state.items.len() < wanted && !state.is_closed {
            state.wanted = Some(wanted);
            let lacking = |state: &mut State<T>| state.items.len() < wanted && !state.is_closed;
            let waited = self.enough.wait_timeout_while(state, at_most, lacking);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.wanted = None;
        }
        state.items.len()
    }

    /// Returns true while the consumer waits.
    #[cfg(test)]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.state().wanted.is_some()
    }

    /// Takes the first item.
    pub(crate) fn pop(&self) -> Option<T> {
        self.state().items.pop_front()
    }

    /// Takes the first items, as long as they fit.
    pub(crate) fn take_while(&self, mut fits: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut state = self.state();
        let count = state.items.iter().take_while(|item| fits(item)).count();
        state.items.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_item_without_room_is_returned() {
        let queue = BatchQueue::new(2);
        assert_eq!([queue.push(1), queue.push(2)], [Ok(()), Ok(())]);
        assert_eq!(queue.push(3), Err((3, Refused::Full)));
        assert_eq!(queue.take_while(|one| *one < 2), [1]);
        queue.close();
        assert_eq!(queue.push(4), Err((4, Refused::Closed)));
        assert!(queue.wait_for_one());
        assert_eq!(queue.take_while(|_| true), [2]);
        assert!(!queue.wait_for_one());
    }

    #[test]
    fn the_consumer_is_woken_once_enough_items_are_there() {
        let queue = BatchQueue::new(100);
        thread::scope(|scope| {
            let pusher = scope.spawn(|| (0..10).for_each(|one| queue.push(one).unwrap()));
            assert!(queue.wait_for(10, LONG) >= 10);
            pusher.join().unwrap();
        });
        assert_eq!(queue.len(), 10);
    }

    #[test]
    fn the_consumer_is_woken_when_the_queue_is_closed() {
        let queue = BatchQueue::<()>::new(1);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| (queue.wait_for(5, LONG), queue.wait_for_one()));
            queue.close();
            assert_eq!(waiter.join().unwrap(), (0, false));
        });
    }

    #[test]
    fn the_wait_for_more_items_ends() {
        let queue = BatchQueue::new(5);
        queue.push(1).unwrap();
        assert_eq!(queue.wait_for(5, Duration::from_millis(1)), 1);
    }
}
