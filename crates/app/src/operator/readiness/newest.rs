//! The newest thing that an operator created, by which a clock is seen to be behind.

use crate::port::{Store, StoreError, Tx, read};
use chrono::{DateTime, TimeDelta, Utc};

/// Tolerance for rows that were written by another machine's clock.
const TOLERANCE: TimeDelta = TimeDelta::seconds(5);

/// Returns the time of the newest thing that an operator created, if the clock is behind it.
///
/// # Errors
/// [`StoreError`] if it could not be read.
pub fn newest_row_ahead(store: &dyn Store, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
    Ok(read(store, newest_row)?.filter(|newest| is_ahead(*newest, now)))
}

/// Returns true if a time is later than a clock says, by more than clocks differ.
pub(super) fn is_ahead(newest: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    newest > now + TOLERANCE
}

/// Returns the newest time at which an operator created something.
pub(super) fn newest_row(tx: &mut dyn Tx) -> Result<Option<DateTime<Utc>>, StoreError> {
    let mut times: Vec<DateTime<Utc>> = tx.organisations()?.iter().map(|of| of.created_at).collect();
    times.extend(tx.api_keys()?.iter().map(|key| key.created_at));
    times.extend(tx.suppliers(None)?.iter().map(|supplier| supplier.created_at));
    times.extend(tx.signing_keys()?.iter().map(|key| key.created_at));
    Ok(times.into_iter().max())
}
