//! Use cases for webhooks (contract D19). Commands act on any webhook, the console on those of its organisation.

use super::{Audited, OperatorError};
use crate::App;
use crate::auth::Caller;
use crate::port::{
    AuditAction, Delivery, Detail, Disabled, DisabledReason, FeedPosition, NewWebhook, Operator, Replay,
    StoreError, Subject, Tx, WEBHOOK_DEADLINE, Webhook, WebhookAnswer, WebhookDone, WebhookSecret,
    read_committed,
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

impl App {
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
        let keys = WebhookKeys::generate(&*self.random, with_ed25519);
        let public_key = WebhookKeys::read(&keys)?.public();
        let secret = WebhookKeys::shared(&keys).to_owned();
        let name = format!("wh_{:016x}", self.random.number());
        let (organisation, mut types) = (organisation.to_owned(), types.to_vec());
        let mut seen = Vec::new();
        types.retain(|of| {
            !seen.contains(of) && {
                seen.push(*of);
                true
            }
        });
        let webhook = self.run_audited(&self.operator, AuditAction::WebhookAdded, move |tx, clock| {
            let at = clock.now();
            let Some(owner) = tx.organisation(&organisation)? else {
                return Err(OperatorError::not_found("organisation", organisation));
            };
            if owner.revoked_at.is_some() {
                return Err(OperatorError::Refused(format!("the organisation {organisation:?} is revoked")));
            }
            // Two are not added at the same time.
            tx.lock_suppliers()?;
            if tx.webhooks(Some(owner.id))?.len() >= MAX_WEBHOOKS {
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
        self.webhooks
            .check_url(url)
            .map_err(|cause| OperatorError::Refused(format!("the URL is refused: {cause}")))?;
        Ok(url.to_owned())
    }

    /// Returns the webhooks of an organisation, or all, the oldest first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation.
    pub fn webhooks(&self, organisation: Option<&str>) -> Result<Vec<Webhook>, OperatorError> {
        let found = read_committed(&*self.store, |tx| {
            let organisation_id = match organisation {
                None => None,
                Some(name) => match tx.organisation(name)? {
                    Some(organisation) => Some(organisation.id),
                    None => return Ok(None),
                },
            };
            tx.webhooks(organisation_id).map(Some)
        })?;
        found.ok_or_else(|| OperatorError::not_found("organisation", organisation.unwrap_or_default()))
    }

    /// Returns the webhooks of the caller's organisation, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn own_webhooks(&self, caller: &Caller) -> Result<Vec<Webhook>, StoreError> {
        read_committed(&*self.store, |tx| tx.webhooks(Some(caller.organisation_id)))
    }

    /// Returns a webhook with its public keys and the number of its open deliveries.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn show_webhook(&self, name: &str) -> Result<WebhookReport, OperatorError> {
        self.report_webhook(name, None)
    }

    /// Like [`show_webhook`](Self::show_webhook), for a webhook of the caller's organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this id.
    pub fn show_own_webhook(&self, caller: &Caller, name: &str) -> Result<WebhookReport, OperatorError> {
        self.report_webhook(name, Some(caller.organisation_id))
    }

    fn report_webhook(&self, name: &str, of: Option<i64>) -> Result<WebhookReport, OperatorError> {
        let at = self.clock.now();
        let found = read_committed(&*self.store, |tx| {
            let Some(webhook) = own(tx.webhook(name)?, of) else { return Ok(None) };
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
            Ok(Some(WebhookReport { webhook, open, secrets }))
        })?;
        found.ok_or_else(|| missing(name))
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
        self.list_deliveries(name, None, before, limit)
    }

    /// Like [`webhook_deliveries`](Self::webhook_deliveries), for a webhook of the caller's organisation.
    ///
    /// # Errors
    /// As `webhook_deliveries`.
    pub fn own_webhook_deliveries(
        &self,
        caller: &Caller,
        name: &str,
        before: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Delivery>, OperatorError> {
        self.list_deliveries(name, Some(caller.organisation_id), before, limit)
    }

    fn list_deliveries(
        &self,
        name: &str,
        of: Option<i64>,
        before: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Delivery>, OperatorError> {
        let no_id = |text: &str| OperatorError::Refused(format!("{text:?} is not the id of an event"));
        let before = before.map(|text| FeedPosition::decode(text).ok_or_else(|| no_id(text))).transpose()?;
        let found = read_committed(&*self.store, |tx| match own(tx.webhook(name)?, of) {
            None => Ok(None),
            Some(webhook) => tx.deliveries(webhook.id, before, limit.min(MAX_DELIVERIES)).map(Some),
        })?;
        found.ok_or_else(|| missing(name))
    }

    /// Enables a webhook: its open deliveries are due at once, as if no attempt had been made, and then the events
    /// follow that it has not come to.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this id.
    pub fn enable_webhook(&self, name: &str) -> Result<Webhook, OperatorError> {
        self.enable_by(&self.operator, name, None)
    }

    /// Like [`enable_webhook`](Self::enable_webhook), for a webhook of the caller's organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this id.
    pub fn enable_own_webhook(&self, caller: &Caller, name: &str) -> Result<Webhook, OperatorError> {
        self.enable_by(&Operator::of(caller), name, Some(caller.organisation_id))
    }

    fn enable_by(&self, by: &Operator, name: &str, of: Option<i64>) -> Result<Webhook, OperatorError> {
        self.change_by(by, AuditAction::WebhookEnabled, name, of, |tx, webhook, at| {
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
        self.disable_by(&self.operator, name, None)
    }

    /// Like [`disable_webhook`](Self::disable_webhook), for a webhook of the caller's organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this id.
    pub fn disable_own_webhook(&self, caller: &Caller, name: &str) -> Result<Webhook, OperatorError> {
        self.disable_by(&Operator::of(caller), name, Some(caller.organisation_id))
    }

    fn disable_by(&self, by: &Operator, name: &str, of: Option<i64>) -> Result<Webhook, OperatorError> {
        self.change_by(by, AuditAction::WebhookDisabled, name, of, |_, webhook, at| {
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
        self.replay_by(&self.operator, name, None, since)
    }

    /// Like [`replay_webhook`](Self::replay_webhook), for a webhook of the caller's organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this id.
    pub fn replay_own_webhook(
        &self,
        caller: &Caller,
        name: &str,
        since: DateTime<Utc>,
    ) -> Result<Webhook, OperatorError> {
        self.replay_by(&Operator::of(caller), name, Some(caller.organisation_id), since)
    }

    fn replay_by(
        &self,
        by: &Operator,
        name: &str,
        of: Option<i64>,
        since: DateTime<Utc>,
    ) -> Result<Webhook, OperatorError> {
        self.change_by(by, AuditAction::WebhookReplayed, name, of, move |tx, webhook, _| {
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
        let new = [false, true].map(|with_ed25519| WebhookKeys::generate(&*self.random, with_ed25519));
        let keys = new.clone();
        let (webhook, has_ed25519) = self.change_with(
            &self.operator,
            AuditAction::WebhookSecretRotated,
            name,
            None,
            move |tx, webhook, at| {
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
            },
        )?;
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
        self.run_audited(&self.operator, AuditAction::WebhookRemoved, move |tx, clock| {
            let Some(webhook) = tx.webhook(&name)? else { return Err(missing(&name)) };
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
        self.test_by(&self.operator, name, None, Box::new(move |answer| drop(sender.send(answer))))?;
        let none = || WebhookAnswer::Failed("there was no answer".into());
        Ok(answer.recv_timeout(WEBHOOK_DEADLINE + SLACK).unwrap_or_else(|_| none()))
    }

    /// Like [`test_webhook`](Self::test_webhook), for a webhook of the caller's organisation. Returns once the event is
    /// on its way and calls `done` with the answer.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if it has none with this id.
    pub fn test_own_webhook(
        &self,
        caller: &Caller,
        name: &str,
        done: WebhookDone,
    ) -> Result<(), OperatorError> {
        self.test_by(&Operator::of(caller), name, Some(caller.organisation_id), done)
    }

    fn test_by(
        &self,
        by: &Operator,
        name: &str,
        of: Option<i64>,
        done: WebhookDone,
    ) -> Result<(), OperatorError> {
        let (tested, number) = (name.to_owned(), self.random.number());
        let message = self.run_audited(by, AuditAction::WebhookTested, move |tx, clock| {
            let at = clock.now();
            let Some(webhook) = own(tx.webhook(&tested)?, of) else { return Err(missing(&tested)) };
            let secrets = tx.webhook_secrets(webhook.id, at)?;
            let message = Message::new(&webhook.name, &webhook.url, secrets, test_event(at, number));
            Ok((message, audited(&webhook)))
        })?;
        self.webhooks.send(message.sign(self.clock.now())?, done);
        Ok(())
    }

    fn change_by(
        &self,
        by: &Operator,
        action: AuditAction,
        name: &str,
        of: Option<i64>,
        change: impl FnOnce(&mut dyn Tx, &mut Webhook, DateTime<Utc>) -> Result<Detail, OperatorError>
        + Send
        + 'static,
    ) -> Result<Webhook, OperatorError> {
        let change = move |tx: &mut dyn Tx, webhook: &mut Webhook, at| Ok(((), change(tx, webhook, at)?));
        Ok(self.change_with(by, action, name, of, change)?.0)
    }

    /// Changes a locked webhook.
    fn change_with<T: Send + 'static>(
        &self,
        by: &Operator,
        action: AuditAction,
        name: &str,
        of: Option<i64>,
        change: impl FnOnce(&mut dyn Tx, &mut Webhook, DateTime<Utc>) -> Result<(T, Detail), OperatorError>
        + Send
        + 'static,
    ) -> Result<(Webhook, T), OperatorError> {
        let name = name.to_owned();
        self.run_audited(by, action, move |tx, clock| {
            let Some(found) = own(tx.webhook(&name)?, of) else { return Err(missing(&name)) };
            let Some(mut webhook) = tx.lock_webhook(found.id, true)? else { return Err(missing(&name)) };
            let (done, detail) = change(tx, &mut webhook, clock.now())?;
            if !tx.change_webhook(&webhook)? {
                return Err(StoreError::Conflict("the webhook was changed meanwhile".into()).into());
            }
            let Audited { subject, .. } = audited(&webhook);
            let detail = detail.word("webhook", &webhook.name);
            Ok(((webhook, done), Audited { subject, detail }))
        })
    }
}

fn own(webhook: Option<Webhook>, of: Option<i64>) -> Option<Webhook> {
    webhook.filter(|webhook| of.is_none_or(|organisation_id| webhook.organisation_id == organisation_id))
}

fn missing(name: &str) -> OperatorError {
    OperatorError::not_found("webhook", name)
}

/// Returns the audit entry for a webhook.
fn audited(webhook: &Webhook) -> Audited {
    let detail = Detail::default().word("webhook", &webhook.name);
    Audited { subject: Subject::organisation(webhook.organisation_id), detail }
}
