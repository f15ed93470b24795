use super::State;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Feed, FeedEvent, FeedFilter, FeedPage, FeedPosition, NewFeedEvent, PageLimit, StoreError,
};
use cutover_model::EventData;
use cutover_process::{HistoryEntry, Process};
use std::sync::Arc;

/// An event of an organisation.
#[derive(Debug, Clone)]
pub(super) struct Published {
    organisation_id: i64,
    event: FeedEvent,
}

impl State {
    /// Publishes the event of a step, if it has one.
    pub(super) fn publish_step(&mut self, supplier_id: i64, process: &Process, entry: &HistoryEntry) {
        let Some(event_type) = entry.feed_event_type() else { return };
        let is = process.snapshot();
        let data = process.latest_error().map(EventData::error);
        let event = NewFeedEvent {
            supplier_id,
            event_type,
            occurred_at: is.modified_at,
            external_account_number: Some(is.external_account_number.clone()),
            service_account_number: entry
                .removed_account
                .clone()
                .or_else(|| is.service_account_number.clone()),
            data,
        };
        self.add_event(&event, Some(is.attempt));
    }

    fn add_event(&mut self, new: &NewFeedEvent, attempt: Option<u32>) {
        let Some(supplier) = self.suppliers.iter().find(|supplier| supplier.id == new.supplier_id) else {
            return;
        };
        let (organisation_id, supplier) = (supplier.organisation_id, supplier.code.to_string());
        self.last_event += 1;
        let event = FeedEvent {
            position: FeedPosition { written_in: 0, id: self.last_event },
            event_type: new.event_type.into(),
            occurred_at: new.occurred_at,
            supplier,
            external_account_number: new.external_account_number.as_ref().map(ToString::to_string),
            service_account_number: new.service_account_number.as_ref().map(ToString::to_string),
            attempt,
            data: new.data.clone(),
        };
        self.feed.push(Arc::new(Published { organisation_id, event }));
    }
}

impl Feed for State {
    fn publish(&mut self, event: &NewFeedEvent) -> Result<(), StoreError> {
        self.add_event(event, None);
        Ok(())
    }

    fn feed_page(
        &mut self,
        organisation_id: i64,
        filter: &FeedFilter,
        position: Option<FeedPosition>,
        limit: PageLimit,
    ) -> Result<Option<FeedPage>, StoreError> {
        let expired = self.expired_events.get(&organisation_id).copied().unwrap_or_default();
        let from = position.unwrap_or(expired);
        if from < expired {
            return Ok(None);
        }
        let own = self.feed.iter().filter(|published| published.organisation_id == organisation_id);
        let rows = own.map(|published| published.event.clone()).filter(|event| event.position > from);
        Ok(Some(FeedPage::read(from, rows.collect(), filter, limit)))
    }

    fn feed_end(&mut self, organisation_id: i64) -> Result<FeedPosition, StoreError> {
        let own = self.feed.iter().rev().find(|published| published.organisation_id == organisation_id);
        let expired = self.expired_events.get(&organisation_id).copied().unwrap_or_default();
        Ok(own.map_or(expired, |published| published.event.position))
    }

    fn feed_event(
        &mut self,
        organisation_id: i64,
        position: FeedPosition,
    ) -> Result<Option<FeedEvent>, StoreError> {
        let mut own = self.feed.iter().filter(|published| published.organisation_id == organisation_id);
        let found = own.find(|published| published.event.position == position);
        Ok(found.map(|published| published.event.clone()))
    }

    fn expire_events(&mut self, before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        let mut has_more = false;
        for organisation in self.organisations.iter().map(|organisation| organisation.id) {
            let own = self.feed.iter().filter(|published| published.organisation_id == organisation);
            let old = own.take_while(|published| published.event.occurred_at < before);
            let old: Vec<_> = old.take(limit as usize).map(|published| published.event.position).collect();
            has_more |= old.len() == limit as usize;
            if let Some(last) = old.last() {
                self.expired_events.insert(organisation, *last);
                self.feed.retain(|p| p.organisation_id != organisation || p.event.position > *last);
            }
        }
        Ok(has_more)
    }
}
