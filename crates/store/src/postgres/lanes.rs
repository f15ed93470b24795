use cutover_app::port::StoreError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Answer<A> = Result<A, StoreError>;

/// Work that costs less done together. Whoever comes while a lane is free takes it; the others wait, and go
/// with whoever takes a lane next.
pub(super) struct Lanes<W, A> {
    desk: Mutex<Desk<W, A>>,
    lanes: usize,
    /// Whether pieces of work fit into one group. A single one does, whatever is said.
    fits: fn(&[&W]) -> bool,
}

struct Desk<W, A> {
    waiting: Vec<Arc<Waiting<W, A>>>,
    busy: usize,
}

/// Someone who waits.
struct Waiting<W, A> {
    work: W,
    turn: Mutex<Turn<W, A>>,
    changed: Condvar,
}

type Group<W, A> = Vec<Arc<Waiting<W, A>>>;

enum Turn<W, A> {
    Wait,
    /// To do the work of a group, in a lane that somebody left.
    Lead(Group<W, A>),
    Done(Answer<A>),
    /// What was to be had was taken.
    Over,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W, A> Waiting<W, A> {
    fn set(&self, turn: Turn<W, A>) {
        *lock(&self.turn) = turn;
        self.changed.notify_one();
    }

    /// Waits until there is something to do or to have.
    fn wait(&self) -> Turn<W, A> {
        let is_waiting = |turn: &mut Turn<W, A>| matches!(turn, Turn::Wait);
        let mut turn =
            self.changed.wait_while(lock(&self.turn), is_waiting).unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *turn, Turn::Over)
    }
}

impl<W: Clone, A> Lanes<W, A> {
    pub(super) fn new(lanes: usize, fits: fn(&[&W]) -> bool) -> Self {
        Self { desk: Mutex::new(Desk { waiting: Vec::new(), busy: 0 }), lanes, fits }
    }

    /// Has work done, perhaps together with others'. `group` answers each piece in its place.
    pub(super) fn run(&self, work: W, group: impl Fn(&[W]) -> Vec<Answer<A>>) -> Answer<A> {
        let own = Arc::new(Waiting { work, turn: Mutex::new(Turn::Wait), changed: Condvar::new() });
        if self.take_lane(&own) {
            self.lead(vec![own.clone()], &group);
        }
        loop {
            match own.wait() {
                // Whoever is told to lead is in the group.
                Turn::Lead(led) => self.lead(led, &group),
                Turn::Done(answer) => return answer,
                Turn::Wait | Turn::Over => return Err(left_behind()),
            }
        }
    }

    /// Takes a free lane, or joins those who wait.
    fn take_lane(&self, own: &Arc<Waiting<W, A>>) -> bool {
        let mut desk = lock(&self.desk);
        let is_free = desk.busy < self.lanes;
        if is_free {
            desk.busy += 1;
        } else {
            desk.waiting.push(own.clone());
        }
        is_free
    }

    fn lead(&self, led: Group<W, A>, group: impl Fn(&[W]) -> Vec<Answer<A>>) {
        let lane = Lane { lanes: self, group: &led };
        let work: Vec<W> = led.iter().map(|waiting| waiting.work.clone()).collect();
        for (waiting, answer) in led.iter().zip(group(&work)) {
            waiting.set(Turn::Done(answer));
        }
        drop(lane);
    }

    /// The next who go together, first come first; the lane is free if there are none.
    fn next(&self) -> Option<Group<W, A>> {
        let mut desk = lock(&self.desk);
        if desk.waiting.is_empty() {
            desk.busy -= 1;
            return None;
        }
        let mut fitting: Vec<&W> = vec![&desk.waiting[0].work];
        for waiting in &desk.waiting[1..] {
            fitting.push(&waiting.work);
            if !(self.fits)(&fitting) {
                fitting.pop();
                break;
            }
        }
        let count = fitting.len();
        Some(desk.waiting.drain(..count).collect())
    }
}

fn left_behind() -> StoreError {
    StoreError::Failed("what was waited for was left undone".into())
}

/// A lane that is taken. However its work ends, nobody is left waiting, and the lane goes on.
struct Lane<'l, W: Clone, A> {
    lanes: &'l Lanes<W, A>,
    group: &'l [Arc<Waiting<W, A>>],
}

impl<W: Clone, A> Drop for Lane<'_, W, A> {
    fn drop(&mut self) {
        for waiting in self.group {
            let mut turn = lock(&waiting.turn);
            if !matches!(&*turn, Turn::Done(_) | Turn::Over) || std::thread::panicking() {
                *turn = Turn::Done(Err(left_behind()));
                waiting.changed.notify_one();
            }
        }
        if let Some(next) = self.lanes.next() {
            let first = next[0].clone();
            first.set(Turn::Lead(next));
        }
    }
}

#[cfg(test)]
mod tests;
