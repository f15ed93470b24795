use std::fmt::Debug;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Time without any progress after which a wait fails. Also the limit of clients' reads, and of anything else of which
/// no progress can be seen. A machine may be dozens of times slower than usual: the limit only has to end a test that
/// hangs.
pub const STALLED: Duration = Duration::from_secs(600);

/// Polls a condition until it holds. If progress can be seen on the way, use [`wait_for`].
///
/// # Panics
/// If it does not hold for [`STALLED`].
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || if holds() { Ok(()) } else { Err(()) });
}

/// Polls until a value is there, and returns it. Until then each poll returns the progress so far, for example the
/// number of imported accounts: the time limit begins again with every change of it.
///
/// # Panics
/// If the progress does not change for [`STALLED`].
#[track_caller]
pub fn wait_for<T, P: PartialEq + Debug>(what: &str, mut poll: impl FnMut() -> Result<T, P>) -> T {
    let (begun, mut patience) = (Instant::now(), Patience::new(what));
    loop {
        match poll() {
            Ok(value) => return value,
            Err(progress) => patience.check(progress),
        }
        std::thread::park_timeout(pause_after(begun.elapsed()));
    }
}

/// Waits until a count is reached, and returns it. The count is the progress.
///
/// # Panics
/// If it does not change for [`STALLED`].
#[track_caller]
pub fn wait_for_count(what: &str, wanted: usize, mut count: impl FnMut() -> usize) -> usize {
    wait_for(what, || {
        let count = count();
        if count >= wanted { Ok(count) } else { Err(count) }
    })
}

/// Receives a message that another thread sends.
///
/// # Panics
/// If there is none for [`STALLED`], or no sender any more.
#[track_caller]
pub fn receive<T>(what: &str, messages: &Receiver<T>) -> T {
    messages.recv_timeout(STALLED).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// The time limit of a loop that polls without a pause; others use [`wait_for`].
#[derive(Debug)]
pub struct Patience<P> {
    what: String,
    last: Option<P>,
    since: Instant,
}

impl<P: PartialEq + Debug> Patience<P> {
    /// The time limit of a loop that waits for something.
    pub fn new(what: &str) -> Self {
        Self { what: what.to_owned(), last: None, since: Instant::now() }
    }

    /// Notes the progress so far.
    ///
    /// # Panics
    /// If it has not changed for [`STALLED`].
    #[track_caller]
    pub fn check(&mut self, progress: P) {
        let lasts = self.lasts(progress, Instant::now());
        assert!(lasts, "nothing has changed for {STALLED:?}: {}: {:?}", self.what, self.last);
    }

    fn lasts(&mut self, progress: P, now: Instant) -> bool {
        if self.last.as_ref() != Some(&progress) {
            (self.last, self.since) = (Some(progress), now);
        }
        now - self.since < STALLED
    }
}

/// Returns the pause before the next poll. Many conditions run a command, so polling at a fixed short interval
/// would take most of the processor time of a long wait. A wait ends an eighth too late at most.
fn pause_after(waited: Duration) -> Duration {
    (waited / 8).clamp(Duration::from_millis(10), Duration::from_millis(500))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_begins_again_with_progress() {
        let mut patience = Patience::new("it");
        let begun = patience.since;
        let at = |part: u32| begun + STALLED * part / 4;
        let seen = [(0, 1), (3, 1), (4, 2), (7, 2), (8, 2)];
        let lasts = seen.map(|(part, progress)| patience.lasts(progress, at(part)));
        assert_eq!(lasts, [true, true, true, true, false]);
    }

    #[test]
    fn a_wait_returns_the_value() {
        let mut polls = 0;
        let value = wait_for("the third poll", || {
            polls += 1;
            if polls == 3 { Ok("it") } else { Err(polls) }
        });
        assert_eq!((value, polls), ("it", 3));
    }

    #[test]
    #[should_panic(expected = "a message: channel is empty and sending half is closed")]
    fn a_message_without_a_sender_is_not_waited_for() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        drop(sender);
        receive("a message", &receiver);
    }
}
