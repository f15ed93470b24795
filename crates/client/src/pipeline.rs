//! Parallel processing of all accounts, with the results in the order of the inputs.
//!
//! A reader thread fills chunks, worker threads process them, and the caller's thread restores their order.
//! There are two chunks per worker plus two, and they are recycled: a chunk is filled again only after its
//! results were delivered, so memory does not grow with the inputs, however uneven the work is.

use crate::error::Error;
use crate::input::{BytesRead, Chunk, Ends, Place, Reader, Seen, Source};
use crate::interrupt::Stop;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Processes an account; called from many threads.
pub(crate) trait Work: Send + Sync + 'static {
    /// Result of one account.
    type Done: Send + 'static;

    /// Processes one account.
    fn work(&self, place: Place, account: &[u8]) -> Self::Done;
}

/// Receiver of the results, in the order of the inputs.
pub(crate) trait Listen<T> {
    /// Handles the next event.
    ///
    /// # Errors
    /// An error ends the run.
    fn see(&mut self, place: Place, seen: Seen<T>) -> Result<(), Error>;

    /// Called when nothing has arrived for [`IDLE_AFTER`].
    ///
    /// # Errors
    /// An error ends the run.
    fn idle(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl<T, F: FnMut(Place, Seen<T>) -> Result<(), Error>> Listen<T> for F {
    fn see(&mut self, place: Place, seen: Seen<T>) -> Result<(), Error> {
        self(place, seen)
    }
}

/// Time without events after which the listener is called idle.
const WHILE: Duration = Duration::from_millis(250);

/// How far the run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Every input was read to its end.
    Complete,
    /// The run was stopped; everything read until then was processed.
    Stopped,
}

/// Message to the thread that restores the order.
enum Event<T> {
    /// A chunk and its results.
    Done(Chunk, Vec<(Place, Seen<T>)>),
    /// The reader has sent its last chunk.
    AllRead,
    /// The user interrupted the run.
    Stop,
    /// A thread panicked.
    Lost,
}

/// Both ends of the channel.
type Events<T> = (Sender<Event<T>>, Receiver<Event<T>>);

/// A pipeline that is not running yet.
pub(crate) struct Pipeline<W: Work> {
    events: Events<W::Done>,
    stop: Stop,
    read: BytesRead,
}

impl<W: Work> Pipeline<W> {
    /// A pipeline without a signal handler.
    pub(crate) fn new() -> Self {
        Self { events: unbounded(), stop: Stop::default(), read: BytesRead::default() }
    }

    /// Counter of the bytes read, to watch while it runs.
    pub(crate) fn read(&self) -> BytesRead {
        self.read.clone()
    }

    /// Flag that is set when the run is stopped, to watch while it runs.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Makes Ctrl-C stop the pipeline and call `also`. May be called once per process.
    ///
    /// # Errors
    /// [`Error`] if the signal handler cannot be installed.
    pub(crate) fn stop_on_signal(&self, also: impl Fn() + Send + 'static) -> Result<(), Error> {
        let events = self.events.0.clone();
        self.stop.on_signal(move || {
            // The receiver is gone after the end of the run.
            let _ = events.send(Event::Stop);
            also();
        })
    }

    /// Runs with this number of workers; the listener receives all events in the order of the inputs.
    ///
    /// # Errors
    /// The error of the listener, which ends the run, or [`Error::Lost`] if a thread panicked.
    pub(crate) fn run(
        self,
        sources: Vec<Source>,
        workers: NonZeroUsize,
        work: W,
        mut listener: impl Listen<W::Done>,
    ) -> Result<End, Error> {
        let sent = Arc::<AtomicU64>::default();
        let give_back = self.start(sources, workers, work, sent.clone());
        let mut waiting = BTreeMap::new();
        let (mut next, mut end, mut result) = (0, None, End::Complete);
        while end.is_none_or(|end| next < end) {
            match self.events.1.recv_timeout(WHILE) {
                Ok(Event::Done(chunk, seen)) => {
                    waiting.insert(chunk.number, (chunk, seen));
                }
                Ok(Event::AllRead) => {
                    end.get_or_insert(sent.load(Ordering::SeqCst));
                }
                Ok(Event::Stop) if end.is_none() => {
                    end = Some(sent.load(Ordering::SeqCst));
                    result = End::Stopped;
                }
                Ok(Event::Stop) => {}
                Err(RecvTimeoutError::Timeout) => listener.idle()?,
                Ok(Event::Lost) | Err(RecvTimeoutError::Disconnected) => return Err(Error::Lost),
            }
            while let Some((mut chunk, seen)) = waiting.remove(&next) {
                seen.into_iter().try_for_each(|(place, seen)| listener.see(place, seen))?;
                next += 1;
                chunk.clear();
                // The reader may have ended.
                let _ = give_back.send(chunk);
            }
        }
        Ok(result)
    }

    /// Starts the threads and returns the sender that takes chunks back. Threads end when nobody wants their
    /// results, or with the process: a reader may wait for standard input forever.
    fn start(
        &self,
        sources: Vec<Source>,
        workers: NonZeroUsize,
        work: W,
        sent: Arc<AtomicU64>,
    ) -> Sender<Chunk> {
        let ((give_back, empty), (full, chunks)) = (unbounded(), unbounded());
        for _ in 0..2 * workers.get() + 1 {
            // The receiver is in scope.
            let _ = give_back.send(Chunk::new());
        }
        let ends = Ends { empty, full, sent, read: self.read.clone(), stop: self.stop.clone() };
        let alarm = Alarm(self.events.0.clone());
        thread::spawn(move || {
            Reader::new(sources, ends).run();
            let _ = alarm.0.send(Event::AllRead);
        });
        let work = Arc::new(work);
        for _ in 0..workers.get() {
            let (work, chunks, alarm) = (work.clone(), chunks.clone(), Alarm(self.events.0.clone()));
            thread::spawn(move || work_on(&*work, &chunks, &alarm.0));
        }
        give_back
    }
}

fn work_on<W: Work>(work: &W, chunks: &Receiver<Chunk>, events: &Sender<Event<W::Done>>) {
    for mut chunk in chunks {
        let seen = std::mem::take(&mut chunk.seen);
        let done = seen.into_iter().map(|(place, seen)| {
            let done = match seen {
                Seen::Account(range) => Seen::Account(work.work(place, chunk.account(&range))),
                Seen::Opened => Seen::Opened,
                Seen::TooLarge => Seen::TooLarge,
                Seen::Unreadable(why) => Seen::Unreadable(why),
            };
            (place, done)
        });
        let done = done.collect();
        if events.send(Event::Done(chunk, done)).is_err() {
            return;
        }
    }
}

/// Reports a panic of the thread that owns it; otherwise its chunk would be awaited forever.
struct Alarm<T>(Sender<Event<T>>);

impl<T> Drop for Alarm<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Event::Lost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::find;

    /// Returns the length of an account; panics if the account says so.
    struct Length;

    impl Work for Length {
        type Done = usize;

        fn work(&self, _: Place, account: &[u8]) -> usize {
            assert_ne!(account, b"panic");
            account.len()
        }
    }

    fn sources(text: &[u8]) -> (tempfile::TempDir, Vec<Source>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ndjson");
        std::fs::write(&path, text).unwrap();
        let sources = find(&[path], &[]).unwrap();
        (folder, sources)
    }

    fn workers(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    #[test]
    fn everything_comes_in_order_whatever_the_number_of_workers() {
        // Lines of very different sizes: about 40 chunks.
        let lines: Vec<Vec<u8>> = (1..4_000_usize).map(|n| vec![b'x'; n * 7_919 % 5_000 + 1]).collect();
        let (_folder, sources) = sources(&lines.join(&b'\n'));
        for n in [1, 2, 7] {
            let mut seen = Vec::new();
            let end = Pipeline::new().run(sources.clone(), workers(n), Length, |place: Place, what| {
                seen.push((place.line, what));
                Ok(())
            });
            assert_eq!(end.unwrap(), End::Complete);
            assert_eq!(seen.remove(0), (0, Seen::Opened));
            let expected = (1..).zip(&lines).map(|(n, line)| (n, Seen::Account(line.len())));
            assert!(seen.into_iter().eq(expected), "{n}");
        }
    }

    /// Finishes the first line only after the last one.
    struct Overtaken(Sender<()>, Receiver<()>);

    impl Work for Overtaken {
        type Done = u32;

        fn work(&self, place: Place, account: &[u8]) -> u32 {
            match account {
                b"first" => self.1.recv().unwrap(),
                b"last" => self.0.send(()).unwrap(),
                _ => {}
            }
            place.line
        }
    }

    #[test]
    fn what_is_overtaken_comes_before_nevertheless() {
        // Two chunks.
        let middle = vec![b'x'; 200_000];
        let (_folder, sources) = sources(&[b"first", &middle[..], &middle[..], b"last"].join(&b'\n'));
        let (sender, receiver) = unbounded();
        let mut lines = Vec::new();
        let end = Pipeline::new().run(sources, workers(2), Overtaken(sender, receiver), |place: Place, _| {
            lines.push(place.line);
            Ok(())
        });
        assert_eq!((end.unwrap(), lines), (End::Complete, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn a_fault_of_whoever_listens_ends_it() {
        let (_folder, sources) = sources(b"{}\n");
        let end = Pipeline::new().run(sources, workers(1), Length, |_, _| Err(Error::refused("enough")));
        assert_eq!(end.unwrap_err().to_string(), "enough");
    }

    #[test]
    fn a_panic_is_no_end_of_the_inputs() {
        let (_folder, sources) = sources(b"{}\npanic\n");
        let end = Pipeline::new().run(sources, workers(2), Length, |_, _| Ok(()));
        assert!(matches!(end, Err(Error::Lost)), "{end:?}");
    }
}
