//! Use cases for webhooks (contract D19).

use super::{Audited, Operations, OperatorError};
use crate::port::{
    AuditAction, Delivery, Detail, Disabled, DisabledReason, FeedPosition, NewWebhook, Replay, Rows,
    StoreError, Subject, WEBHOOK_DEADLINE, Webhook, WebhookAnswer, WebhookDone, WebhookSecret,
};
use crate::webhook::{Message, WebhookKeys, position_before, test_event};
use chrono::{DateTime, Duration, Utc};
use cutover_core::FeedEventType;
use std::sync::mpsc::sync_channel;

/// Maximum length of a URL in bytes.
const MAX_URL: usize = 2_048;
/// Maximum number of webhooks of an organisation: each reads the whole feed.
const MAX_WEBHOOKS: usize = 50;
/// Time for which a replaced secret still signs.
const OVERLAP: Duration = Duration::days(1);
/// Maximum number of secrets that sign: each adds a signature to every delivery.
const MAX_SECRETS: usize = 4;
/// Maximum number of deliveries in a list.
const MAX_DELIVERIES: u32 = 1_000;
/// Time beyond the deadline of an attempt after which its answer is no longer awaited.
const SLACK: std::time::Duration = std::time::Duration::from_secs(5);

/// A webhook and its new secret, which is shown only once.
pub struct IssuedSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// The key of the receiver for HMAC-SHA256, `whsec_…`.
    pub secret: String,
    /// The public key for Ed25519, `whpk_…`, if the webhook has one.
    pub public_key: Option<String>,
}

masked! { IssuedSecret }

/// A webhook and what belongs to it, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookReport {
    /// The webhook.
    pub webhook: Webhook,
    /// Number of deliveries that are not delivered yet. Events that it has not come to are not counted.
    pub open: u32,
    /// The secrets that sign now, the current one first.
    pub secrets: Vec<SecretReport>,
}

/// A page of the deliveries of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, the latest event first.
    pub deliveries: Vec<AccountDelivery>,
    /// True if there are deliveries of earlier events.
    pub has_more: bool,
}

/// A delivery and the account of its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// The code of the supplier and the account's number there. `None` if the event is about no account, or has expired.
    pub account: Option<(String, String)>,
}

/// A secret, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretReport {
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which it ceases to sign; `None` for the current one.
    pub expires_at: Option<DateTime<Utc>>,
    /// The public key for Ed25519, `whpk_…`.
    pub public_key: Option<String>,
}

/// Returns the position of an event by its id.
fn position(id: &str) -> Result<FeedPosition, OperatorError> {
    FeedPosition::decode(id)
        .ok_or_else(|| OperatorError::Refused(format!("{id:?} is not the id of an event")))
}

impl Operations<'_> {
    /// Adds a webhook. It is sent the events from now on.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such organisation or it is revoked, the URL is refused, or the organisation has
    /// too many webhooks.
    pub fn add_webhook(
        &self,
        organisation: &str,
        url: &str,
        types: &[FeedEventType],
        with_ed25519: bool,
    ) -> Result<IssuedSecret, OperatorError> {
        let url = self.legal_url(url)?;
        let keys = WebhookKeys::generate(&*self.app.random, with_ed25519);
        let public_key = WebhookKeys::read(&keys)?.public();
        let secret = WebhookKeys::shared(&keys).to_owned();
        let name = format!("wh_{:016x}", self.app.random.number());
        let (organisation, mut types) = (organisation.to_owned(), types.to_vec());
        let mut seen = Vec::new();
        types.retain(|of| {
            !seen.contains(of) && {
                seen.push(*of);
                true
            }
        });
        let webhook = self.act(AuditAction::WebhookAdded, move |tx, clock| {
            let at = clock.now();
            let owner = tx.organisation(&organisation)?;
            if owner.revoked_at.is_some() {
                return Err(OperatorError::Refused(format!("the organisation {organisation:?} is revoked")));
            }
            // Two are not added at the same time.
            tx.lock_suppliers()?;
            if tx.webhooks(Some(&organisation))?.len() >= MAX_WEBHOOKS {
                return Err(OperatorError::Refused(format!(
                    "the organisation {organisation:?} has {MAX_WEBHOOKS} webhooks, which is the maximum"
                )));
            }
            let position = tx.feed_end(owner.id)?;
            let new = NewWebhook { name, organisation_id: owner.id, url, types, created_at: at, position };
            let secret = WebhookSecret { number: 0, keys, created_at: at, expires_at: None };
            let webhook = tx.add_webhook(&new, &secret)?;
            let audited = audited(&webhook);
            Ok((webhook, audited))
        })?;
        Ok(IssuedSecret { webhook, secret, public_key })
    }

    fn legal_url(&self, url: &str) -> Result<String, OperatorError> {
        if url.len() > MAX_URL {
            return Err(OperatorError::Refused(format!("the URL is longer than {MAX_URL} bytes")));
        }
        self.app
            .webhooks
            .check_url(url)
            .map_err(|cause| OperatorError::Refused(format!("the URL is refused: {cause}")))?;
        Ok(url.to_owned())
    }

    /// Returns the webhooks of an organisation, or all, the oldest first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation.
    pub fn webhooks(&self, organisation: Option<&str>) -> Result<Vec<Webhook>, OperatorError> {
        self.read_committed(|tx| tx.webhooks(organisation))
    }

    /// Returns a webhook with its public keys and the number of its open deliveries.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn show_webhook(&self, name: &str) -> Result<WebhookReport, OperatorError> {
        let at = self.app.clock.now();
        self.read_committed(|tx| {
            let webhook = tx.webhook(name)?;
            let secrets = tx.webhook_secrets(webhook.id, at)?;
            let report = |secret: &WebhookSecret| {
                Ok(SecretReport {
                    created_at: secret.created_at,
                    expires_at: secret.expires_at,
                    public_key: WebhookKeys::read(&secret.keys)?.public(),
                })
            };
            let secrets = secrets.iter().map(report).collect::<Result<_, StoreError>>()?;
            let open = tx.open_deliveries(webhook.id, u32::MAX)?;
            Ok(WebhookReport { webhook, open, secrets })
        })
    }

    /// Returns deliveries of a webhook, the latest event first: those before an event, by its id. At most `limit`,
    /// and at most 1,000.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such webhook, [`OperatorError::Refused`] if the id is none.
    pub fn webhook_deliveries(
        &self,
        name: &str,
        before: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Delivery>, OperatorError> {
        let before = before.map(position).transpose()?;
        self.read_committed(|tx| {
            let webhook = tx.webhook(name)?;
            Ok(tx.deliveries(webhook.id, before, limit.min(MAX_DELIVERIES))?)
        })
    }

    /// Returns a page of the deliveries of a webhook with the accounts that they are about: those before an event, by its
    /// id. Each event is looked up by its key, so pages are to be small.
    ///
    /// # Errors
    /// As [`webhook_deliveries`](Self::webhook_deliveries).
    pub fn delivery_page(
        &self,
        name: &str,
        before: Option<&str>,
        limit: u32,
    ) -> Result<DeliveryPage, OperatorError> {
        let before = before.map(position).transpose()?;
        self.read_committed(|tx| {
            let webhook = tx.webhook(name)?;
            let mut found = tx.deliveries(webhook.id, before, limit.saturating_add(1))?;
            let has_more = found.len() > limit as usize;
            found.truncate(limit as usize);
            let with_account = |delivery: Delivery| {
                let event = tx.feed_event(webhook.organisation_id, delivery.position)?;
                let account = event.and_then(|event| Some((event.supplier, event.external_account_number?)));
                Ok(AccountDelivery { delivery, account })
            };
            let deliveries = found.into_iter().map(with_account).collect::<Result<_, StoreError>>()?;
            Ok(DeliveryPage { deliveries, has_more })
        })
    }

    /// Enables a webhook: its open deliveries are due at once, as if no attempt had been made, and then the events
    /// follow that it has not come to.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn enable_webhook(&self, name: &str) -> Result<Webhook, OperatorError> {
        self.change(AuditAction::WebhookEnabled, name, |tx, webhook, at| {
            if webhook.disabled.take().is_some() {
                tx.restart_deliveries(webhook.id, at)?;
            }
            Ok(Detail::default())
        })
    }

    /// Disables a webhook: nothing more is sent to it until it is enabled. An attempt that is being made is not ended.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn disable_webhook(&self, name: &str) -> Result<Webhook, OperatorError> {
        self.change(AuditAction::WebhookDisabled, name, |_, webhook, at| {
            let disabled = Disabled { at, reason: DisabledReason::Operator.into(), detail: None };
            webhook.disabled.get_or_insert(disabled);
            Ok(Detail::default())
        })
    }

    /// Delivers again the kept events that occurred at a time or later. They keep their ids.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no webhook with this id.
    pub fn replay_webhook(&self, name: &str, since: DateTime<Utc>) -> Result<Webhook, OperatorError> {
        self.change(AuditAction::WebhookReplayed, name, move |tx, webhook, _| {
            let to = webhook.replay.map_or(webhook.position, |replay| replay.to.max(webhook.position));
            // A replay that is under way may have begun earlier.
            let since = webhook.replay.map_or(since, |replay| replay.since.min(since));
            let begin = position_before(tx, webhook.organisation_id, since)?;
            if let Some(begin) = begin.filter(|begin| *begin < to) {
                webhook.position = begin;
                webhook.replay = Some(Replay { since, to });
            }
            Ok(Detail::default().word("since", since.format("%Y-%m-%dT%H:%M:%SZ")))
        })
    }

    /// Gives a webhook a new secret. The old one signs as well for one day.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no webhook with this id, [`OperatorError::Refused`] if too many secrets
    /// sign.
    pub fn rotate_webhook_secret(&self, name: &str) -> Result<IssuedSecret, OperatorError> {
        let new = [false, true].map(|with_ed25519| WebhookKeys::generate(&*self.app.random, with_ed25519));
        let keys = new.clone();
        let (webhook, has_ed25519) =
            self.change_with(AuditAction::WebhookSecretRotated, name, move |tx, webhook, at| {
                let secrets = tx.webhook_secrets(webhook.id, at)?;
                if secrets.len() >= MAX_SECRETS {
                    return Err(OperatorError::Refused(format!(
                        "{MAX_SECRETS} secrets of this webhook sign; wait until one of them expires"
                    )));
                }
                let current = secrets.first().map(|secret| WebhookKeys::read(&secret.keys)).transpose()?;
                let has_ed25519 = current.is_some_and(|keys| keys.has_ed25519());
                let number = secrets.first().map_or(0, |secret| secret.number + 1);
                let [plain, with_ed25519] = keys;
                let keys = if has_ed25519 { with_ed25519 } else { plain };
                let secret = WebhookSecret { number, keys, created_at: at, expires_at: None };
                tx.rotate_webhook_secret(webhook.id, &secret, at + OVERLAP)?;
                Ok((has_ed25519, Detail::default()))
            })?;
        let [plain, with_ed25519] = new;
        let keys = if has_ed25519 { with_ed25519 } else { plain };
        let public_key = WebhookKeys::read(&keys)?.public();
        Ok(IssuedSecret { webhook, secret: WebhookKeys::shared(&keys).to_owned(), public_key })
    }

    /// Removes a webhook with its secrets and deliveries.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn remove_webhook(&self, name: &str) -> Result<(), OperatorError> {
        let name = name.to_owned();
        self.act(AuditAction::WebhookRemoved, move |tx, clock| {
            let webhook = tx.webhook(&name)?;
            match tx.remove_webhook(webhook.id, clock.now())? {
                true => Ok(((), audited(&webhook))),
                false => Err(missing(&name)),
            }
        })
    }

    /// Sends a signed event of the type `webhook.test`, which is not in the feed, and waits for the answer. Enabled or
    /// not, the webhook stays as it is.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no webhook with this id.
    pub fn test_webhook(&self, name: &str) -> Result<WebhookAnswer, OperatorError> {
        let (sender, answer) = sync_channel(1);
        self.begin_webhook_test(name, Box::new(move |answer| drop(sender.send(answer))))?;
        let none = || WebhookAnswer::Failed("there was no answer".into());
        Ok(answer.recv_timeout(WEBHOOK_DEADLINE + SLACK).unwrap_or_else(|_| none()))
    }

    /// Like [`test_webhook`](Self::test_webhook), but returns once the event is on its way and calls `done` with the
    /// answer.
    ///
    /// # Errors
    /// As `test_webhook`.
    pub fn begin_webhook_test(&self, name: &str, done: WebhookDone) -> Result<(), OperatorError> {
        let (tested, number) = (name.to_owned(), self.app.random.number());
        let message = self.act(AuditAction::WebhookTested, move |tx, clock| {
            let at = clock.now();
            let webhook = tx.webhook(&tested)?;
            let secrets = tx.webhook_secrets(webhook.id, at)?;
            let message = Message::new(&webhook.name, &webhook.url, secrets, test_event(at, number));
            Ok((message, audited(&webhook)))
        })?;
        self.app.webhooks.send(message.sign(self.app.clock.now())?, done);
        Ok(())
    }

    fn change(
        &self,
        action: AuditAction,
        name: &str,
        change: impl FnOnce(&mut dyn Rows, &mut Webhook, DateTime<Utc>) -> Result<Detail, OperatorError>
        + Send
        + 'static,
    ) -> Result<Webhook, OperatorError> {
        let change = move |tx: &mut dyn Rows, webhook: &mut Webhook, at| Ok(((), change(tx, webhook, at)?));
        Ok(self.change_with(action, name, change)?.0)
    }

    /// Changes a locked webhook.
    fn change_with<T: Send + 'static>(
        &self,
        action: AuditAction,
        name: &str,
        change: impl FnOnce(&mut dyn Rows, &mut Webhook, DateTime<Utc>) -> Result<(T, Detail), OperatorError>
        + Send
        + 'static,
    ) -> Result<(Webhook, T), OperatorError> {
        let name = name.to_owned();
        self.act(action, move |tx, clock| {
            let found = tx.webhook(&name)?;
            let Some(mut webhook) = tx.lock_webhook(found.id, true)? else { return Err(missing(&name)) };
            let (done, detail) = change(tx.rows(), &mut webhook, clock.now())?;
            if !tx.change_webhook(&webhook)? {
                return Err(StoreError::Conflict("the webhook was changed meanwhile".into()).into());
            }
            let Audited { subject, .. } = audited(&webhook);
            let detail = detail.word("webhook", &webhook.name);
            Ok(((webhook, done), Audited { subject, detail }))
        })
    }
}

fn missing(name: &str) -> OperatorError {
    OperatorError::not_found("webhook", name)
}

/// Returns the audit entry for a webhook.
fn audited(webhook: &Webhook) -> Audited {
    let detail = Detail::default().word("webhook", &webhook.name);
    Audited { subject: Subject::organisation(webhook.organisation_id), detail }
}
