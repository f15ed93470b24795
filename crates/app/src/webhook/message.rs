//! The message that a webhook is sent: the event with headers of Standard Webhooks 1.0.

use super::WebhookKeys;
use crate::port::{FeedEvent, FeedPosition, StoreError, WebhookRequest, WebhookSecret};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use cutover_core::Word;
use cutover_model::Event;
use sha2::{Digest, Sha256};

/// Number of bytes of the hash that a message id is made of.
const ID_BYTES: usize = 18;

/// A message to be signed.
pub(crate) struct Message {
    pub(crate) url: String,
    pub(crate) secrets: Vec<WebhookSecret>,
    pub(crate) id: String,
    pub(crate) event: FeedEvent,
}

/// Returns the id of the message about an event, which is the same for each attempt and each replay. It differs between
/// webhooks, so that a receiver of several can tell them apart.
pub(crate) fn message_id(webhook: &str, position: FeedPosition) -> String {
    let hash = Sha256::digest(format!("{webhook} {}", position.encode()));
    format!("msg_{}", BASE64_URL_SAFE_NO_PAD.encode(&hash[..ID_BYTES]))
}

impl Message {
    /// Returns the message about an event.
    pub(crate) fn new(webhook: &str, url: &str, secrets: Vec<WebhookSecret>, event: FeedEvent) -> Self {
        Self { url: url.to_owned(), secrets, id: message_id(webhook, event.position), event }
    }

    /// Signs the message at the time of an attempt.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the keys cannot be read.
    pub(crate) fn sign(self, at: DateTime<Utc>) -> Result<WebhookRequest, StoreError> {
        let body = serde_json::to_vec(&Event::from(self.event));
        let body = body.map_err(|_| StoreError::Corrupt("an event has no JSON form".into()))?;
        let timestamp = at.timestamp();
        let sign = |secret: &WebhookSecret| WebhookKeys::read(&secret.keys)?.sign(&self.id, timestamp, &body);
        let signatures: Vec<_> = self.secrets.iter().map(sign).collect::<Result<_, _>>()?;
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            ("webhook-id", self.id),
            ("webhook-timestamp", timestamp.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ];
        Ok(WebhookRequest { url: self.url, headers, body })
    }
}

/// Returns the event that is sent to test a webhook. It is not in the feed.
pub(crate) fn test_event(at: DateTime<Utc>, number: u64) -> FeedEvent {
    FeedEvent {
        position: FeedPosition { written_in: 0, id: (number >> 1) as i64 },
        event_type: Word::Other("webhook.test".into()),
        occurred_at: at,
        supplier: "TEST".into(),
        external_account_number: None,
        service_account_number: None,
        attempt: None,
        data: None,
    }
}
