//! The dispatcher: a thread of each process with workers, which plans, claims and records deliveries. The sender's own
//! threads make the attempts.

use super::attempt::{Recorded, Room};
use super::{Claimed, LEASE};
use crate::App;
use crate::fault::{self, Point};
use crate::port::{ActiveWebhook, Delivery, FeedPosition, StoreError, WebhookAnswer};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Maximum number of attempts of a process at a time.
const IN_FLIGHT: u32 = 32;
/// Maximum number of them for one webhook.
const OF_WEBHOOK: u32 = 4;
/// Maximum number of attempts of a process at a time for webhooks whose last attempt failed; each has one. So receivers
/// that hang leave the other half to the others.
const OF_FAILING: u32 = IN_FLIGHT / 2;
/// Maximum number of pages of the feed that a webhook is moved by before others have their turn.
const PAGES: usize = 4;
/// Longest pause of an idle dispatcher, unless there is no webhook.
const POLL: Duration = Duration::from_secs(1);
/// Interval at which a pause looks for the end.
const LOOK: Duration = Duration::from_millis(100);
/// Pause after a round that failed.
const REST: Duration = Duration::from_secs(1);
/// Time for which a webhook is left out whose secrets cannot be decrypted here: processes that can come first.
const KEYLESS: Duration = Duration::from_secs(5);
/// Time for which a dispatcher that is stopped waits for answers.
const GRACE: Duration = Duration::from_secs(2);

/// Counters of the dispatcher of this process, for `/metrics`.
#[derive(Debug, Default)]
pub struct WebhookMetrics {
    /// Attempts that the receiver answered with a status of 2xx.
    pub delivered: AtomicU64,
    /// Attempts that failed.
    pub failed: AtomicU64,
    /// Attempts whose claim was lost.
    pub stale: AtomicU64,
}

/// Result of [`WebhookDispatcher::run_once`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dispatched {
    /// Ends of attempts that were recorded.
    pub recorded: usize,
    /// Pages of the feed that webhooks were moved by.
    pub pages: usize,
    /// Deliveries that are being sent from now on.
    pub sent: usize,
}

impl Dispatched {
    /// Returns true if there was nothing to do.
    pub fn is_idle(self) -> bool {
        self == Self::default()
    }
}

/// The key of an attempt: its webhook, the position of the event, and the claim.
type AttemptKey = (i64, FeedPosition, i64);

/// The end of an attempt.
type EndedAttempt = (AttemptKey, WebhookAnswer);

/// Delivers events to webhooks: a loop on a thread of its own.
pub struct WebhookDispatcher {
    app: Arc<App>,
    metrics: Arc<WebhookMetrics>,
    stop: Arc<AtomicBool>,
    answers: (Sender<EndedAttempt>, Receiver<EndedAttempt>),
    in_flight: HashMap<AttemptKey, Delivery>,
    /// Answers that are not recorded yet.
    ended: Vec<(Delivery, WebhookAnswer)>,
    /// Webhooks whose last attempt failed.
    failing: HashSet<i64>,
    keyless: HashMap<i64, Instant>,
    /// The webhook that was served last.
    last: i64,
    /// True if there was an active webhook in the last round.
    has_webhooks: bool,
}

impl WebhookDispatcher {
    /// Returns a dispatcher; setting `stop` ends its loop.
    pub fn new(app: Arc<App>, metrics: Arc<WebhookMetrics>, stop: Arc<AtomicBool>) -> Self {
        let (in_flight, ended, failing, keyless) = Default::default();
        Self {
            app,
            metrics,
            stop,
            answers: channel(),
            in_flight,
            ended,
            failing,
            keyless,
            last: 0,
            has_webhooks: false,
        }
    }

    /// Works until it is stopped. Then it waits a moment for answers, and gives the other deliveries back.
    pub fn run(&mut self) {
        while !self.is_stopped() {
            match self.run_once() {
                Ok(done) if !done.is_idle() => {}
                Ok(_) => self.pause(if self.has_webhooks { POLL } else { self.app.store.poll().max(POLL) }),
                Err(error) => {
                    tracing::warn!(%error, "webhooks could not be served");
                    self.pause(REST);
                }
            }
        }
        if let Err(error) = self.finish() {
            tracing::warn!(%error, "deliveries of webhooks could not be given back; their leases expire");
        }
    }

    /// Records answers, adds deliveries for new events, and sends deliveries that are due. Does not wait for answers.
    ///
    /// # Errors
    /// [`StoreError`]; answers are kept and recorded later, and leases of claimed deliveries expire.
    pub fn run_once(&mut self) -> Result<Dispatched, StoreError> {
        while let Ok((key, answer)) = self.answers.1.try_recv() {
            self.take(key, answer);
        }
        let recorded = self.record()?;
        let (active, news) = self.app.webhooks_with_news()?;
        self.has_webhooks = !active.is_empty();
        let mut pages = 0;
        for webhook in news {
            for _ in 0..PAGES {
                if self.is_stopped() || !self.app.plan_deliveries(webhook)? {
                    break;
                }
                pages += 1;
            }
        }
        // Deliveries that were just added are due.
        let active = if pages > 0 { self.app.webhooks_with_news()?.0 } else { active };
        let sent = if self.is_stopped() { 0 } else { self.send(&active)? };
        Ok(Dispatched { recorded, pages, sent })
    }

    /// Returns the number of attempts that have no answer yet.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    fn take(&mut self, key: AttemptKey, answer: WebhookAnswer) {
        if let Some(delivery) = self.in_flight.remove(&key) {
            self.ended.push((delivery, answer));
        }
    }

    fn record(&mut self) -> Result<usize, StoreError> {
        if self.ended.is_empty() {
            return Ok(0);
        }
        fault::reached(Point::DeliveriesAnswered, "");
        let recorded = self.app.record_attempts(self.ended.clone())?;
        for ((delivery, _), recorded) in self.ended.drain(..).zip(&recorded) {
            let counter = match recorded {
                Recorded::Delivered => {
                    self.failing.remove(&delivery.webhook_id);
                    &self.metrics.delivered
                }
                Recorded::Failed => {
                    self.failing.insert(delivery.webhook_id);
                    &self.metrics.failed
                }
                Recorded::Stale => &self.metrics.stale,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        }
        Ok(recorded.len())
    }

    /// Claims and sends deliveries that are due.
    fn send(&mut self, active: &[ActiveWebhook]) -> Result<usize, StoreError> {
        let rooms = self.rooms(active, self.app.clock.now());
        let Some(last) = rooms.last() else { return Ok(0) };
        self.last = last.webhook_id;
        let (claimed, keyless) = self.app.claim_deliveries(rooms)?;
        self.keyless.extend(keyless.into_iter().map(|webhook| (webhook, Instant::now())));
        fault::reached(Point::DeliveriesClaimed, "");
        let count = claimed.len();
        for Claimed { delivery, message } in claimed {
            let request = match message.sign(self.app.clock.now()) {
                Ok(request) => request,
                Err(error) => {
                    tracing::error!(%error, "a delivery cannot be signed");
                    self.ended.push((delivery, WebhookAnswer::Failed("it could not be signed".into())));
                    continue;
                }
            };
            let key = (delivery.webhook_id, delivery.position, delivery.claim);
            self.in_flight.insert(key, delivery);
            let answers = self.answers.0.clone();
            // The receiver of the answer is gone if this process stops.
            let done = Box::new(move |answer| drop(answers.send((key, answer))));
            self.app.webhooks.send(request, done);
        }
        Ok(count)
    }

    /// Returns the number of deliveries of each webhook that may be claimed, beginning after the last webhook
    /// served.
    fn rooms(&mut self, active: &[ActiveWebhook], now: DateTime<Utc>) -> Vec<Room> {
        self.keyless.retain(|_, since| since.elapsed() < KEYLESS);
        self.failing.retain(|id| active.iter().any(|webhook| webhook.id == *id));
        // After the lease another claim may have it; an answer that is still missing then is not waited for.
        self.in_flight.retain(|_, delivery| delivery.due_at.is_some_and(|end| end > now));
        let mut busy: HashMap<i64, u32> = HashMap::new();
        for (webhook, ..) in self.in_flight.keys() {
            *busy.entry(*webhook).or_default() += 1;
        }
        let of_failing = busy.iter().filter(|(id, _)| self.failing.contains(id)).map(|(_, count)| count);
        let mut left_failing = OF_FAILING.saturating_sub(of_failing.sum());
        let mut left = IN_FLIGHT.saturating_sub(busy.values().sum());
        let due = active.iter().filter(|webhook| webhook.first_due.is_some_and(|due| due <= now));
        let mut due: Vec<i64> =
            due.map(|webhook| webhook.id).filter(|id| !self.keyless.contains_key(id)).collect();
        due.sort_unstable_by_key(|id| (*id <= self.last, *id));
        let mut rooms = Vec::new();
        for webhook_id in due {
            let is_failing = self.failing.contains(&webhook_id);
            let most = if is_failing { 1.min(left_failing) } else { OF_WEBHOOK };
            let busy = busy.get(&webhook_id).copied().unwrap_or_default();
            let deliveries = most.saturating_sub(busy).min(left);
            if deliveries > 0 {
                left -= deliveries;
                left_failing -= if is_failing { deliveries } else { 0 };
                rooms.push(Room { webhook_id, deliveries });
            }
        }
        rooms
    }

    /// Waits for an answer or the end.
    fn pause(&mut self, at_most: Duration) {
        let begun = Instant::now();
        while !self.is_stopped() && begun.elapsed() < at_most {
            match self.answers.1.recv_timeout(LOOK.min(at_most)) {
                Ok((key, answer)) => return self.take(key, answer),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Records the answers that come within a moment, and gives the other deliveries back.
    fn finish(&mut self) -> Result<(), StoreError> {
        let begun = Instant::now();
        while !self.in_flight.is_empty() {
            let left = GRACE.saturating_sub(begun.elapsed());
            match self.answers.1.recv_timeout(left) {
                Ok((key, answer)) => self.take(key, answer),
                Err(_) => break,
            }
        }
        let recorded = self.record();
        let unanswered: Vec<Delivery> = self.in_flight.drain().map(|(_, delivery)| delivery).collect();
        if !unanswered.is_empty() {
            self.app.give_back_deliveries(unanswered)?;
        }
        recorded.map(drop)
    }
}

/// An attempt ends before its lease.
const _: () = assert!(crate::port::WEBHOOK_DEADLINE.as_secs() < LEASE.num_seconds() as u64);
