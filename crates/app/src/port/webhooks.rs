use super::{FeedEvent, FeedPosition, StoreError};
use chrono::{DateTime, Utc};
use cutover_core::{FeedEventType, Word, string_enum};

string_enum! {
    "a reason to disable a webhook";
    /// The reason why a webhook is disabled (contract D19).
    pub enum DisabledReason {
        /// The operator disabled it.
        Operator = "operator",
        /// A delivery failed for three days.
        Failing = "failing",
        /// The receiver answered 410: it is gone.
        Gone = "gone",
    }
}

string_enum! {
    "a state of a delivery";
    /// The state of a delivery. One that waits or is being sent is open.
    pub enum DeliveryState {
        /// It waits for its next attempt.
        Pending = "pending",
        /// An attempt is being made.
        Sending = "sending",
        /// The receiver answered with a status of 2xx.
        Delivered = "delivered",
    }
}

/// The end of a webhook's work until it is enabled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disabled {
    /// The time.
    pub at: DateTime<Utc>,
    /// The reason.
    pub reason: Word<DisabledReason>,
    /// The last failure, for people: a status or the kind of a network failure. Holds nothing of an answer.
    pub detail: Option<String>,
}

/// A replay: events up to a position are delivered again if they occurred at this time or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replay {
    /// The time.
    pub since: DateTime<Utc>,
    /// The position that the webhook had come to.
    pub to: FeedPosition,
}

/// A webhook: a URL that is sent the events of an organisation (contract D19).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The store's key.
    pub id: i64,
    /// Its id for operators, `wh_…`.
    pub name: String,
    /// The store's key of the organisation.
    pub organisation_id: i64,
    /// The name of the organisation.
    pub organisation: String,
    /// The URL. It follows the address rule of [`PaymentVendors::check_base_url`](super::PaymentVendors).
    pub url: String,
    /// The types of the events that it is sent; empty means all.
    pub types: Vec<Word<FeedEventType>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Set while it is disabled.
    pub disabled: Option<Disabled>,
    /// The position in the feed up to which there are deliveries.
    pub position: FeedPosition,
    /// The replay that its position is in.
    pub replay: Option<Replay>,
    /// The last time at which events expired that were not delivered.
    pub missed_at: Option<DateTime<Utc>>,
    /// Grows with each change; changes are written only if it has not grown meanwhile.
    pub version: i64,
}

impl Webhook {
    /// Returns true if the webhook is sent an event.
    pub fn wants(&self, event: &FeedEvent) -> bool {
        let is_of_type = |of: &Word<FeedEventType>| of.as_str() == event.event_type.as_str();
        let is_before = |replay: Replay| event.position <= replay.to && event.occurred_at < replay.since;
        (self.types.is_empty() || self.types.iter().any(is_of_type)) && !self.replay.is_some_and(is_before)
    }
}

/// A webhook to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Its id for operators.
    pub name: String,
    /// The store's key of the organisation.
    pub organisation_id: i64,
    /// The URL.
    pub url: String,
    /// The types of the events; empty means all.
    pub types: Vec<FeedEventType>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// The position after which events are delivered.
    pub position: FeedPosition,
}

/// The keys that sign deliveries together, in the form in which they are stored.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret {
    /// Number of the secret: later ones replaced it.
    pub number: i64,
    /// `whsec_…`, followed by a space and `whsk_…` if the webhook has an Ed25519 key.
    pub keys: String,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which it ceases to sign; `None` for the current one.
    pub expires_at: Option<DateTime<Utc>>,
}

masked! { WebhookSecret }

/// A webhook that is enabled and whose organisation is not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveWebhook {
    /// The store's key.
    pub id: i64,
    /// The store's key of the organisation.
    pub organisation_id: i64,
    /// The position in the feed up to which there are deliveries.
    pub position: FeedPosition,
    /// The time at which its first open delivery is due; `None` without open deliveries.
    pub first_due: Option<DateTime<Utc>>,
}

/// The delivery of an event to a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The store's key of the webhook.
    pub webhook_id: i64,
    /// The position of the event.
    pub position: FeedPosition,
    /// The type of the event.
    pub event_type: Word<FeedEventType>,
    /// Time of what happened.
    pub occurred_at: DateTime<Utc>,
    /// The state.
    pub state: Word<DeliveryState>,
    /// Number of attempts that were begun.
    pub attempts: u32,
    /// Time of the first attempt since it was added, replayed or its webhook enabled.
    pub first_attempt_at: Option<DateTime<Utc>>,
    /// Of an open delivery: the time from which it may be claimed, which is the end of the lease of one that is being
    /// sent.
    pub due_at: Option<DateTime<Utc>>,
    /// Identifies the claim that may end it; 0 before the first.
    pub claim: i64,
    /// Status of the last answer.
    pub status: Option<u16>,
    /// Kind of the last failure without an answer.
    pub failure: Option<String>,
    /// The beginning of the last answer, at most 1 KiB.
    pub answer: Option<Vec<u8>>,
    /// Time at which the last attempt ended.
    pub attempted_at: Option<DateTime<Utc>>,
}

/// Numbers of webhooks, and the oldest event that waits to be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebhookFigures {
    /// Enabled webhooks.
    pub enabled: u64,
    /// Disabled webhooks.
    pub disabled: u64,
    /// Open deliveries of enabled webhooks.
    pub open: u64,
    /// The time of the oldest of their events.
    pub oldest: Option<DateTime<Utc>>,
}

/// Webhooks and their deliveries (contract D19). A removed webhook is found by none of these methods; its rows go with
/// [`clear_deliveries`](Self::clear_deliveries).
pub trait Webhooks {
    /// Adds a webhook with its first secret.
    fn add_webhook(&mut self, new: &NewWebhook, secret: &WebhookSecret) -> Result<Webhook, StoreError>;

    /// Returns the webhook with this key.
    fn webhook_by_id(&mut self, id: i64) -> Result<Option<Webhook>, StoreError>;

    /// Locks a webhook until the transaction ends, and returns it. `None` if there is none, or without waiting if
    /// another transaction has locked it and `waits` is false.
    fn lock_webhook(&mut self, id: i64, waits: bool) -> Result<Option<Webhook>, StoreError>;

    /// Writes what can change of a webhook and increases its version. Returns false if it has changed since it was read.
    fn change_webhook(&mut self, webhook: &Webhook) -> Result<bool, StoreError>;

    /// Removes a webhook. Returns false if there is none.
    fn remove_webhook(&mut self, id: i64, at: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Returns the secrets of a webhook that sign at a time, the current one first.
    fn webhook_secrets(&mut self, id: i64, at: DateTime<Utc>) -> Result<Vec<WebhookSecret>, StoreError>;

    /// Adds a secret, and lets the current one expire at a time.
    fn rotate_webhook_secret(
        &mut self,
        id: i64,
        secret: &WebhookSecret,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Counts the open deliveries of a webhook, at most `limit`.
    fn open_deliveries(&mut self, webhook_id: i64, limit: u32) -> Result<u32, StoreError>;

    /// Adds deliveries of events, due at once. Replaces those that are there.
    fn add_deliveries(
        &mut self,
        webhook_id: i64,
        events: &[FeedEvent],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Returns deliveries of a webhook that are due, the first due first, for this transaction to claim: without those
    /// that another transaction is claiming.
    fn due_deliveries(
        &mut self,
        webhook_id: i64,
        at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Writes what can change of a delivery, if its claim is still `claim`. Returns false otherwise.
    fn change_delivery(&mut self, delivery: &Delivery, claim: i64) -> Result<bool, StoreError>;

    /// Makes the open deliveries of a webhook due at a time, as if no attempt had been made.
    fn restart_deliveries(&mut self, webhook_id: i64, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Releases the claims of all deliveries that are being sent. Only for a database that no other node is using.
    fn release_deliveries(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Returns deliveries of a webhook, the latest event first: those before a position, at most `limit`.
    fn deliveries(
        &mut self,
        webhook_id: i64,
        before: Option<FeedPosition>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Removes deliveries whose events have expired, and those of removed webhooks, at most `limit` of each webhook.
    /// Notes at webhooks if open ones were among them. Returns true if there are more.
    fn clear_deliveries(&mut self, at: DateTime<Utc>, limit: u32) -> Result<bool, StoreError>;

    /// Returns the numbers of webhooks, for monitoring.
    fn webhook_figures(&mut self) -> Result<WebhookFigures, StoreError>;
}

/// Queries that find webhooks of any organisation.
pub trait AnyWebhooks {
    /// Returns the webhook with this id for operators.
    fn webhook(&mut self, name: &str) -> Result<Option<Webhook>, StoreError>;

    /// Returns the webhooks of an organisation, or all, the oldest first.
    fn webhooks(&mut self, organisation_id: Option<i64>) -> Result<Vec<Webhook>, StoreError>;

    /// Returns the webhooks that may have something to do.
    fn active_webhooks(&mut self) -> Result<Vec<ActiveWebhook>, StoreError>;
}

/// A request to a receiver of webhooks. It can be sent on any thread.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// The URL.
    pub url: String,
    /// Headers: names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON that is sent.
    pub body: Vec<u8>,
}

masked! { WebhookRequest }

/// Maximum size in bytes of what is kept of an answer.
pub const WEBHOOK_ANSWER: usize = 1024;

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookAnswer {
    /// The receiver answered.
    Status {
        /// The status.
        status: u16,
        /// The beginning of the answer, at most [`WEBHOOK_ANSWER`].
        beginning: Vec<u8>,
        /// The header `Retry-After`.
        retry_after: Option<String>,
    },
    /// There was no answer. The text names the kind of failure, for the operator.
    Failed(String),
}

/// Callback with the end of an attempt. It is called once, on any thread, and must not block.
pub type WebhookDone = Box<dyn FnOnce(WebhookAnswer) + Send>;

/// Sends requests to receivers of webhooks. Never called inside a store transaction.
pub trait WebhookSender: Send + Sync {
    /// Checks the text of a URL by the address rule of payment vendors (contract D11).
    ///
    /// # Errors
    /// The fault, for the operator.
    fn check_url(&self, url: &str) -> Result<(), String>;

    /// Sends a request and returns at once. Calls `done` within [`WEBHOOK_DEADLINE`], whatever the receiver does.
    fn send(&self, request: WebhookRequest, done: WebhookDone);
}

/// Time limit of an attempt, from the connection to the last byte that is read.
pub const WEBHOOK_DEADLINE: std::time::Duration = std::time::Duration::from_secs(15);
