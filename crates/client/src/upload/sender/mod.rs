//! Sends batches of lines and reports the answer to each line.
//!
//! Runs on its own thread, with one task per batch. A request is bounded by its batch and is retried from the
//! first line without an answer. This bounds memory, and a proxy that buffers whole requests delays nothing
//! indefinitely.

mod answer;
mod batch;
mod bulk;
mod document;
mod limiter;
mod one;
mod request;
mod turns;

pub(super) use answer::{Answer, Finding, Items, MAX_FINDINGS};

use super::prepare::Prepared;
use crate::error::Error;
use crate::service::{Backoff, Fault, Service, block_on};
use batch::BatchSender;
use crossbeam_channel::{Receiver, unbounded};
use limiter::Limiter;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use turns::Turns;

/// Maximum number of lines in a request.
pub(super) const MAX_LINES: usize = 500;
/// Maximum size of a request in bytes, unless a single account is larger.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Time to wait at the start for a service that is away.
const START_WAIT: Duration = Duration::from_secs(5);

/// Accounts that are sent together.
pub(super) type Batch = Vec<Arc<Prepared>>;

/// Message of the sending thread.
pub(super) enum Event {
    /// The service answered to a line.
    Answered(Arc<Prepared>, Answer),
    /// A batch has ended; its lines without an answer were not sent.
    BatchEnded,
    /// Sending pauses for this time.
    Waiting(Fault, Duration),
    /// The service does not do it; nothing more is sent.
    Failed(Fault),
    /// The sender is ready, or was cancelled: wakes up the listener.
    Wake,
}

/// Options of a sender.
pub(super) struct SendOptions {
    pub(super) one_by_one: bool,
    pub(super) connections: usize,
    pub(super) patience: Duration,
    pub(super) dry_run: bool,
}

/// Handle of the sending thread. Dropping it ends the thread.
pub(super) struct Sender {
    batches: mpsc::UnboundedSender<Batch>,
    events: (crossbeam_channel::Sender<Event>, Receiver<Event>),
    stop: Arc<watch::Sender<bool>>,
}

/// Cancels sending from another thread.
#[derive(Clone)]
pub(super) struct CancelHandle(Arc<watch::Sender<bool>>, crossbeam_channel::Sender<Event>);

impl CancelHandle {
    /// Begins no more requests.
    pub(super) fn cancel(&self) {
        self.0.send_replace(true);
        // The listener may be gone.
        let _ = self.1.send(Event::Wake);
    }
}

impl Sender {
    /// Starts the thread and waits until the service has accepted the key.
    ///
    /// # Errors
    /// [`Error`] if it does not.
    pub(super) fn start(service: Service, options: &SendOptions) -> Result<Self, Error> {
        let (batches, queue) = mpsc::unbounded_channel();
        let (events, received) = unbounded();
        let (stop, stopped) = watch::channel(false);
        let sender = BatchSender {
            service,
            one_by_one: options.one_by_one,
            limiter: Limiter::new(options.connections, MAX_LINES, stopped),
            patience: options.patience,
            last_answer: Mutex::new(Instant::now()),
            events: events.clone(),
        };
        thread::spawn(move || run(sender, queue));
        match received.recv() {
            Ok(Event::Wake) => Ok(Self { batches, events: (events, received), stop: Arc::new(stop) }),
            Ok(Event::Failed(fault)) => Err(fault.into()),
            Ok(_) | Err(_) => Err(Error::Lost),
        }
    }

    /// Queues a batch for sending.
    ///
    /// # Errors
    /// [`Error`] if the thread is gone.
    pub(super) fn send(&self, batch: Batch) -> Result<(), Error> {
        self.batches.send(batch).map_err(|_| Error::Lost)
    }

    /// Messages of the sending thread.
    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events.1
    }

    pub(super) fn cancel_handle(&self) -> CancelHandle {
        CancelHandle(self.stop.clone(), self.events.0.clone())
    }
}

fn run(sender: BatchSender, mut queue: mpsc::UnboundedReceiver<Batch>) {
    let sender = Arc::new(sender);
    let events = sender.events.clone();
    let all = block_on(async move {
        match Backoff::new(START_WAIT).run(async || sender.service.check_access().await).await {
            Ok(()) => sender.emit(Event::Wake),
            Err(fault) => return sender.emit(Event::Failed(fault)),
        }
        let mut turns = Turns::default();
        while let Some(batch) = queue.recv().await {
            let mut turn = turns.next(batch.first().and_then(|first| first.turn()));
            let sender = sender.clone();
            let end = BatchEnd(sender.events.clone());
            tokio::spawn(async move {
                if turn.begin().await && sender.send(batch).await {
                    turn.end();
                }
                drop(end);
            });
        }
    });
    if let Err(error) = all {
        let _ = events.send(Event::Failed(Fault::permanent(error.to_string())));
    }
}

/// Emits [`Event::BatchEnded`] when dropped, even by a panic.
struct BatchEnd(crossbeam_channel::Sender<Event>);

impl Drop for BatchEnd {
    fn drop(&mut self) {
        // The listener may be gone.
        let _ = self.0.send(Event::BatchEnded);
    }
}
