use crate::App;
use crate::account::shown_time;
use crate::auth::Caller;
use crate::port::{
    CauseCount, Hold, MinuteCount, PAUSE, Reconciliation, RefusedFigures, Rows, StateCount, StoreError,
    Supplier, read,
};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::{Code, ExternalAccountNumber, Level, SupplierCode, SupplierStatus, Word, Zone};
use cutover_model::rust_decimal::Decimal;
use cutover_model::{Others, StatusCounts, SupplierProgress, TopCause as ShownCause};
use cutover_process::State;

/// Maximum number of errors or warnings, and of example accounts of each.
const CAUSES: usize = 10;
const EXAMPLES: u32 = 3;
/// Longest part of a stretch that the rate is computed from, which bounds the minutes to read.
const LONGEST_STRETCH: TimeDelta = TimeDelta::hours(24);

/// Progress of a supplier's migration (contract D12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Number of accounts in each known state, followed by states of newer versions.
    pub counts: Vec<StatusCount>,
    /// The most frequent errors, the most frequent first; at most ten.
    pub top_errors: Vec<TopCause>,
    /// The errors beside these.
    pub other_errors: Others,
    /// The most frequent warnings, the most frequent first; at most ten.
    pub top_warnings: Vec<TopCause>,
    /// The warnings beside these.
    pub other_warnings: Others,
    /// Number of accounts per minute that were imported, ended a dry run or failed since the current stretch of
    /// work began, with one decimal place; 0 if there is none.
    pub rate_per_minute: Decimal,
    /// Estimated time at which no account waits any more; `None` if none waits, the rate is zero, or the
    /// supplier is held or not Ongoing.
    pub estimated_finish_at: Option<DateTime<Utc>>,
    /// Totals of the imported accounts, with all additions, beside those that were sent and declared (contract D17).
    pub reconciliation: Reconciliation,
    /// Figures of accounts whose create was refused, and which were not accepted since (contract D13).
    pub refused: RefusedFigures,
    /// The hold of its imports, if they are held (contract D16).
    pub hold: Option<Hold>,
    /// The zone of the datetimes shown.
    pub zone: Zone,
}

/// Number of accounts in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCount {
    /// The state as stored.
    pub stored: Word<State>,
    /// The state in which the API counts them.
    pub status: State,
    /// Their number.
    pub accounts: u64,
    /// The number of those among them that are cancelled because their import was undone.
    pub undone: u64,
}

impl StatusCount {
    /// Sums the counts by state, without zero counts.
    pub(crate) fn of(counts: &[StateCount]) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::new();
        for count in counts {
            let status = count.nearest();
            let is_same = |sum: &&mut Self| sum.stored == count.state && sum.status == status;
            let undone = if count.is_undone { count.processes } else { 0 };
            match sums.iter_mut().find(is_same) {
                Some(sum) => {
                    sum.accounts += count.processes;
                    sum.undone += undone;
                }
                None => {
                    let accounts = count.processes;
                    sums.push(Self { stored: count.state.clone(), status, accounts, undone });
                }
            }
        }
        sums
    }
}

/// An error or a warning that accounts have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopCause {
    /// The code, which may be a newer version's.
    pub code: Word<Code>,
    /// The pattern of its path; `None` if it is about no part of the payload.
    pub attr: Option<String>,
    /// Number of accounts that have it.
    pub count: u64,
    /// Examples, the first created first; at most three.
    pub examples: Vec<ExternalAccountNumber>,
}

impl App {
    /// Returns the progress of a supplier's migration; `None` if the organisation has no such supplier. The
    /// cost does not depend on the number of accounts.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be read.
    pub fn progress(&self, caller: &Caller, supplier: &str) -> Result<Option<Progress>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        self.record_refused_for(caller, &code);
        // One snapshot, so that the counts and the totals agree.
        read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            progress(tx, &supplier, self.clock.now()).map(Some)
        })
    }
}

/// Returns the progress of a supplier's migration.
pub(crate) fn progress(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    now: DateTime<Utc>,
) -> Result<Progress, StoreError> {
    let states = tx.state_counts(supplier.id)?;
    let counts = counted(&states);
    let waiting = accounts(&counts, State::Pending) + accounts(&counts, State::InProgress);
    let pace = Pace::of(&tx.minute_counts(supplier.id, now - LONGEST_STRETCH)?, now);
    let hold = tx.hold(supplier.id)?;
    let goes_on = supplier.settings.status == SupplierStatus::Ongoing && hold.is_none();
    let (top_errors, other_errors) = top_causes(tx, supplier.id, Level::Error)?;
    let (top_warnings, other_warnings) = top_causes(tx, supplier.id, Level::Warning)?;
    Ok(Progress {
        counts,
        top_errors,
        other_errors,
        top_warnings,
        other_warnings,
        rate_per_minute: pace.per_minute(),
        estimated_finish_at: pace.end_of(waiting, now).filter(|_| goes_on),
        reconciliation: tx.reconciliation(supplier.id)?,
        refused: super::refused::figures(tx, supplier.id)?,
        hold,
        zone: supplier.settings.time_zone,
    })
}

/// Counts every known state, also with zero, and adds the counts of unknown ones.
fn counted(counts: &[StateCount]) -> Vec<StatusCount> {
    let (known, newer): (Vec<_>, Vec<_>) =
        StatusCount::of(counts).into_iter().partition(|count| count.stored.known().is_some());
    let of_state = |state: &State| {
        let found = known.iter().find(|count| count.stored == *state);
        StatusCount {
            stored: (*state).into(),
            status: *state,
            accounts: found.map_or(0, |count| count.accounts),
            undone: found.map_or(0, |count| count.undone),
        }
    };
    State::ALL.iter().map(of_state).chain(newer).collect()
}

/// Returns the number of accounts in a state of the contract.
pub(crate) fn accounts(counts: &[StatusCount], state: State) -> u64 {
    counts.iter().filter(|count| count.status == state).map(|count| count.accounts).sum()
}

/// Returns the most frequent causes, and the number of the others. Codes and patterns of paths bound how many there are.
fn top_causes(
    tx: &mut dyn Rows,
    supplier_id: i64,
    level: Level,
) -> Result<(Vec<TopCause>, Others), StoreError> {
    let mut top = tx.top_causes(supplier_id, level, u32::MAX)?;
    let others = Others::beyond(&mut top, CAUSES, |cause| cause.accounts);
    let with_examples = |CauseCount { cause, accounts }| {
        let examples = tx.accounts_with(supplier_id, level, &cause, EXAMPLES)?;
        Ok(TopCause { code: Word::read(&cause.code), attr: cause.attr, count: accounts, examples })
    };
    Ok((top.into_iter().map(with_examples).collect::<Result<_, StoreError>>()?, others))
}

/// Number of accounts that ended in the current stretch of work, and its length.
pub(crate) struct Pace {
    ended: u64,
    milliseconds: u64,
}

impl Pace {
    /// Computes the pace of the current stretch from the counts of minutes, oldest first. Steps later than now
    /// are ignored: the clock was set back.
    fn of(counts: &[MinuteCount], now: DateTime<Utc>) -> Self {
        let (mut ended, mut begin) = (0, now);
        for count in counts.iter().rev().filter(|count| count.first_at <= now) {
            if begin - count.last_at > PAUSE {
                break;
            }
            ended += count.processes;
            begin = begin.min(count.first_at);
        }
        Self { ended, milliseconds: u64::try_from((now - begin).num_milliseconds()).unwrap_or(0).max(1_000) }
    }

    /// Returns the pace of the last stretch of work; `None` if no account has ended. While imports go on the stretch
    /// lasts until now, otherwise until its last account ended.
    pub(crate) fn last(
        tx: &mut dyn Rows,
        supplier_id: i64,
        goes_on: bool,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, StoreError> {
        let Some(minute) = tx.last_minute(supplier_id)? else { return Ok(None) };
        let counts = tx.minute_counts(supplier_id, minute.min(now) - LONGEST_STRETCH)?;
        Ok(Self::of_last(&counts, goes_on, now))
    }

    fn of_last(counts: &[MinuteCount], goes_on: bool, now: DateTime<Utc>) -> Option<Self> {
        let last = counts.iter().rev().find(|count| count.first_at <= now)?;
        let is_current = goes_on && now - last.last_at <= PAUSE;
        Some(Self::of(counts, if is_current { now } else { last.last_at.min(now) }))
    }

    /// Returns the time in which a number of accounts end.
    pub(crate) fn time_for(&self, accounts: u64) -> Option<TimeDelta> {
        let time = u128::from(accounts) * u128::from(self.milliseconds) / u128::from(self.ended.max(1));
        TimeDelta::try_milliseconds(i64::try_from(time).ok()?)
    }

    pub(crate) fn per_minute(&self) -> Decimal {
        let mut rate = (Decimal::from(self.ended) * Decimal::from(60_000) / Decimal::from(self.milliseconds))
            .round_dp(1);
        rate.rescale(1);
        rate
    }

    /// Returns the time at which the waiting accounts will have ended; `None` if none waits or none ended.
    fn end_of(&self, waiting: u64, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        if waiting == 0 || self.ended == 0 {
            return None;
        }
        now.checked_add_signed(self.time_for(waiting)?)
    }
}

/// Returns the body of a progress answer.
pub fn shown_progress(progress: &Progress) -> SupplierProgress {
    let cause = |cause: &TopCause| ShownCause {
        code: cause.code.clone(),
        attr: cause.attr.clone(),
        count: cause.count,
        examples: cause.examples.iter().map(ToString::to_string).collect(),
    };
    SupplierProgress {
        counts: StatusCounts::new(|state| accounts(&progress.counts, state)),
        undone: progress.counts.iter().map(|count| count.undone).sum(),
        top_errors: progress.top_errors.iter().map(cause).collect(),
        other_errors: progress.other_errors,
        top_warnings: progress.top_warnings.iter().map(cause).collect(),
        other_warnings: progress.other_warnings,
        rate_per_minute: progress.rate_per_minute.to_string(),
        estimated_finish_at: progress.estimated_finish_at.map(|at| shown_time(progress.zone.local(at))),
        totals: progress.reconciliation.imported.into(),
        refused: super::shown_refused(&progress.refused),
        hold: progress.hold.as_ref().map(|hold| hold.shown(progress.zone)),
        manifest: super::shown_reconciliation(&progress.reconciliation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rate after ends of accounts, in seconds after 12:00.
    fn rate(ends: &[i64], now: i64) -> String {
        let at = |seconds| DateTime::from_timestamp(1_795_003_200 + seconds, 0).unwrap();
        let minutes = ends.chunk_by(|one, other| one / 60 == other / 60);
        let count = |ends: &[i64]| MinuteCount {
            minute: at(ends[0] / 60 * 60),
            state: State::Processed.into(),
            processes: ends.len() as u64,
            first_at: at(ends[0]),
            last_at: at(*ends.last().unwrap()),
        };
        let counts: Vec<_> = minutes.map(count).collect();
        Pace::of(&counts, at(now)).per_minute().to_string()
    }

    #[test]
    fn the_rate_is_that_of_the_current_stretch() {
        // Ten seconds at the end of a minute count as ten seconds.
        assert_eq!(rate(&[50, 52, 54, 56, 58], 60), "30.0");
        // One a minute for an hour, of which the last five minutes had none.
        let hour: Vec<i64> = (0..60).map(|minute| minute * 60).collect();
        assert_eq!(rate(&hour, 3_600), "1.0");
        assert_eq!(rate(&hour, 59 * 60 + 300), "0.9");
        assert_eq!(rate(&hour, 59 * 60 + 301), "0.0");
        // A pause of more than five minutes begins a new stretch, one of five does not.
        assert_eq!(rate(&[0, 1, 2, 302, 303], 332), "0.9");
        assert_eq!(rate(&[0, 1, 2, 303, 304], 333), "4.0");
        assert_eq!(rate(&[], 30), "0.0");
    }

    #[test]
    fn the_last_stretch_ends_with_its_last_account_unless_it_goes_on() {
        let at = |seconds: i64| DateTime::from_timestamp(1_795_003_200 + seconds, 0).unwrap();
        let count = |first, last, processes| MinuteCount {
            minute: at(first / 60 * 60),
            state: State::Processed.into(),
            processes,
            first_at: at(first),
            last_at: at(last),
        };
        let counts = [count(0, 59, 9), count(600, 610, 5)];
        let rate =
            |goes_on, now| Pace::of_last(&counts, goes_on, at(now)).map(|pace| pace.per_minute().to_string());
        assert_eq!(rate(false, 630).as_deref(), Some("30.0"));
        assert_eq!(rate(true, 630).as_deref(), Some("10.0"));
        assert_eq!(rate(true, 90_000).as_deref(), Some("30.0"));
        assert_eq!(Pace::of_last(&[], true, at(0)).map(|pace| pace.ended), None);
        let pace = Pace::of_last(&counts, false, at(630)).unwrap();
        assert_eq!(pace.time_for(100), Some(TimeDelta::seconds(200)));
    }

    #[test]
    fn minutes_in_the_future_do_not_count() {
        assert_eq!(rate(&[0, 30, 3_600], 60), "2.0");
        assert_eq!(rate(&[3_600], 30), "0.0");
    }
}
