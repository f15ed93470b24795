//! Webhooks: the events of the feed, sent to other systems (contract D19, decision 0037).
//!
//! Each webhook is a reader of the feed. `plan` moves its position forward and adds a delivery for each event in the
//! same transaction; `dispatch` claims deliveries that are due, sends them and records the answers.

mod attempt;
mod dispatch;
mod keys;
mod message;
mod plan;

pub(crate) use attempt::{Claimed, LEASE};
pub use dispatch::{Dispatched, WebhookDispatcher, WebhookMetrics};
pub(crate) use keys::WebhookKeys;
pub(crate) use message::{Message, test_event};
pub(crate) use plan::position_before;
