//! Bursts of failures, from the kept counts by the minute.

use crate::port::{PAUSE, Rows, StoreError};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

/// Number of failures in a minute from which it belongs to a burst.
const AT_LEAST: u64 = 10;
/// Longest burst: one that crosses a full hour is shown as two, so that a page needs to read a bounded number of minutes.
const LONGEST: TimeDelta = TimeDelta::hours(1);
const MINUTES: u32 = 60;

/// First minute, last minute and accounts of a burst.
pub(super) type Burst = (DateTime<Utc>, DateTime<Utc>, u64);

/// Returns the bursts of failures that ended before a time, the last first, about `limit`, and the end of the last one if
/// there may be more.
pub(super) fn bursts(
    tx: &mut dyn Rows,
    supplier_id: i64,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<(Vec<Burst>, Option<DateTime<Utc>>), StoreError> {
    let hour = hour(before) + LONGEST;
    let rows = limit.saturating_add(2).saturating_mul(MINUTES);
    let minutes = tx.failing_minutes(supplier_id, AT_LEAST, hour, rows)?;
    let has_more = minutes.len() >= rows as usize;
    let mut bursts = joined(&minutes);
    if has_more {
        // Its first minutes may not have been read.
        bursts.pop();
    }
    let bound = bursts.last().map(end).filter(|_| has_more);
    bursts.retain(|burst| end(burst) < before);
    Ok((bursts, bound))
}

/// The last second of a burst: its time in a timeline, so that it comes after what has caused it.
pub(super) fn end((_, last, _): &Burst) -> DateTime<Utc> {
    *last + TimeDelta::seconds(59)
}

fn hour(at: DateTime<Utc>) -> DateTime<Utc> {
    at.duration_trunc(LONGEST).unwrap_or(at)
}

/// Joins minutes, the last first, between which there is no pause.
fn joined(minutes: &[(DateTime<Utc>, u64)]) -> Vec<Burst> {
    let is_one = |(later, _): &(DateTime<Utc>, u64), (earlier, _): &(DateTime<Utc>, u64)| {
        *later - *earlier <= PAUSE && hour(*later) == hour(*earlier)
    };
    let burst = |of: &[(DateTime<Utc>, u64)]| {
        (of[of.len() - 1].0, of[0].0, of.iter().map(|(_, accounts)| accounts).sum())
    };
    minutes.chunk_by(is_one).map(burst).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_joined_up_to_a_pause_or_a_full_hour() {
        let at = |minute: i64| DateTime::from_timestamp(1_795_003_200 + 60 * minute, 0).unwrap();
        let bursts = joined(&[(at(61), 10), (at(59), 20), (at(54), 30), (at(48), 40)]);
        assert_eq!(bursts, [(at(61), at(61), 10), (at(54), at(59), 50), (at(48), at(48), 40)]);
        assert_eq!(joined(&[]), []);
    }
}
