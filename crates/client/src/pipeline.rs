//! Work on every account of some inputs, by all cores, with what comes of it in the order of the inputs.
//!
//! A reader's thread fills chunks, worker threads take whichever is next, and the caller's thread puts what they
//! made of them in order. There are twice as many chunks as workers and two more, and they go round: a chunk is
//! filled again only after its turn, so memory does not grow with the inputs, however uneven the work is.

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

/// What becomes of each account; called from many threads, with where the account stands and its bytes.
pub(crate) trait Work: Send + Sync + 'static {
    /// What is handed to whoever puts it in order.
    type Done: Send + 'static;

    /// Does the work on one account.
    fn work(&self, place: Place, account: &[u8]) -> Self::Done;
}

/// Who is told what comes of accounts, in the order of the inputs.
pub(crate) trait Listen<T> {
    /// Something was seen.
    ///
    /// # Errors
    /// What ends the run.
    fn see(&mut self, place: Place, seen: Seen<T>) -> Result<(), Error>;

    /// Nothing was seen for a while.
    ///
    /// # Errors
    /// What ends the run.
    fn idle(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl<T, F: FnMut(Place, Seen<T>) -> Result<(), Error>> Listen<T> for F {
    fn see(&mut self, place: Place, seen: Seen<T>) -> Result<(), Error> {
        self(place, seen)
    }
}

/// So long is a while.
const WHILE: Duration = Duration::from_millis(250);

/// Whether all was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Every input was read to its end.
    Complete,
    /// It was stopped; what was read until then was worked on.
    Stopped,
}

/// What threads tell the one that puts things in order.
enum Event<T> {
    /// A chunk and what was made of it.
    Done(Chunk, Vec<(Place, Seen<T>)>),
    /// The reader handed its last chunk on.
    AllRead,
    /// The user wants no more.
    Stop,
    /// A thread panicked.
    Lost,
}

/// Both ends of what threads tell.
type Events<T> = (Sender<Event<T>>, Receiver<Event<T>>);

/// A pipeline before it runs.
pub(crate) struct Pipeline<W: Work> {
    events: Events<W::Done>,
    stop: Stop,
    read: BytesRead,
}

impl<W: Work> Pipeline<W> {
    /// A pipeline that nobody can stop yet.
    pub(crate) fn new() -> Self {
        Self { events: unbounded(), stop: Stop::default(), read: BytesRead::default() }
    }

    /// How far it has read, to look at while it runs.
    pub(crate) fn read(&self) -> BytesRead {
        self.read.clone()
    }

    /// Whether it is stopped, to look at while it runs.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Has Ctrl-C stop it, and tell somebody else as well. Once in a process.
    ///
    /// # Errors
    /// [`Error`] if signals cannot be heard.
    pub(crate) fn stop_on_signal(&self, also: impl Fn() + Send + 'static) -> Result<(), Error> {
        let events = self.events.0.clone();
        self.stop.on_signal(move || {
            // Nobody listens after the end.
            let _ = events.send(Event::Stop);
            also();
        })
    }

    /// Runs with so many workers; the listener is told of everything that was seen, in the order of the inputs.
    ///
    /// # Errors
    /// The error of the listener, which ends it, or [`Error::Lost`] if a thread panicked.
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

    /// Starts the threads; what it answers takes chunks back. Threads end when nobody wants what they do, or
    /// with the process: a reader may wait for standard input forever.
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

/// Tells when the thread that owns it panics: its chunk would be waited for without end.
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

    /// Gives the account's length back; takes a panic for an order.
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

    /// The first line is done when the last one is.
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
