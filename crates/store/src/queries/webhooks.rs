//! Webhooks and their deliveries.

use super::dialect::{Conn, Db, Dialect};
use super::feed;
use super::schema::{organisations, webhook_deliveries, webhook_secrets, webhooks};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Timestamp, instant};
use super::{SqlTx, changed, number};
use crate::error::{Error, Result};
use crate::schema::columns;
use crate::sealed::{Location, SealedTable, Sealer};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ActiveWebhook, AnyWebhooks, Delivery, DeliveryState, Disabled, FeedEvent, FeedPosition, NewWebhook,
    Replay, StoreError, Webhook, WebhookFigures, WebhookSecret, Webhooks,
};
use cutover_core::Word;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use std::borrow::Cow;

/// Separator of types, which do not contain it.
const SEPARATOR: &str = ",";

condition!(
    /// The delivery waits or is being sent.
    IsOpen = "webhook_deliveries.due_at IS NOT NULL"
);

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks)]
struct WebhookRow {
    id: i64,
    name: String,
    organisation_id: i64,
    #[diesel(select_expression = organisations::name)]
    organisation: String,
    url: String,
    types: Option<String>,
    created_at: Timestamp,
    disabled_at: Option<Timestamp>,
    disabled_reason: Option<String>,
    disabled_detail: Option<String>,
    written_in: i64,
    event_id: i64,
    replay_since: Option<Timestamp>,
    replay_written_in: Option<i64>,
    replay_event_id: Option<i64>,
    missed_at: Option<Timestamp>,
    version: i64,
}

impl TryFrom<WebhookRow> for Webhook {
    type Error = Error;

    fn try_from(row: WebhookRow) -> Result<Self> {
        let disabled = match instant(row.disabled_at)? {
            Some(at) => {
                let reason = Word::read(&row.disabled_reason.unwrap_or_default());
                Some(Disabled { at, reason, detail: row.disabled_detail })
            }
            None => None,
        };
        let replay = match (instant(row.replay_since)?, row.replay_written_in, row.replay_event_id) {
            (Some(since), Some(written_in), Some(id)) => {
                Some(Replay { since, to: FeedPosition { written_in, id } })
            }
            _ => None,
        };
        let types = row.types.iter().flat_map(|types| types.split(SEPARATOR)).map(Word::read).collect();
        Ok(Self {
            id: row.id,
            name: row.name,
            organisation_id: row.organisation_id,
            organisation: row.organisation,
            url: row.url,
            types,
            created_at: row.created_at.instant()?,
            disabled,
            position: FeedPosition { written_in: row.written_in, id: row.event_id },
            replay,
            missed_at: instant(row.missed_at)?,
            version: row.version,
        })
    }
}

/// The columns of a webhook that change.
#[derive(AsChangeset)]
#[diesel(table_name = webhooks, treat_none_as_null = true)]
struct WebhookChange<'a> {
    disabled_at: Option<Timestamp>,
    disabled_reason: Option<&'a str>,
    disabled_detail: Option<&'a str>,
    written_in: i64,
    event_id: i64,
    replay_since: Option<Timestamp>,
    replay_written_in: Option<i64>,
    replay_event_id: Option<i64>,
    missed_at: Option<Timestamp>,
    version: i64,
}

impl<'a> From<&'a Webhook> for WebhookChange<'a> {
    fn from(webhook: &'a Webhook) -> Self {
        let (disabled, replay) = (webhook.disabled.as_ref(), webhook.replay);
        Self {
            disabled_at: disabled.map(|disabled| disabled.at.into()),
            disabled_reason: disabled.map(|disabled| disabled.reason.as_str()),
            disabled_detail: disabled.and_then(|disabled| disabled.detail.as_deref()),
            written_in: webhook.position.written_in,
            event_id: webhook.position.id,
            replay_since: replay.map(|replay| replay.since.into()),
            replay_written_in: replay.map(|replay| replay.to.written_in),
            replay_event_id: replay.map(|replay| replay.to.id),
            missed_at: webhook.missed_at.map(Timestamp::from),
            version: webhook.version + 1,
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_secrets)]
struct SecretRow {
    position: i64,
    /// Sealed if there is an encryption key.
    secret: String,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
}

fn location(webhook_id: i64, number: i64) -> Location<'static> {
    Location::Row { table: SealedTable::WebhookSecrets.as_str(), owner: webhook_id, position: number }
}

fn insert_secret(conn: &mut Conn, sealer: &Sealer, webhook_id: i64, secret: &WebhookSecret) -> Result<()> {
    diesel::insert_into(webhook_secrets::table)
        .values((
            webhook_secrets::webhook_id.eq(webhook_id),
            webhook_secrets::position.eq(secret.number),
            webhook_secrets::secret
                .eq(sealer.seal_text(location(webhook_id, secret.number), secret.keys.clone())?),
            webhook_secrets::created_at.eq(Timestamp::from(secret.created_at)),
            webhook_secrets::expires_at.eq(secret.expires_at.map(Timestamp::from)),
        ))
        .execute(conn)?;
    Ok(())
}

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = webhook_deliveries, treat_none_as_default_value = false)]
    struct DeliveryRow<'a> {
        webhook_id: i64,
        written_in: i64,
        event_id: i64,
        kind: Cow<'a, str>,
        occurred_at: Timestamp,
        state: Cow<'a, str>,
        attempts: i64,
        first_attempt_at: Option<Timestamp>,
        due_at: Option<Timestamp>,
        claim: i64,
        status: Option<i64>,
        failure: Option<Cow<'a, str>>,
        answer: Option<Vec<u8>>,
        attempted_at: Option<Timestamp>,
    }
}

impl<'a> DeliveryRow<'a> {
    /// A new delivery of an event, due at a time.
    fn added(webhook_id: i64, event: &'a FeedEvent, at: DateTime<Utc>) -> Self {
        Self {
            webhook_id,
            written_in: event.position.written_in,
            event_id: event.position.id,
            kind: event.event_type.as_str().into(),
            occurred_at: event.occurred_at.into(),
            state: DeliveryState::Pending.as_str().into(),
            attempts: 0,
            first_attempt_at: None,
            due_at: Some(at.into()),
            claim: 0,
            status: None,
            failure: None,
            answer: None,
            attempted_at: None,
        }
    }
}

impl TryFrom<DeliveryRow<'_>> for Delivery {
    type Error = Error;

    fn try_from(row: DeliveryRow<'_>) -> Result<Self> {
        Ok(Self {
            webhook_id: row.webhook_id,
            position: FeedPosition { written_in: row.written_in, id: row.event_id },
            event_type: Word::read(&row.kind),
            occurred_at: row.occurred_at.instant()?,
            state: Word::read(&row.state),
            attempts: number(row.attempts, "attempts")?,
            first_attempt_at: instant(row.first_attempt_at)?,
            due_at: instant(row.due_at)?,
            claim: row.claim,
            status: row.status.map(|status| number(status, "status")).transpose()?,
            failure: row.failure.map(Cow::into_owned),
            answer: row.answer,
            attempted_at: instant(row.attempted_at)?,
        })
    }
}

/// The columns of a delivery that change.
#[derive(AsChangeset)]
#[diesel(table_name = webhook_deliveries, treat_none_as_null = true)]
struct DeliveryChange<'a> {
    state: &'a str,
    attempts: i64,
    first_attempt_at: Option<Timestamp>,
    due_at: Option<Timestamp>,
    claim: i64,
    status: Option<i64>,
    failure: Option<&'a str>,
    answer: Option<&'a [u8]>,
    attempted_at: Option<Timestamp>,
}

impl<'a> From<&'a Delivery> for DeliveryChange<'a> {
    fn from(delivery: &'a Delivery) -> Self {
        Self {
            state: delivery.state.as_str(),
            attempts: delivery.attempts.into(),
            first_attempt_at: delivery.first_attempt_at.map(Timestamp::from),
            due_at: delivery.due_at.map(Timestamp::from),
            claim: delivery.claim,
            status: delivery.status.map(i64::from),
            failure: delivery.failure.as_deref(),
            answer: delivery.answer.as_deref(),
            attempted_at: delivery.attempted_at.map(Timestamp::from),
        }
    }
}

statement! {
    /// Enabled webhooks with the time at which the first open delivery is due.
    Active {} -> (BigInt, BigInt, BigInt, BigInt, Nullable<columns::Instant>)
        = "SELECT w.id, w.organisation_id, w.written_in, w.event_id, (SELECT d.due_at FROM webhook_deliveries d \
            WHERE d.webhook_id = w.id AND d.due_at IS NOT NULL ORDER BY d.due_at LIMIT 1) \
            FROM webhooks w JOIN organisations o ON o.id = w.organisation_id \
            WHERE w.disabled_at IS NULL AND w.removed_at IS NULL AND o.revoked_at IS NULL ORDER BY w.id"
}

statement! {
    Lock { id: i64 } -> BigInt
        = "SELECT id FROM webhooks WHERE id = " id " AND removed_at IS NULL" (Dialect::LOCK)
}

statement! {
    LockIfFree { id: i64 } -> BigInt
        = "SELECT id FROM webhooks WHERE id = " id " AND removed_at IS NULL" (Dialect::LOCK)
            (Dialect::SKIP_LOCKED)
}

statement! {
    Open { webhook_id: i64, limit: i64 } -> BigInt
        = "SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE webhook_id = " webhook_id
            " AND due_at IS NOT NULL LIMIT " limit ") AS open"
}

statement! {
    /// The oldest deliveries up to a position.
    UpTo { webhook_id: i64, written_in: i64, id: i64, limit: i64 }
        -> (BigInt, BigInt, Nullable<columns::Instant>)
        = "SELECT written_in, event_id, due_at FROM webhook_deliveries WHERE webhook_id = " webhook_id
            " AND (written_in, event_id) <= (" written_in ", " id ") ORDER BY written_in, event_id LIMIT " limit
}

statement! {
    RemoveUpTo { webhook_id: i64, written_in: i64, id: i64 }
        = "DELETE FROM webhook_deliveries WHERE webhook_id = " webhook_id
            " AND (written_in, event_id) <= (" written_in ", " id ")"
}

statement! {
    /// Deliveries before a position, the latest first.
    Before { webhook_id: i64, written_in: i64, id: i64, limit: i64 } -> (BigInt, BigInt)
        = "SELECT written_in, event_id FROM webhook_deliveries WHERE webhook_id = " webhook_id
            " AND (written_in, event_id) < (" written_in ", " id
            ") ORDER BY written_in DESC, event_id DESC LIMIT " limit
}

statement! {
    /// Numbers of enabled and of disabled webhooks.
    Counts {} -> (BigInt, BigInt)
        = "SELECT count(*) FILTER (WHERE w.disabled_at IS NULL), count(*) FILTER (WHERE w.disabled_at IS NOT NULL) \
            FROM webhooks w JOIN organisations o ON o.id = w.organisation_id \
            WHERE w.removed_at IS NULL AND o.revoked_at IS NULL"
}

statement! {
    /// Number of open deliveries of a webhook, and the time of the oldest of their events.
    Oldest { webhook_id: i64 } -> (BigInt, Nullable<columns::Instant>)
        = "SELECT count(*), min(occurred_at) FROM webhook_deliveries WHERE webhook_id = " webhook_id
            " AND due_at IS NOT NULL"
}

/// Selects webhooks with the names of their organisations.
macro_rules! webhooks {
    () => {
        webhooks::table
            .inner_join(organisations::table)
            .filter(webhooks::removed_at.is_null())
            .select(WebhookRow::as_select())
    };
}

fn webhook_by_id(conn: &mut Conn, id: i64) -> Result<Option<Webhook>> {
    let row = webhooks!().filter(webhooks::id.eq(id)).get_result(conn).optional()?;
    row.map(Webhook::try_from).transpose()
}

fn webhook_by_name(conn: &mut Conn, name: &str) -> Result<Option<Webhook>> {
    let row = webhooks!().filter(webhooks::name.eq(name)).get_result(conn).optional()?;
    row.map(Webhook::try_from).transpose()
}

fn active(conn: &mut Conn) -> Result<Vec<ActiveWebhook>> {
    let rows: Vec<(i64, i64, i64, i64, Option<Timestamp>)> = Active {}.load(conn)?;
    let active = |(id, organisation_id, written_in, event_id, first_due)| {
        Ok(ActiveWebhook {
            id,
            organisation_id,
            position: FeedPosition { written_in, id: event_id },
            first_due: instant(first_due)?,
        })
    };
    rows.into_iter().map(active).collect()
}

/// The position after every event.
const END: FeedPosition = FeedPosition { written_in: i64::MAX, id: i64::MAX };

/// Removes the oldest deliveries of a webhook up to a position. Returns true if there are more.
fn clear(conn: &mut Conn, webhook_id: i64, to: FeedPosition, at: DateTime<Utc>, limit: u32) -> Result<bool> {
    let FeedPosition { written_in, id } = to;
    let up_to = UpTo { webhook_id, written_in, id, limit: limit.into() };
    let oldest: Vec<(i64, i64, Option<Timestamp>)> = up_to.load(conn)?;
    let Some((written_in, id, _)) = oldest.last().copied() else { return Ok(false) };
    if to != END && oldest.iter().any(|(_, _, due_at)| due_at.is_some()) {
        diesel::update(webhooks::table.find(webhook_id))
            .set((
                webhooks::missed_at.eq(Some(Timestamp::from(at))),
                webhooks::version.eq(webhooks::version + 1),
            ))
            .execute(conn)?;
    }
    RemoveUpTo { webhook_id, written_in, id }.execute(conn)?;
    Ok(oldest.len() == limit as usize)
}

impl Webhooks for SqlTx<'_> {
    fn add_webhook(&mut self, new: &NewWebhook, secret: &WebhookSecret) -> Result<Webhook, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let words: Vec<&str> = new.types.iter().map(|of| of.as_str()).collect();
            diesel::insert_into(webhooks::table)
                .values((
                    webhooks::name.eq(&new.name),
                    webhooks::organisation_id.eq(new.organisation_id),
                    webhooks::url.eq(&new.url),
                    webhooks::types.eq((!words.is_empty()).then(|| words.join(SEPARATOR))),
                    webhooks::created_at.eq(Timestamp::from(new.created_at)),
                    webhooks::written_in.eq(new.position.written_in),
                    webhooks::event_id.eq(new.position.id),
                ))
                .execute(conn)?;
            let added = webhook_by_name(conn, &new.name)?;
            let added = added.ok_or_else(|| Error::corrupt("a webhook was not added"))?;
            insert_secret(conn, sealer, added.id, secret)?;
            Ok(added)
        })
    }

    fn webhook_by_id(&mut self, id: i64) -> Result<Option<Webhook>, StoreError> {
        self.run(|conn| webhook_by_id(conn, id))
    }

    fn lock_webhook(&mut self, id: i64, waits: bool) -> Result<Option<Webhook>, StoreError> {
        self.run(|conn| {
            let locked: Option<i64> = match waits {
                true => Lock { id }.get_result(conn).optional()?,
                false => LockIfFree { id }.get_result(conn).optional()?,
            };
            if locked.is_some() { webhook_by_id(conn, id) } else { Ok(None) }
        })
    }

    fn change_webhook(&mut self, webhook: &Webhook) -> Result<bool, StoreError> {
        self.run(|conn| {
            let same = webhooks::table.find(webhook.id).filter(webhooks::version.eq(webhook.version));
            let same = same.filter(webhooks::removed_at.is_null());
            Ok(changed(diesel::update(same).set(WebhookChange::from(webhook)).execute(conn)?))
        })
    }

    fn remove_webhook(&mut self, id: i64, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.run(|conn| {
            let found = webhooks::table.find(id).filter(webhooks::removed_at.is_null());
            let removed = diesel::update(found)
                .set(webhooks::removed_at.eq(Some(Timestamp::from(at))))
                .execute(conn)?;
            diesel::delete(webhook_secrets::table.filter(webhook_secrets::webhook_id.eq(id)))
                .execute(conn)?;
            Ok(changed(removed))
        })
    }

    fn webhook_secrets(&mut self, id: i64, at: DateTime<Utc>) -> Result<Vec<WebhookSecret>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let signs = webhook_secrets::expires_at.is_null();
            let signs = signs.or(webhook_secrets::expires_at.gt(Timestamp::from(at)));
            let rows: Vec<SecretRow> = webhook_secrets::table
                .filter(webhook_secrets::webhook_id.eq(id))
                .filter(signs)
                .order(webhook_secrets::position.desc())
                .select(SecretRow::as_select())
                .load(conn)?;
            let opened = |row: SecretRow| {
                Ok(WebhookSecret {
                    number: row.position,
                    keys: sealer.open_text(location(id, row.position), row.secret)?,
                    created_at: row.created_at.instant()?,
                    expires_at: instant(row.expires_at)?,
                })
            };
            rows.into_iter().map(opened).collect()
        })
    }

    fn rotate_webhook_secret(
        &mut self,
        id: i64,
        secret: &WebhookSecret,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let of_webhook = webhook_secrets::table.filter(webhook_secrets::webhook_id.eq(id));
            let created_at = Timestamp::from(secret.created_at);
            diesel::delete(of_webhook.filter(webhook_secrets::expires_at.le(created_at))).execute(conn)?;
            diesel::update(of_webhook.filter(webhook_secrets::expires_at.is_null()))
                .set(webhook_secrets::expires_at.eq(Some(Timestamp::from(expires_at))))
                .execute(conn)?;
            insert_secret(conn, sealer, id, secret)
        })
    }

    fn open_deliveries(&mut self, webhook_id: i64, limit: u32) -> Result<u32, StoreError> {
        self.run(|conn| {
            let open: i64 = Open { webhook_id, limit: limit.into() }.get_result(conn)?;
            number(open, "a number of deliveries")
        })
    }

    fn add_deliveries(
        &mut self,
        webhook_id: i64,
        events: &[FeedEvent],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.run(|conn| {
            let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
            let ids: Vec<i64> = events.iter().map(|event| event.position.id).collect();
            let there = webhook_deliveries::table
                .filter(webhook_deliveries::webhook_id.eq(webhook_id))
                .filter(
                    webhook_deliveries::written_in
                        .between(first.position.written_in, last.position.written_in),
                )
                .filter(webhook_deliveries::event_id.eq_any(ids));
            diesel::delete(there).execute(conn)?;
            let rows: Vec<_> = events.iter().map(|event| DeliveryRow::added(webhook_id, event, at)).collect();
            DeliveryRow::insert_all(&rows, conn)
        })
    }

    fn due_deliveries(
        &mut self,
        webhook_id: i64,
        at: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.run(|conn| {
            let due = webhook_deliveries::table
                .filter(webhook_deliveries::webhook_id.eq(webhook_id))
                .filter(IsOpen)
                .filter(webhook_deliveries::due_at.le(Timestamp::from(at)))
                .order((webhook_deliveries::webhook_id, webhook_deliveries::due_at))
                .limit(limit.into())
                .select(DeliveryRow::as_select());
            let rows: Vec<DeliveryRow<'static>> = for_claim!(due).load(conn)?;
            rows.into_iter().map(Delivery::try_from).collect()
        })
    }

    fn change_delivery(&mut self, delivery: &Delivery, claim: i64) -> Result<bool, StoreError> {
        self.run(|conn| {
            let FeedPosition { written_in, id } = delivery.position;
            let same = webhook_deliveries::table
                .find((delivery.webhook_id, written_in, id))
                .filter(webhook_deliveries::claim.eq(claim));
            Ok(changed(diesel::update(same).set(DeliveryChange::from(delivery)).execute(conn)?))
        })
    }

    fn restart_deliveries(&mut self, webhook_id: i64, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.run(|conn| {
            let open = webhook_deliveries::table
                .filter(webhook_deliveries::webhook_id.eq(webhook_id))
                .filter(IsOpen);
            diesel::update(open)
                .set((
                    webhook_deliveries::state.eq(DeliveryState::Pending.as_str()),
                    webhook_deliveries::attempts.eq(0),
                    webhook_deliveries::first_attempt_at.eq(None::<Timestamp>),
                    webhook_deliveries::due_at.eq(Some(Timestamp::from(at))),
                    webhook_deliveries::claim.eq(0),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn release_deliveries(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| {
            let sending = webhook_deliveries::state.eq(DeliveryState::Sending.as_str());
            let claimed = webhook_deliveries::table.filter(IsOpen).filter(sending);
            let released = diesel::update(claimed).set((
                webhook_deliveries::state.eq(DeliveryState::Pending.as_str()),
                webhook_deliveries::due_at.eq(Some(Timestamp::from(at))),
                webhook_deliveries::claim.eq(0),
            ));
            Ok(released.execute(conn)?)
        })
    }

    fn deliveries(
        &mut self,
        webhook_id: i64,
        before: Option<FeedPosition>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.run(|conn| {
            let FeedPosition { written_in, id } = before.unwrap_or(END);
            let keys: Vec<(i64, i64)> =
                Before { webhook_id, written_in, id, limit: limit.into() }.load(conn)?;
            let (Some(last), Some(first)) = (keys.first(), keys.last()) else { return Ok(Vec::new()) };
            let rows: Vec<DeliveryRow<'static>> = webhook_deliveries::table
                .filter(webhook_deliveries::webhook_id.eq(webhook_id))
                .filter(webhook_deliveries::written_in.between(first.0, last.0))
                .filter(webhook_deliveries::event_id.eq_any(keys.iter().map(|(_, id)| *id)))
                .order((webhook_deliveries::written_in.desc(), webhook_deliveries::event_id.desc()))
                .select(DeliveryRow::as_select())
                .load(conn)?;
            rows.into_iter().map(Delivery::try_from).collect()
        })
    }

    fn clear_deliveries(&mut self, at: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        self.run(|conn| {
            let all: Vec<(i64, i64, Option<Timestamp>)> = webhooks::table
                .order(webhooks::id)
                .select((webhooks::id, webhooks::organisation_id, webhooks::removed_at))
                .load(conn)?;
            let mut has_more = false;
            for (id, organisation_id, removed_at) in all {
                let is_removed = removed_at.is_some();
                let to = if is_removed { END } else { feed::expired(conn, organisation_id)? };
                let of_webhook = clear(conn, id, to, at, limit)?;
                if is_removed && !of_webhook {
                    diesel::delete(webhooks::table.find(id)).execute(conn)?;
                }
                has_more |= of_webhook;
            }
            Ok(has_more)
        })
    }

    fn webhook_figures(&mut self) -> Result<WebhookFigures, StoreError> {
        self.run(|conn| {
            let (enabled, disabled): (i64, i64) = Counts {}.get_result(conn)?;
            let mut figures = WebhookFigures {
                enabled: number(enabled, "a number of webhooks")?,
                disabled: number(disabled, "a number of webhooks")?,
                ..WebhookFigures::default()
            };
            for webhook in active(conn)? {
                let (open, oldest): (i64, Option<Timestamp>) =
                    Oldest { webhook_id: webhook.id }.get_result(conn)?;
                figures.open += number::<_, u64>(open, "a number of deliveries")?;
                figures.oldest = figures.oldest.into_iter().chain(instant(oldest)?).min();
            }
            Ok(figures)
        })
    }
}

impl AnyWebhooks for SqlTx<'_> {
    fn webhook(&mut self, name: &str) -> Result<Option<Webhook>, StoreError> {
        self.run(|conn| webhook_by_name(conn, name))
    }

    fn webhooks(&mut self, organisation_id: Option<i64>) -> Result<Vec<Webhook>, StoreError> {
        self.run(|conn| {
            let all = webhooks!().order(webhooks::id);
            let rows = match organisation_id {
                Some(of) => all.filter(webhooks::organisation_id.eq(of)).load(conn)?,
                None => all.load(conn)?,
            };
            rows.into_iter().map(Webhook::try_from).collect()
        })
    }

    fn active_webhooks(&mut self) -> Result<Vec<ActiveWebhook>, StoreError> {
        self.run(active)
    }
}
