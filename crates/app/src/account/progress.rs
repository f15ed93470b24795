use crate::App;
use crate::account::shown_time;
use crate::auth::Caller;
use crate::port::{MinuteCount, StateCount, StoreError, Supplier, Tx, read};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::{Code, ExternalAccountNumber, SupplierCode, SupplierStatus, Word, Zone};
use cutover_model::rust_decimal::Decimal;
use cutover_model::{StatusCounts, SupplierProgress, TopError as ShownError, Totals};
use cutover_process::State;
use std::collections::BTreeMap;

/// How many errors are told, and how many accounts of each.
const ERRORS: usize = 10;
const EXAMPLES: u32 = 3;
/// Over how long a rate is: whole minutes, and what is over of this one.
const WINDOW: TimeDelta = TimeDelta::minutes(5);

/// How far a supplier's migration has come (contract D12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// How many accounts are in each state; every state is there, and those that a newer version wrote behind them.
    pub counts: Vec<StatusCount>,
    /// The errors that most accounts stand with, the most frequent first; at most ten.
    pub top_errors: Vec<TopError>,
    /// How many accounts were imported, rehearsed or failed in a minute, lately; one digit after the point.
    pub rate_per_minute: Decimal,
    /// When, at this rate, none waits any more; `None` if none waits, nothing moves, or the supplier is not
    /// Ongoing.
    pub estimated_finish_at: Option<DateTime<Utc>>,
    /// What the imported accounts come to, with all that was added to them.
    pub totals: Totals,
    /// Where times are shown.
    pub zone: Zone,
}

/// How many accounts are in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCount {
    /// The state as it is stored.
    pub stored: Word<State>,
    /// The state that the API counts them in.
    pub status: State,
    /// How many.
    pub accounts: u64,
}

impl StatusCount {
    /// The counts of states, those of one state together; states without any are left out.
    pub(crate) fn of(counts: &[StateCount]) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::new();
        for count in counts {
            let status = count.nearest();
            let is_same = |sum: &&mut Self| sum.stored == count.state && sum.status == status;
            match sums.iter_mut().find(is_same) {
                Some(sum) => sum.accounts += count.processes,
                None => sums.push(Self { stored: count.state.clone(), status, accounts: count.processes }),
            }
        }
        sums
    }
}

/// An error that accounts stand with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopError {
    /// The error, which may be a newer version's.
    pub code: Word<Code>,
    /// How many accounts stand with it.
    pub count: u64,
    /// Those that were created first; at most three.
    pub examples: Vec<ExternalAccountNumber>,
}

impl App {
    /// How far the migration of a supplier has come; `None` if there is no such supplier, or it is another
    /// organisation's. What it costs does not depend on how many accounts there are.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn progress(&self, caller: &Caller, supplier: &str) -> Result<Option<Progress>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        // One state: what is imported is in the counts exactly if it is in the totals.
        read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            progress(tx, &supplier, self.clock.now()).map(Some)
        })
    }
}

/// How far the migration of a supplier has come.
pub(crate) fn progress(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    now: DateTime<Utc>,
) -> Result<Progress, StoreError> {
    let states = tx.state_counts(supplier.id)?;
    let counts = counted(&states);
    let waiting = accounts(&counts, State::Pending) + accounts(&counts, State::InProgress);
    let pace = Pace::of(&tx.minute_counts(supplier.id, now - WINDOW + TimeDelta::minutes(1))?, now);
    let goes_on = supplier.settings.status == SupplierStatus::Ongoing;
    Ok(Progress {
        counts,
        top_errors: top_errors(tx, supplier.id, &states)?,
        rate_per_minute: pace.per_minute(),
        estimated_finish_at: pace.end_of(waiting, now).filter(|_| goes_on),
        totals: tx.totals(supplier.id)?,
        zone: supplier.settings.time_zone,
    })
}

/// Every state that is known, and what there is of others.
fn counted(counts: &[StateCount]) -> Vec<StatusCount> {
    let (known, newer): (Vec<_>, Vec<_>) =
        StatusCount::of(counts).into_iter().partition(|count| count.stored.known().is_some());
    let of_state = |state: &State| {
        let found = known.iter().find(|count| count.stored == *state);
        StatusCount {
            stored: (*state).into(),
            status: *state,
            accounts: found.map_or(0, |count| count.accounts),
        }
    };
    State::ALL.iter().map(of_state).chain(newer).collect()
}

/// Number of accounts in a state of the contract.
fn accounts(counts: &[StatusCount], state: State) -> u64 {
    counts.iter().filter(|count| count.status == state).map(|count| count.accounts).sum()
}

fn top_errors(tx: &mut dyn Tx, supplier_id: i64, counts: &[StateCount]) -> Result<Vec<TopError>, StoreError> {
    let mut by_code = BTreeMap::<&str, (&Word<Code>, u64)>::new();
    for (code, processes) in counts.iter().filter_map(|count| Some((count.error.as_ref()?, count.processes)))
    {
        by_code.entry(code.as_str()).or_insert((code, 0)).1 += processes;
    }
    let mut most: Vec<_> = by_code.into_values().collect();
    // Stable: of two that are as many, the first in the alphabet.
    most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    most.truncate(ERRORS);
    let with_examples = |(code, count)| {
        let examples = tx.failed_with(supplier_id, code, EXAMPLES)?;
        Ok(TopError { code: code.clone(), count, examples })
    };
    most.into_iter().map(with_examples).collect()
}

/// What came to an end, and in how many seconds.
struct Pace {
    ended: u64,
    seconds: u64,
}

impl Pace {
    /// Of the counts of the window. What began in it counts from the minute in which it began; what ended later than
    /// now, before the clock went back, is of no window.
    fn of(counts: &[MinuteCount], now: DateTime<Utc>) -> Self {
        let until_now = || counts.iter().filter(|count| count.minute <= now);
        let ended = until_now().map(|count| count.processes).sum();
        let elapsed = until_now().next().map_or(TimeDelta::zero(), |first| now - first.minute);
        Self { ended, seconds: u64::try_from(elapsed.num_seconds()).unwrap_or(0).max(1) }
    }

    fn per_minute(&self) -> Decimal {
        let mut rate =
            (Decimal::from(self.ended) * Decimal::from(60) / Decimal::from(self.seconds)).round_dp(1);
        rate.rescale(1);
        rate
    }

    /// When so many have ended; `None` if none wait or nothing moves.
    fn end_of(&self, waiting: u64, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        if waiting == 0 || self.ended == 0 {
            return None;
        }
        let seconds = u128::from(waiting) * u128::from(self.seconds) / u128::from(self.ended);
        now.checked_add_signed(TimeDelta::try_seconds(i64::try_from(seconds).ok()?)?)
    }
}

/// The body of a progress answer.
pub fn shown_progress(progress: &Progress) -> SupplierProgress {
    let error = |error: &TopError| ShownError {
        code: error.code.clone(),
        count: error.count,
        examples: error.examples.iter().map(ToString::to_string).collect(),
    };
    SupplierProgress {
        counts: StatusCounts::new(|state| accounts(&progress.counts, state)),
        top_errors: progress.top_errors.iter().map(error).collect(),
        rate_per_minute: progress.rate_per_minute.to_string(),
        estimated_finish_at: progress.estimated_finish_at.map(|at| shown_time(progress.zone.local(at))),
        totals: progress.totals.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of minutes, seconds from 12:00.
    fn rate(minutes: &[(i64, u64)], now: i64) -> String {
        let at = |seconds| DateTime::from_timestamp(1_795_003_200 + seconds, 0).unwrap();
        let count = |(begins, processes): &(i64, u64)| MinuteCount {
            minute: at(*begins),
            state: State::Processed.into(),
            processes: *processes,
        };
        let counts: Vec<_> = minutes.iter().map(count).collect();
        Pace::of(&counts, at(now)).per_minute().to_string()
    }

    #[test]
    fn a_clock_that_went_back_makes_no_rate() {
        assert_eq!(rate(&[(0, 30), (60, 90)], 120), "60.0");
        assert_eq!(rate(&[(0, 30), (60, 5), (120, 9_000), (3_600, 90_000)], 60), "35.0");
        assert_eq!(rate(&[(3_600, 90_000)], 30), "0.0");
        assert_eq!(rate(&[], 30), "0.0");
    }
}
