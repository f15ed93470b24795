//! Sending: batches of lines go in, an answer to each line comes out.
//!
//! On a thread of its own, which waits for the network; a task a batch. A request is bounded by its batch and is
//! retried from the first line without an answer, so memory is, and a proxy that keeps a request back until it is
//! whole holds up nothing for good.

mod answer;
mod bulk;
mod deliver;
mod one;
mod pace;

pub(super) use answer::{Answer, Finding, MOST};

use super::prepare::Prepared;
use crate::error::Error;
use crate::service::{Fault, Patience, Service, wait_for};
use crossbeam_channel::{Receiver, unbounded};
use deliver::Courier;
use pace::Pace;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// A request holds so many lines at most, and about so many bytes.
pub(super) const LINES: usize = 500;
pub(super) const BYTES: usize = 8 * 1024 * 1024;

/// A service that is not there at the beginning is looked for so long.
const GREETING: Duration = Duration::from_secs(5);

/// Accounts that are sent together.
pub(super) type Batch = Vec<Arc<Prepared>>;

/// What comes of batches.
pub(super) enum Event {
    /// The service answered to a line.
    Answered(Arc<Prepared>, Answer),
    /// A batch is over; lines without an answer are not sent.
    Over,
    /// Nothing goes on for so long.
    Waiting(Fault, Duration),
    /// The service does not do it; no more is sent.
    Failed(Fault),
    /// Something happened elsewhere that the listener is to look at.
    Look,
}

/// How to send.
pub(super) struct Manner {
    pub(super) one_by_one: bool,
    pub(super) connections: usize,
    pub(super) patience: Duration,
    pub(super) dry_run: bool,
}

/// The near end of the thread that sends. Dropped, it sends no more.
pub(super) struct Sender {
    batches: mpsc::UnboundedSender<Batch>,
    events: (crossbeam_channel::Sender<Event>, Receiver<Event>),
    stop: Arc<watch::Sender<bool>>,
}

/// What ends the sending from elsewhere.
#[derive(Clone)]
pub(super) struct Brake(Arc<watch::Sender<bool>>, crossbeam_channel::Sender<Event>);

impl Brake {
    /// No more requests are begun.
    pub(super) fn pull(&self) {
        self.0.send_replace(true);
        // The listener may be gone.
        let _ = self.1.send(Event::Look);
    }
}

impl Sender {
    /// Starts the thread, after the service has shown that it is there and knows the key.
    ///
    /// # Errors
    /// [`Error`] if it does not.
    pub(super) fn start(service: Service, manner: &Manner) -> Result<Self, Error> {
        let (batches, queue) = mpsc::unbounded_channel();
        let (events, heard) = unbounded();
        let (stop, stopped) = watch::channel(false);
        let courier = Courier {
            service,
            one_by_one: manner.one_by_one,
            pace: Pace::new(manner.connections, LINES, stopped),
            patience: manner.patience,
            last_answer: Mutex::new(Instant::now()),
            events: events.clone(),
        };
        thread::spawn(move || run(courier, queue));
        match heard.recv() {
            Ok(Event::Look) => Ok(Self { batches, events: (events, heard), stop: Arc::new(stop) }),
            Ok(Event::Failed(fault)) => Err(fault.into()),
            Ok(_) | Err(_) => Err(Error::Lost),
        }
    }

    /// Sends a batch, now.
    ///
    /// # Errors
    /// [`Error`] if the thread is gone.
    pub(super) fn send(&self, batch: Batch) -> Result<(), Error> {
        self.batches.send(batch).map_err(|_| Error::Lost)
    }

    /// What comes of it.
    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events.1
    }

    pub(super) fn brake(&self) -> Brake {
        Brake(self.stop.clone(), self.events.0.clone())
    }
}

fn run(courier: Courier, mut queue: mpsc::UnboundedReceiver<Batch>) {
    let courier = Arc::new(courier);
    let events = courier.events.clone();
    let all = wait_for(async move {
        match Patience::new(GREETING).with(async || courier.service.greet().await).await {
            Ok(()) => courier.tell(Event::Look),
            Err(fault) => return courier.tell(Event::Failed(fault)),
        }
        while let Some(batch) = queue.recv().await {
            let courier = courier.clone();
            let over = Over(courier.events.clone());
            tokio::spawn(async move {
                courier.deliver(batch).await;
                drop(over);
            });
        }
    });
    if let Err(error) = all {
        let _ = events.send(Event::Failed(Fault::lasting(error.to_string())));
    }
}

/// Says that a batch is over, whatever ends it.
struct Over(crossbeam_channel::Sender<Event>);

impl Drop for Over {
    fn drop(&mut self) {
        // The listener may be gone.
        let _ = self.0.send(Event::Over);
    }
}
