use super::sender::{Batch, Event, Sender};
use crate::error::Error;
use crate::service::Fault;
use std::time::Duration;

/// Hands batches to the sender and bounds how many are in flight.
pub(super) struct Dispatcher {
    sender: Sender,
    max_in_flight: usize,
    in_flight: usize,
    fault: Option<Fault>,
}

impl Dispatcher {
    /// A dispatcher for a sender with this number of connections. One more batch is in flight than requests,
    /// so that no connection waits for a batch.
    pub(super) fn new(sender: Sender, connections: usize) -> Self {
        Self { sender, max_in_flight: connections + 1, in_flight: 0, fault: None }
    }

    /// True if no further batch may be sent now.
    pub(super) fn is_saturated(&self) -> bool {
        self.in_flight >= self.max_in_flight
    }

    /// True if all batches have ended.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == 0
    }

    /// Permanent fault of the service, after which nothing more is sent.
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Sends a batch.
    ///
    /// # Errors
    /// [`Error`] if the sending thread is gone.
    pub(super) fn send(&mut self, batch: Batch) -> Result<(), Error> {
        self.in_flight += 1;
        self.sender.send(batch)
    }

    /// Waits for the next event.
    pub(super) fn wait_event(&self, wait: Duration) -> Option<Event> {
        self.sender.events().recv_timeout(wait).ok()
    }

    /// Returns the next event if there is one.
    pub(super) fn next_event(&self) -> Option<Event> {
        self.sender.events().try_recv().ok()
    }

    pub(super) fn batch_ended(&mut self) {
        self.in_flight -= 1;
    }

    /// Records the first permanent fault and cancels sending.
    pub(super) fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        self.sender.cancel_handle().cancel();
    }
}
