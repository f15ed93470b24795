//! Attempts at deliveries: claims, and the meaning of answers.

use super::Message;
use crate::App;
use crate::port::{
    Delivery, DeliveryState, Disabled, DisabledReason, StoreError, Tx, WEBHOOK_ANSWER, WebhookAnswer, write,
};
use chrono::{DateTime, Duration, Utc};
use std::collections::BTreeMap;

/// Time for which a claimed delivery belongs to its node: longer than an attempt.
pub(crate) const LEASE: Duration = Duration::seconds(30);
/// Time from the first attempt at a delivery to the last one (contract D19).
const PERSISTENCE: Duration = Duration::days(3);
/// The wait after the first attempt. It doubles each time.
const FIRST_WAIT: Duration = Duration::seconds(5);
/// The longest wait, and the longest that a receiver may ask for.
const LONGEST_WAIT: Duration = Duration::hours(4);
/// Number of doublings after which the wait is the longest.
const DOUBLINGS: u32 = 12;
/// The status of a receiver that wants no more messages.
const GONE: u16 = 410;

/// A claimed delivery and its message.
pub(crate) struct Claimed {
    pub(crate) delivery: Delivery,
    pub(crate) message: Message,
}

/// Deliveries of a webhook that a node may claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) webhook_id: i64,
    pub(crate) deliveries: u32,
}

/// Result of recording an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    Delivered,
    Failed,
    /// Another node has claimed it meanwhile, or it was removed.
    Stale,
}

/// Returns a wait with jitter: between half of it and all.
fn wait(attempts: u32, jitter: u64) -> Duration {
    let longest = FIRST_WAIT * 2_i32.pow(attempts.saturating_sub(1).min(DOUBLINGS));
    let half = longest.min(LONGEST_WAIT).num_milliseconds() / 2;
    let spread = u64::try_from(half).unwrap_or_default() + 1;
    Duration::milliseconds(half + i64::try_from(jitter % spread).unwrap_or_default())
}

/// Returns how long a receiver asks to wait, by a number of seconds or a date.
fn asked_wait(retry_after: &str, now: DateTime<Utc>) -> Option<Duration> {
    let text = retry_after.trim();
    let wait = match text.parse::<u32>() {
        Ok(seconds) => Duration::seconds(seconds.into()),
        Err(_) => DateTime::parse_from_rfc2822(text).ok()?.to_utc() - now,
    };
    Some(wait.clamp(Duration::zero(), LONGEST_WAIT))
}

/// Applies the end of an attempt to its delivery. Returns the reason to disable the webhook, if there is one.
fn end(
    delivery: &mut Delivery,
    answer: WebhookAnswer,
    now: DateTime<Utc>,
    jitter: u64,
) -> Option<(DisabledReason, String)> {
    delivery.attempted_at = Some(now);
    let mut asked = None;
    (delivery.status, delivery.failure, delivery.answer) = match answer {
        WebhookAnswer::Status { status, mut beginning, retry_after } => {
            beginning.truncate(WEBHOOK_ANSWER);
            asked = retry_after.and_then(|text| asked_wait(&text, now));
            (Some(status), None, Some(beginning))
        }
        WebhookAnswer::Failed(kind) => (None, Some(kind), None),
    };
    if delivery.status.is_some_and(|status| (200..300).contains(&status)) {
        (delivery.state, delivery.due_at) = (DeliveryState::Delivered.into(), None);
        return None;
    }
    delivery.state = DeliveryState::Pending.into();
    let last = delivery.first_attempt_at.unwrap_or(now) + PERSISTENCE;
    let next = now + wait(delivery.attempts, jitter).max(asked.unwrap_or_default());
    // The last attempt is made when the three days are over.
    delivery.due_at = Some(if now < last { next.min(last) } else { next });
    let reason = match delivery.status {
        Some(GONE) => DisabledReason::Gone,
        _ if now >= last => DisabledReason::Failing,
        _ => return None,
    };
    let detail = match (delivery.status, &delivery.failure) {
        (Some(status), _) => format!("it answered {status}"),
        (None, failure) => failure.clone().unwrap_or_default(),
    };
    Some((reason, detail))
}

fn disable(
    tx: &mut dyn Tx,
    webhook_id: i64,
    reason: DisabledReason,
    detail: String,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Some(mut webhook) = tx.lock_webhook(webhook_id, true)?.filter(|webhook| webhook.disabled.is_none())
    else {
        return Ok(());
    };
    tracing::warn!(webhook = webhook.name, %reason, detail, "a webhook is disabled");
    webhook.disabled = Some(Disabled { at, reason: reason.into(), detail: Some(detail) });
    tx.change_webhook(&webhook)?;
    Ok(())
}

impl App {
    /// Claims deliveries that are due. Webhooks whose secrets are encrypted with a key that this process lacks are left
    /// out and returned.
    pub(crate) fn claim_deliveries(&self, rooms: Vec<Room>) -> Result<(Vec<Claimed>, Vec<i64>), StoreError> {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        write(&*self.store, move |tx| {
            let (mut claimed, mut keyless) = (Vec::new(), Vec::new());
            for Room { webhook_id, deliveries } in rooms {
                let now = clock.now();
                let secrets = match tx.webhook_secrets(webhook_id, now) {
                    Err(StoreError::KeyMissing(name)) => {
                        tracing::error!(key = name, "a webhook cannot be signed without this encryption key");
                        keyless.push(webhook_id);
                        continue;
                    }
                    secrets => secrets?,
                };
                let webhook = tx.webhook_by_id(webhook_id)?;
                let Some(webhook) = webhook.filter(|webhook| webhook.disabled.is_none()) else { continue };
                for mut delivery in tx.due_deliveries(webhook_id, now, deliveries)? {
                    let before = delivery.claim;
                    delivery.claim = ((random.number() >> 1) as i64).max(1);
                    delivery.state = DeliveryState::Sending.into();
                    delivery.due_at = Some(now + LEASE);
                    delivery.attempts = delivery.attempts.saturating_add(1);
                    delivery.first_attempt_at = delivery.first_attempt_at.or(Some(now));
                    // An expired event cannot be sent; its delivery is removed soon.
                    let event = tx.feed_event(webhook.organisation_id, delivery.position)?;
                    if !tx.change_delivery(&delivery, before)? {
                        continue;
                    }
                    let message =
                        event.map(|event| Message::new(&webhook.name, &webhook.url, secrets.clone(), event));
                    claimed.extend(message.map(|message| Claimed { delivery, message }));
                }
            }
            Ok((claimed, keyless))
        })
    }

    /// Records the ends of attempts, each unless its claim was lost.
    pub(crate) fn record_attempts(
        &self,
        attempts: Vec<(Delivery, WebhookAnswer)>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let (now, random) = (self.clock.now(), self.random.clone());
        write(&*self.store, move |tx| {
            let mut recorded = Vec::with_capacity(attempts.len());
            let (mut ended, mut disabled) = (Vec::with_capacity(attempts.len()), BTreeMap::new());
            for (mut delivery, answer) in attempts {
                if let Some(reason) = end(&mut delivery, answer, now, random.number()) {
                    disabled.insert(delivery.webhook_id, reason);
                }
                ended.push(delivery);
            }
            // Every transaction locks a webhook before its deliveries.
            for (webhook_id, (reason, detail)) in disabled {
                disable(tx, webhook_id, reason, detail, now)?;
            }
            for delivery in ended {
                if !tx.change_delivery(&delivery, delivery.claim)? {
                    recorded.push(Recorded::Stale);
                    continue;
                }
                let is_delivered = delivery.state == DeliveryState::Delivered;
                recorded.push(if is_delivered { Recorded::Delivered } else { Recorded::Failed });
            }
            Ok(recorded)
        })
    }

    /// Gives claimed deliveries back, whose attempts this process will not end.
    pub(crate) fn give_back_deliveries(&self, claimed: Vec<Delivery>) -> Result<(), StoreError> {
        let now = self.clock.now();
        write(&*self.store, move |tx| {
            for mut delivery in claimed {
                delivery.state = DeliveryState::Pending.into();
                delivery.due_at = Some(now);
                tx.change_delivery(&delivery, delivery.claim)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::FeedPosition;
    use cutover_core::FeedEventType;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn sending(attempts: u32) -> Delivery {
        Delivery {
            webhook_id: 1,
            position: FeedPosition::default(),
            event_type: FeedEventType::NotesAdded.into(),
            occurred_at: at(0),
            state: DeliveryState::Sending.into(),
            attempts,
            first_attempt_at: Some(at(0)),
            due_at: Some(at(30)),
            claim: 1,
            status: None,
            failure: None,
            answer: None,
            attempted_at: None,
        }
    }

    fn status(status: u16, retry_after: Option<&str>) -> WebhookAnswer {
        let beginning = vec![b'x'; 2 * WEBHOOK_ANSWER];
        WebhookAnswer::Status { status, beginning, retry_after: retry_after.map(str::to_owned) }
    }

    /// The wait after a failure, in seconds.
    fn waits(attempts: u32, now: i64, answer: WebhookAnswer, jitter: u64) -> i64 {
        let mut delivery = sending(attempts);
        assert_eq!(end(&mut delivery, answer, at(now), jitter), None);
        assert_eq!(delivery.state, DeliveryState::Pending);
        (delivery.due_at.unwrap() - at(now)).num_seconds()
    }

    #[test]
    fn a_status_of_2xx_is_a_success() {
        for success in [200, 202, 204, 299] {
            let mut delivery = sending(1);
            assert_eq!(end(&mut delivery, status(success, None), at(1), 0), None);
            assert_eq!((delivery.state.clone(), delivery.due_at), (DeliveryState::Delivered.into(), None));
            assert_eq!(delivery.answer.unwrap().len(), WEBHOOK_ANSWER);
        }
    }

    #[test]
    fn waits_double_up_to_the_longest_and_differ() {
        assert_eq!([1, 2, 3, 4].map(|n| waits(n, 0, status(500, None), 0)), [2, 5, 10, 20]);
        let failed = || WebhookAnswer::Failed("it did not answer".into());
        assert_eq!([20, 1_000].map(|n| waits(n, 0, failed(), 0)), [7_200; 2]);
        assert_eq!(waits(20, 0, failed(), 7_200_000), 14_400);
        assert!((0..100).all(|jitter| (2..=5).contains(&waits(1, 0, failed(), jitter * 977))));
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait_within_bounds() {
        let date = at(600).format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        for (asked, expected) in [("90", 90), ("1", 2), ("-5", 2), ("soon", 2), ("4000000000", 14_400)] {
            assert_eq!(waits(1, 0, status(503, Some(asked)), 0), expected, "{asked}");
        }
        assert_eq!(waits(1, 0, status(429, Some(&date)), 0), 600);
    }

    #[test]
    fn attempts_end_after_three_days() {
        let three_days = PERSISTENCE.num_seconds();
        assert_eq!(waits(40, three_days - 60, status(500, None), 0), 60, "the last attempt");
        let mut delivery = sending(41);
        let disabled = end(&mut delivery, status(302, None), at(three_days), 0);
        assert_eq!(disabled, Some((DisabledReason::Failing, "it answered 302".to_owned())));
        assert!(delivery.due_at.is_some(), "it stays open for the time when the webhook is enabled");
    }

    #[test]
    fn a_receiver_that_is_gone_is_not_asked_again() {
        let disabled = end(&mut sending(1), status(410, None), at(1), 0);
        assert_eq!(disabled, Some((DisabledReason::Gone, "it answered 410".to_owned())));
    }
}
