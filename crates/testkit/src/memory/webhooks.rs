use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ActiveWebhook, AnyWebhooks, Delivery, DeliveryState, FeedEvent, FeedPosition, NewWebhook, StoreError,
    Webhook, WebhookFigures, WebhookSecret, Webhooks,
};

/// A webhook with its secrets and deliveries.
#[derive(Debug, Clone)]
pub(super) struct WebhookRow {
    webhook: Webhook,
    is_removed: bool,
    secrets: Vec<WebhookSecret>,
    /// In the order of their events.
    deliveries: Vec<Delivery>,
}

impl State {
    fn hook(&self, id: i64) -> Option<&WebhookRow> {
        self.webhooks.iter().find(|row| row.webhook.id == id && !row.is_removed)
    }

    fn hook_mut(&mut self, id: i64) -> Option<&mut WebhookRow> {
        self.webhooks.iter_mut().find(|row| row.webhook.id == id && !row.is_removed)
    }

    fn is_revoked(&self, organisation_id: i64) -> bool {
        let organisation = self.organisations.iter().find(|organisation| organisation.id == organisation_id);
        organisation.is_none_or(|organisation| organisation.revoked_at.is_some())
    }

    fn active(&self) -> impl Iterator<Item = &WebhookRow> + Clone {
        self.webhooks.iter().filter(|row| {
            !row.is_removed && row.webhook.disabled.is_none() && !self.is_revoked(row.webhook.organisation_id)
        })
    }
}

impl Webhooks for State {
    fn add_webhook(&mut self, new: &NewWebhook, secret: &WebhookSecret) -> Result<Webhook, StoreError> {
        let organisation = self.organisations.iter().find(|of| of.id == new.organisation_id);
        let webhook = Webhook {
            id: next_id(self.webhooks.len()),
            name: new.name.clone(),
            organisation_id: new.organisation_id,
            organisation: organisation.map(|of| of.name.clone()).unwrap_or_default(),
            url: new.url.clone(),
            types: new.types.iter().map(|of| (*of).into()).collect(),
            created_at: new.created_at,
            disabled: None,
            position: new.position,
            replay: None,
            missed_at: None,
            version: 0,
        };
        let secrets = vec![secret.clone()];
        let row = WebhookRow { webhook: webhook.clone(), is_removed: false, secrets, deliveries: Vec::new() };
        self.webhooks.push(row);
        Ok(webhook)
    }

    fn webhook_by_id(&mut self, id: i64) -> Result<Option<Webhook>, StoreError> {
        Ok(self.hook(id).map(|row| row.webhook.clone()))
    }

    fn lock_webhook(&mut self, id: i64, _: bool) -> Result<Option<Webhook>, StoreError> {
        self.webhook_by_id(id)
    }

    fn change_webhook(&mut self, webhook: &Webhook) -> Result<bool, StoreError> {
        let Some(row) = self.hook_mut(webhook.id).filter(|row| row.webhook.version == webhook.version) else {
            return Ok(false);
        };
        row.webhook = Webhook { version: webhook.version + 1, ..webhook.clone() };
        Ok(true)
    }

    fn remove_webhook(&mut self, id: i64, _: DateTime<Utc>) -> Result<bool, StoreError> {
        let Some(row) = self.hook_mut(id) else { return Ok(false) };
        row.is_removed = true;
        row.secrets.clear();
        Ok(true)
    }

    fn webhook_secrets(&mut self, id: i64, at: DateTime<Utc>) -> Result<Vec<WebhookSecret>, StoreError> {
        let secrets = self.hook(id).map(|row| row.secrets.clone()).unwrap_or_default();
        let signs = |secret: &WebhookSecret| secret.expires_at.is_none_or(|end| end > at);
        Ok(secrets.into_iter().filter(signs).rev().collect())
    }

    fn rotate_webhook_secret(
        &mut self,
        id: i64,
        secret: &WebhookSecret,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let Some(row) = self.hook_mut(id) else { return Ok(()) };
        row.secrets.retain(|old| old.expires_at.is_none_or(|end| end > secret.created_at));
        for old in &mut row.secrets {
            old.expires_at.get_or_insert(expires_at);
        }
        row.secrets.push(secret.clone());
        Ok(())
    }

    fn open_deliveries(&mut self, webhook_id: i64, limit: u32) -> Result<u32, StoreError> {
        let row = self.webhooks.iter().find(|row| row.webhook.id == webhook_id);
        let open = row.iter().flat_map(|row| &row.deliveries).filter(|delivery| delivery.due_at.is_some());
        Ok((open.count() as u32).min(limit))
    }

    fn add_deliveries(
        &mut self,
        webhook_id: i64,
        events: &[FeedEvent],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let Some(row) = self.hook_mut(webhook_id) else { return Ok(()) };
        row.deliveries.retain(|delivery| !events.iter().any(|event| event.position == delivery.position));
        row.deliveries.extend(events.iter().map(|event| Delivery {
            webhook_id,
            position: event.position,
            event_type: event.event_type.clone(),
            occurred_at: event.occurred_at,
            state: DeliveryState::Pending.into(),
            attempts: 0,
            first_attempt_at: None,
            due_at: Some(at),
            claim: 0,
            status: None,
            failure: None,
            answer: None,
            attempted_at: None,
        }));
        row.deliveries.sort_by_key(|delivery| delivery.position);
        Ok(())
    }

    fn due_deliveries(
        &mut self,
        webhook_id: i64,
        at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let row = self.hook(webhook_id);
        let due =
            row.iter().flat_map(|row| &row.deliveries).filter(|d| d.due_at.is_some_and(|due| due <= at));
        let mut due: Vec<Delivery> = due.cloned().collect();
        due.sort_by_key(|delivery| delivery.due_at);
        due.truncate(limit as usize);
        Ok(due)
    }

    fn change_delivery(&mut self, delivery: &Delivery, claim: i64) -> Result<bool, StoreError> {
        let row = self.webhooks.iter_mut().find(|row| row.webhook.id == delivery.webhook_id);
        let mut deliveries = row.into_iter().flat_map(|row| &mut row.deliveries);
        let found = deliveries.find(|old| old.position == delivery.position && old.claim == claim);
        Ok(found.map(|old| *old = delivery.clone()).is_some())
    }

    fn restart_deliveries(&mut self, webhook_id: i64, at: DateTime<Utc>) -> Result<(), StoreError> {
        let Some(row) = self.hook_mut(webhook_id) else { return Ok(()) };
        for delivery in row.deliveries.iter_mut().filter(|delivery| delivery.due_at.is_some()) {
            delivery.state = DeliveryState::Pending.into();
            (delivery.attempts, delivery.first_attempt_at) = (0, None);
            (delivery.due_at, delivery.claim) = (Some(at), 0);
        }
        Ok(())
    }

    fn release_deliveries(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError> {
        let all = self.webhooks.iter_mut().flat_map(|row| &mut row.deliveries);
        let claimed = all.filter(|delivery| delivery.state == DeliveryState::Sending).map(|delivery| {
            delivery.state = DeliveryState::Pending.into();
            (delivery.due_at, delivery.claim) = (Some(at), 0);
        });
        Ok(claimed.count())
    }

    fn deliveries(
        &mut self,
        webhook_id: i64,
        before: Option<FeedPosition>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let row = self.hook(webhook_id);
        let latest = row.iter().flat_map(|row| row.deliveries.iter().rev());
        let latest = latest.filter(|delivery| before.is_none_or(|before| delivery.position < before));
        Ok(latest.take(limit as usize).cloned().collect())
    }

    fn clear_deliveries(&mut self, at: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        let mut has_more = false;
        for row in &mut self.webhooks {
            let expired = self.expired_events.get(&row.webhook.organisation_id).copied().unwrap_or_default();
            let is_old = |delivery: &&Delivery| row.is_removed || delivery.position <= expired;
            let old = row.deliveries.iter().take_while(is_old).take(limit as usize).count();
            if row.deliveries.drain(..old).any(|delivery| delivery.due_at.is_some()) && !row.is_removed {
                row.webhook.missed_at = Some(at);
                row.webhook.version += 1;
            }
            has_more |= old == limit as usize;
        }
        Ok(has_more)
    }

    fn webhook_figures(&mut self) -> Result<WebhookFigures, StoreError> {
        let kept = self.webhooks.iter().filter(|row| !row.is_removed);
        let kept = kept.filter(|row| !self.is_revoked(row.webhook.organisation_id));
        let disabled = kept.filter(|row| row.webhook.disabled.is_some()).count();
        let open = self.active().flat_map(|row| &row.deliveries).filter(|delivery| delivery.due_at.is_some());
        Ok(WebhookFigures {
            enabled: self.active().count() as u64,
            disabled: disabled as u64,
            open: open.clone().count() as u64,
            oldest: open.map(|delivery| delivery.occurred_at).min(),
        })
    }
}

impl AnyWebhooks for State {
    fn webhook(&mut self, name: &str) -> Result<Option<Webhook>, StoreError> {
        let found = self.webhooks.iter().find(|row| row.webhook.name == name && !row.is_removed);
        Ok(found.map(|row| row.webhook.clone()))
    }

    fn webhooks(&mut self, organisation_id: Option<i64>) -> Result<Vec<Webhook>, StoreError> {
        let kept = self.webhooks.iter().filter(|row| !row.is_removed).map(|row| row.webhook.clone());
        Ok(kept.filter(|webhook| organisation_id.is_none_or(|id| webhook.organisation_id == id)).collect())
    }

    fn active_webhooks(&mut self) -> Result<Vec<ActiveWebhook>, StoreError> {
        let active = |row: &WebhookRow| ActiveWebhook {
            id: row.webhook.id,
            organisation_id: row.webhook.organisation_id,
            position: row.webhook.position,
            first_due: row.deliveries.iter().filter_map(|delivery| delivery.due_at).min(),
        };
        Ok(self.active().map(active).collect())
    }
}
