//! The check of the clock: nothing in the database is of the future.

use super::Finding;
use super::facts::Installation;
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

fn is_ahead(newest: DateTime<Utc>, now: DateTime<Utc>) -> bool {
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

pub(super) fn clock(installation: &Installation) -> Finding {
    match installation.newest_row.filter(|newest| is_ahead(*newest, installation.now)) {
        Some(newest) => Finding::stop(
            format!(
                "The clock says {}, but the database has rows of {}.",
                installation.now.format("%Y-%m-%d %H:%M UTC"),
                newest.format("%Y-%m-%d %H:%M UTC")
            ),
            "Set the clock of this machine: windows, leases and tokens depend on it.",
        ),
        None => Finding::ok("The clock is not behind the database."),
    }
}
