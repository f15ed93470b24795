use super::{PageLimit, StoreError};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, FeedEventType, ServiceAccountNumber, SupplierCode, Word, Zone};
use cutover_model::{Event, EventData, Timestamp};

/// A position in the feed of an organisation: after the event that has it. Positions order the events; an event
/// that becomes visible is after all events that were visible before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FeedPosition {
    /// The number of the transaction that wrote the event; 0 where transactions run one after another.
    pub written_in: i64,
    /// The key of the event.
    pub id: i64,
}

impl FeedPosition {
    /// Encodes the position for readers. It is not signed, since it gives access to nothing else.
    pub fn encode(self) -> String {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.written_in.to_be_bytes());
        bytes[8..].copy_from_slice(&self.id.to_be_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position of an encoded one; `None` if it is not one.
    pub fn decode(text: &str) -> Option<Self> {
        let bytes: [u8; 16] = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (written_in, id) = bytes.split_first_chunk::<8>()?;
        let number = |bytes: &[u8]| Some(i64::from_be_bytes(bytes.try_into().ok()?)).filter(|n| *n >= 0);
        Some(Self { written_in: number(written_in)?, id: number(id)? })
    }
}

/// An event to be published. Everything in it may be handed out for as long as events are kept, so it has no
/// personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFeedEvent {
    /// The store's key of the supplier, whose organisation gets the event.
    pub supplier_id: i64,
    /// Its type.
    pub event_type: FeedEventType,
    /// Time of what happened.
    pub occurred_at: DateTime<Utc>,
    /// The account's number at its previous supplier.
    pub external_account_number: Option<ExternalAccountNumber>,
    /// The account's number here.
    pub service_account_number: Option<ServiceAccountNumber>,
    /// Details by type.
    pub data: Option<EventData>,
}

/// An event as stored. Words that a newer version wrote are shown unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// Its position.
    pub position: FeedPosition,
    /// Its type.
    pub event_type: Word<FeedEventType>,
    /// Time of what happened.
    pub occurred_at: DateTime<Utc>,
    /// The code of the import supplier.
    pub supplier: String,
    /// The account's number at its previous supplier.
    pub external_account_number: Option<String>,
    /// The account's number here.
    pub service_account_number: Option<String>,
    /// Number of attempts so far, of an event of a process.
    pub attempt: Option<u32>,
    /// Details by type.
    pub data: Option<EventData>,
}

impl From<FeedEvent> for Event {
    /// Returns the event as readers get it.
    fn from(event: FeedEvent) -> Self {
        Self {
            id: event.position.encode(),
            r#type: event.event_type.to_string(),
            occurred_at: Timestamp(Zone::UTC.local(event.occurred_at)),
            import_supplier: event.supplier,
            external_account_number: event.external_account_number,
            service_account_number: event.service_account_number,
            attempt: event.attempt.map(u64::from),
            data: event.data,
        }
    }
}

/// A filter of events, which have to match all given criteria.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeedFilter {
    /// About this import supplier.
    pub supplier: Option<SupplierCode>,
    /// Of one of these types; empty means any.
    pub types: Vec<FeedEventType>,
}

impl FeedFilter {
    /// Returns true if an event matches.
    pub fn matches(&self, event: &FeedEvent) -> bool {
        let is_of_type = |of: &FeedEventType| event.event_type == *of;
        self.supplier.as_ref().is_none_or(|code| event.supplier == code.as_str())
            && (self.types.is_empty() || self.types.iter().any(is_of_type))
    }
}

/// A page of events. It may have fewer than requested, even none, although others follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The events, in their order.
    pub events: Vec<FeedEvent>,
    /// The position that the page was read to.
    pub next: FeedPosition,
    /// True if more events were there to be read.
    pub has_more: bool,
}

impl FeedPage {
    /// Returns the page of the events that match, from those that were read after a position: one more than
    /// `limit` has, if there are as many.
    pub fn read(from: FeedPosition, read: Vec<FeedEvent>, filter: &FeedFilter, limit: PageLimit) -> Self {
        let mut page = Self { events: Vec::new(), next: from, has_more: false };
        for (scanned, event) in read.into_iter().enumerate() {
            if page.events.len() == limit.items as usize || scanned == limit.scanned as usize {
                page.has_more = true;
                break;
            }
            page.next = event.position;
            if filter.matches(&event) {
                page.events.push(event);
            }
        }
        page
    }
}

/// The feed of events of each organisation (contract D19).
///
/// Each event is written in the transaction that it describes. The store publishes the events of steps itself
/// ([`Processes::step_processes`](super::Processes::step_processes) and
/// [`insert_process`](super::Processes::insert_process)), so that no use case can forget one.
pub trait Feed {
    /// Adds an event.
    fn publish(&mut self, event: &NewFeedEvent) -> Result<(), StoreError>;

    /// Returns the events of an organisation after a position, or from the oldest kept one on; `None` if events
    /// after the position have expired. Only events are returned before which none can appear any more.
    fn feed_page(
        &mut self,
        organisation_id: i64,
        filter: &FeedFilter,
        after: Option<FeedPosition>,
        limit: PageLimit,
    ) -> Result<Option<FeedPage>, StoreError>;

    /// Returns the position of the last event of an organisation that readers are shown, or of the last expired one. All
    /// that its transaction and earlier ones wrote is committed; what is committed later has later events.
    fn feed_end(&mut self, organisation_id: i64) -> Result<FeedPosition, StoreError>;

    /// Returns the event of an organisation at a position, unless it has expired.
    fn feed_event(
        &mut self,
        organisation_id: i64,
        position: FeedPosition,
    ) -> Result<Option<FeedEvent>, StoreError>;

    /// Lets the oldest events expire that occurred before a time, at most `limit` of each organisation. They are
    /// hidden at once, and removed then or later. Returns true if there are more.
    fn expire_events(&mut self, before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError>;
}
