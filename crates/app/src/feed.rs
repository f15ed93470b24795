//! The feed of events, for other systems (contract D19).

use crate::App;
use crate::auth::Caller;
use crate::port::{FeedFilter, FeedPage, FeedPosition, PageLimit, StoreError, read_committed, write};

/// Maximum number of events of an organisation that expire in one transaction: other writers wait.
const EXPIRED: u32 = 5_000;
/// Maximum number of such transactions in a call.
const EXPIRIES: usize = 50;

/// Reason why no events were returned.
#[derive(Debug, thiserror::Error)]
pub enum FeedRefused {
    /// The organisation has no supplier with the code of the filter.
    #[error("there is no such import supplier")]
    UnknownSupplier,
    /// Events after the position have expired.
    #[error("events after this position have expired")]
    Expired,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl App {
    /// Returns the events of the caller's organisation after a position, or from the oldest kept one on.
    ///
    /// # Errors
    /// [`FeedRefused`].
    pub fn feed_page(
        &self,
        caller: &Caller,
        filter: &FeedFilter,
        after: Option<FeedPosition>,
        limit: u32,
    ) -> Result<FeedPage, FeedRefused> {
        let (organisation_id, limit) = (caller.organisation_id, PageLimit::of(limit));
        read_committed(&*self.store, |tx| {
            if let Some(code) = &filter.supplier
                && tx.supplier_of(organisation_id, code)?.is_none()
            {
                return Ok(Err(FeedRefused::UnknownSupplier));
            }
            let page = tx.feed_page(organisation_id, filter, after, limit)?;
            Ok::<_, StoreError>(page.ok_or(FeedRefused::Expired))
        })?
    }

    /// Lets events expire that are older than the retention, up to a limit.
    ///
    /// # Errors
    /// [`StoreError`]; events that expired before remain so.
    pub fn expire_events(&self) -> Result<(), StoreError> {
        let before = self.clock.now() - self.settings.event_retention;
        for _ in 0..EXPIRIES {
            if !write(&*self.store, move |tx| tx.expire_events(before, EXPIRED))? {
                break;
            }
        }
        Ok(())
    }
}
