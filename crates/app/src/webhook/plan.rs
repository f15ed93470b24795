//! Moves webhooks through the feed: one transaction adds deliveries and moves the position, so that no event
//! is lost.

use crate::App;
use crate::fault::{self, Point};
use crate::port::{
    ActiveWebhook, FeedFilter, FeedPosition, PageLimit, Rows, StoreError, read_committed, write,
};
use chrono::{DateTime, Duration, Utc};

/// Maximum number of open deliveries of a webhook. While it has as many, its events stay in the feed.
pub(crate) const BACKLOG: u32 = 1_000;
/// Maximum number of events that are read in one transaction.
const PAGE: u32 = 250;
/// Events of one transaction are published in its order, but their times may differ from that order by as much: a
/// transaction may take long, and clocks differ.
const DISORDER: Duration = Duration::hours(1);

impl App {
    /// Returns the webhooks with open deliveries or unread events, and those of them with unread events.
    pub(crate) fn webhooks_with_news(&self) -> Result<(Vec<ActiveWebhook>, Vec<i64>), StoreError> {
        read_committed(&*self.store, |tx| {
            let active = tx.active_webhooks()?;
            let mut news = Vec::new();
            for webhook in &active {
                let page = feed_page(tx, webhook.organisation_id, Some(webhook.position), 1)?;
                if page.is_none_or(|page| page.next > webhook.position) {
                    news.push(webhook.id);
                }
            }
            Ok((active, news))
        })
    }

    /// Adds deliveries of the next events to a webhook and moves its position. Returns true if it moved.
    pub(crate) fn plan_deliveries(&self, webhook_id: i64) -> Result<bool, StoreError> {
        let now = self.clock.now();
        write(&*self.store, move |tx| {
            let webhook = tx.lock_webhook(webhook_id, false)?;
            let Some(mut webhook) = webhook.filter(|webhook| webhook.disabled.is_none()) else {
                return Ok(false);
            };
            let room = BACKLOG - tx.open_deliveries(webhook_id, BACKLOG)?;
            if room == 0 {
                return Ok(false);
            }
            let limit = room.min(PAGE);
            let page = match feed_page(tx, webhook.organisation_id, Some(webhook.position), limit)? {
                Some(page) => page,
                None => {
                    tracing::warn!(webhook = webhook.name, "events expired that a webhook was not sent");
                    webhook.missed_at = Some(now);
                    let oldest = feed_page(tx, webhook.organisation_id, None, limit)?;
                    oldest.ok_or_else(|| StoreError::Busy("events expire".into()))?
                }
            };
            let events: Vec<_> = page.events.into_iter().filter(|event| webhook.wants(event)).collect();
            tx.add_deliveries(webhook_id, &events, now)?;
            fault::reached(Point::DeliveriesAdded, "");
            let has_moved = page.next != webhook.position || webhook.missed_at == Some(now);
            webhook.position = page.next;
            webhook.replay = webhook.replay.filter(|replay| replay.to > page.next);
            if has_moved && !tx.change_webhook(&webhook)? {
                return Err(StoreError::Busy("a webhook was changed meanwhile".into()));
            }
            Ok(has_moved)
        })
    }

    /// Removes deliveries whose events have expired, and those of removed webhooks, up to a limit.
    ///
    /// # Errors
    /// [`StoreError`]; deliveries that were removed before remain so.
    pub fn clear_deliveries(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        for _ in 0..CLEARINGS {
            if !write(&*self.store, move |tx| tx.clear_deliveries(now, CLEARED))? {
                break;
            }
        }
        Ok(())
    }
}

/// Maximum number of deliveries of a webhook that one transaction removes, and of such transactions in a call: other
/// writers wait.
const CLEARED: u32 = 5_000;
const CLEARINGS: usize = 50;

fn feed_page(
    tx: &mut dyn Rows,
    organisation_id: i64,
    after: Option<FeedPosition>,
    limit: u32,
) -> Result<Option<crate::port::FeedPage>, StoreError> {
    tx.feed_page(organisation_id, &FeedFilter::default(), after, PageLimit::of(limit))
}

/// Returns a position in the feed of an organisation before all events that occurred at a time or later, found in a
/// number of reads that does not grow with the feed.
pub(crate) fn position_before(
    tx: &mut dyn Rows,
    organisation_id: i64,
    since: DateTime<Utc>,
) -> Result<Option<FeedPosition>, StoreError> {
    let end = tx.feed_end(organisation_id)?;
    let since = since.checked_sub_signed(DISORDER).unwrap_or(DateTime::<Utc>::MIN_UTC);
    let mut next = |after| -> Result<_, StoreError> {
        let page = feed_page(tx, organisation_id, after, 1)?;
        Ok(page.and_then(|page| page.events.into_iter().next()))
    };
    let Some(oldest) = next(None)? else { return Ok(None) };
    // The position just before the oldest event.
    let mut low = FeedPosition { id: oldest.position.id - 1, ..oldest.position };
    if oldest.occurred_at >= since {
        return Ok(Some(low));
    }
    let mut is_before = |position: FeedPosition| -> Result<Option<FeedPosition>, StoreError> {
        Ok(next(Some(position))?.filter(|event| event.occurred_at < since).map(|event| event.position))
    };
    // First the transaction is searched, then the event in it. An event that is too old moves the lower end to it.
    let mut high = end.written_in.saturating_add(1);
    while high - low.written_in > 1 {
        let middle = low.written_in + (high - low.written_in) / 2;
        match is_before(FeedPosition { written_in: middle, id: 0 })? {
            Some(found) => low = found,
            None => high = middle,
        }
    }
    let mut high = i64::MAX;
    while high - low.id > 1 {
        let middle = low.id + (high - low.id) / 2;
        match is_before(FeedPosition { id: middle, ..low })? {
            Some(found) if found.written_in == low.written_in => low.id = found.id,
            Some(found) => low = found,
            None => high = middle,
        }
    }
    Ok(Some(low))
}
