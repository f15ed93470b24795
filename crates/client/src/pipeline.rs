//! Parallel processing of all accounts, with the results in the order of the inputs.
//!
//! A reader thread fills chunks, worker threads process them, and the caller's thread restores their order.
//! There are two chunks per worker plus two, and they are recycled: a chunk is filled again only after its
//! results were delivered, so memory does not grow with the inputs, however uneven the work is.

use crate::error::Error;
use crate::input::{BytesRead, Channels, Chunk, InputEvent, Location, Reader, Source};
use crate::interrupt::StopFlag;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Processes an account; called from many threads.
pub(crate) trait Worker: Send + Sync + 'static {
    /// Result of one account.
    type Output: Send + 'static;

    /// Processes one account.
    fn process(&self, location: Location, account: &[u8]) -> Self::Output;
}

/// Receiver of the results, in the order of the inputs.
pub(crate) trait Listener<T> {
    /// Handles the next event.
    ///
    /// # Errors
    /// An error ends the run.
    fn on_event(&mut self, location: Location, event: InputEvent<T>) -> Result<(), Error>;

    /// Called when nothing has arrived for [`IDLE_AFTER`].
    ///
    /// # Errors
    /// An error ends the run.
    fn on_idle(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl<T, F: FnMut(Location, InputEvent<T>) -> Result<(), Error>> Listener<T> for F {
    fn on_event(&mut self, location: Location, event: InputEvent<T>) -> Result<(), Error> {
        self(location, event)
    }
}

/// Time without events after which the listener is called idle.
const IDLE_AFTER: Duration = Duration::from_millis(250);

/// State in which a run ended.
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
    Done(Chunk, Vec<(Location, InputEvent<T>)>),
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
pub(crate) struct Pipeline<W: Worker> {
    events: Events<W::Output>,
    stop: StopFlag,
    read: BytesRead,
}

impl<W: Worker> Pipeline<W> {
    /// A pipeline without a signal handler.
    pub(crate) fn new() -> Self {
        Self::stopped_by(StopFlag::default())
    }

    /// A pipeline that ends early when the flag of another one is set.
    pub(crate) fn stopped_by(stop: StopFlag) -> Self {
        Self { events: unbounded(), stop, read: BytesRead::default() }
    }

    /// Counter of the bytes read, to watch while it runs.
    pub(crate) fn read(&self) -> BytesRead {
        self.read.clone()
    }

    /// Flag that is set when the run is stopped, to watch while it runs.
    pub(crate) fn stop(&self) -> StopFlag {
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
        worker: W,
        mut listener: impl Listener<W::Output>,
    ) -> Result<End, Error> {
        let sent = Arc::<AtomicU64>::default();
        let give_back = self.start(sources, workers, worker, sent.clone());
        let mut waiting = BTreeMap::new();
        let (mut next, mut end, mut result) = (0, None, End::Complete);
        while end.is_none_or(|end| next < end) {
            match self.events.1.recv_timeout(IDLE_AFTER) {
                Ok(Event::Done(chunk, done)) => {
                    waiting.insert(chunk.number, (chunk, done));
                }
                Ok(Event::AllRead) => {
                    end.get_or_insert(sent.load(Ordering::SeqCst));
                }
                Ok(Event::Stop) if end.is_none() => {
                    end = Some(sent.load(Ordering::SeqCst));
                    result = End::Stopped;
                }
                Ok(Event::Stop) => {}
                Err(RecvTimeoutError::Timeout) => listener.on_idle()?,
                Ok(Event::Lost) | Err(RecvTimeoutError::Disconnected) => return Err(Error::Lost),
            }
            while let Some((mut chunk, done)) = waiting.remove(&next) {
                done.into_iter().try_for_each(|(location, event)| listener.on_event(location, event))?;
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
        worker: W,
        sent: Arc<AtomicU64>,
    ) -> Sender<Chunk> {
        let ((give_back, empty), (full, chunks)) = (unbounded(), unbounded());
        for _ in 0..2 * workers.get() + 1 {
            // The receiver is in scope.
            let _ = give_back.send(Chunk::new());
        }
        let channels = Channels { empty, full, sent, read: self.read.clone(), stop: self.stop.clone() };
        let guard = PanicGuard(self.events.0.clone());
        thread::spawn(move || {
            Reader::new(sources, channels).run();
            let _ = guard.0.send(Event::AllRead);
        });
        let worker = Arc::new(worker);
        for _ in 0..workers.get() {
            let (worker, chunks, guard) = (worker.clone(), chunks.clone(), PanicGuard(self.events.0.clone()));
            thread::spawn(move || process_chunks(&*worker, &chunks, &guard.0));
        }
        give_back
    }
}

fn process_chunks<W: Worker>(worker: &W, chunks: &Receiver<Chunk>, events: &Sender<Event<W::Output>>) {
    for mut chunk in chunks {
        let read = std::mem::take(&mut chunk.events);
        let done = read.into_iter().map(|(location, event)| {
            let done = match event {
                InputEvent::Account(range) => {
                    InputEvent::Account(worker.process(location, chunk.account(&range)))
                }
                InputEvent::Opened => InputEvent::Opened,
                InputEvent::TooLarge => InputEvent::TooLarge,
                InputEvent::Unreadable(reason) => InputEvent::Unreadable(reason),
            };
            (location, done)
        });
        let done = done.collect();
        if events.send(Event::Done(chunk, done)).is_err() {
            return;
        }
    }
}

/// Reports a panic of the thread that owns it; otherwise its chunk would be awaited forever.
struct PanicGuard<T>(Sender<Event<T>>);

impl<T> Drop for PanicGuard<T> {
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

    impl Worker for Length {
        type Output = usize;

        fn process(&self, _: Location, account: &[u8]) -> usize {
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
    fn events_keep_their_order_with_any_number_of_workers() {
        // Lines of very different sizes: about 40 chunks.
        let lines: Vec<Vec<u8>> = (1..4_000_usize).map(|n| vec![b'x'; n * 7_919 % 5_000 + 1]).collect();
        let (_folder, sources) = sources(&lines.join(&b'\n'));
        for n in [1, 2, 7] {
            let mut seen = Vec::new();
            let end = Pipeline::new().run(sources.clone(), workers(n), Length, |location: Location, what| {
                seen.push((location.line, what));
                Ok(())
            });
            assert_eq!(end.unwrap(), End::Complete);
            assert_eq!(seen.remove(0), (0, InputEvent::Opened));
            let expected = (1..).zip(&lines).map(|(n, line)| (n, InputEvent::Account(line.len())));
            assert!(seen.into_iter().eq(expected), "{n}");
        }
    }

    /// Finishes the first line only after the last one.
    struct LastFirst(Sender<()>, Receiver<()>);

    impl Worker for LastFirst {
        type Output = u32;

        fn process(&self, location: Location, account: &[u8]) -> u32 {
            match account {
                b"first" => self.1.recv().unwrap(),
                b"last" => self.0.send(()).unwrap(),
                _ => {}
            }
            location.line
        }
    }

    #[test]
    fn an_account_finished_last_keeps_its_position() {
        // Two chunks.
        let middle = vec![b'x'; 200_000];
        let (_folder, sources) = sources(&[b"first", &middle[..], &middle[..], b"last"].join(&b'\n'));
        let (sender, receiver) = unbounded();
        let mut lines = Vec::new();
        let end =
            Pipeline::new().run(sources, workers(2), LastFirst(sender, receiver), |location: Location, _| {
                lines.push(location.line);
                Ok(())
            });
        assert_eq!((end.unwrap(), lines), (End::Complete, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn an_error_of_the_listener_ends_the_run() {
        let (_folder, sources) = sources(b"{}\n");
        let end = Pipeline::new().run(sources, workers(1), Length, |_, _| Err(Error::refused("enough")));
        assert_eq!(end.unwrap_err().to_string(), "enough");
    }

    #[test]
    fn a_panic_of_a_worker_is_an_error() {
        let (_folder, sources) = sources(b"{}\npanic\n");
        let end = Pipeline::new().run(sources, workers(2), Length, |_, _| Ok(()));
        assert!(matches!(end, Err(Error::Lost)), "{end:?}");
    }
}
