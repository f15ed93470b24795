//! What a migration night came to, for people who were not there.

use super::scope::Scoped;
use super::{Operations, OperatorError};
use crate::account::{accounts, progress};
use crate::port::{ActivityCount, ActivityKind, AuditAction, AuditFilter, AuditRecord, StoreError, Supplier};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_core::Zone;
use cutover_model::{ControlTotals, ManifestShown, Timestamp};
use cutover_process::State;
use serde::Serialize;

/// Maximum number of bars of the chart, but for one if the first is not whole.
const BARS: i64 = 240;
/// The minutes that a bar may stand for.
const WIDTHS: [i64; 10] = [1, 2, 5, 10, 15, 30, 60, 180, 360, 1_440];
/// Number of releases that are read at once.
const PAGE: u32 = 1_000;

/// What the migration of a supplier came to. All pages and files that show it are made from this.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The code of the supplier.
    pub import_supplier: String,
    /// The status of the supplier.
    pub status: String,
    /// When the summary was made.
    pub at: Timestamp,
    /// The zone of its times.
    pub time_zone: String,
    /// The time from which activity and releases are counted; `None`: from the beginning.
    pub since: Option<Timestamp>,
    /// Declared, sent and imported totals with their difference; `None` without a manifest.
    pub manifest: Option<ManifestShown>,
    /// Totals of what was sent.
    pub sent: ControlTotals,
    /// Totals of the imported accounts.
    pub imported: ControlTotals,
    /// Accounts whose create is refused now.
    pub refused: u64,
    /// Accounts that have failed now.
    pub failed: u64,
    /// Accounts that wait or are being imported now.
    pub waiting: u64,
    /// What happened since then, each time counted.
    pub activity: Vec<Happened>,
    /// The first minute in which an import ended, rehearsals apart.
    pub first_at: Option<Timestamp>,
    /// The last minute in which an import ended.
    pub last_at: Option<Timestamp>,
    /// Minutes from the first to the last, both included.
    pub duration_minutes: u64,
    /// Releases that were forced although a check said stop, oldest first.
    pub forced_releases: Vec<ForcedRelease>,
    /// Minutes that a bar of the chart stands for.
    pub bar_minutes: u64,
    /// The chart: bars without a gap, oldest first.
    pub bars: Vec<SummaryBar>,
}

/// How many times something happened to accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Happened {
    /// What happened.
    pub kind: &'static str,
    /// Number of times.
    pub accounts: u64,
}

/// A release that was forced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForcedRelease {
    /// When.
    pub at: Timestamp,
    /// By whom, as in the audit trail.
    pub by: String,
    /// The checks that said stop.
    pub checks: String,
    /// The reason that was given.
    pub because: Option<String>,
}

/// A bar of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SummaryBar {
    /// Its first minute.
    pub at: Timestamp,
    /// Accounts imported, and dry runs without errors.
    pub imported: u64,
    /// Accounts that failed, including dry runs, or were refused.
    pub failed: u64,
}

impl Operations<'_> {
    /// Returns what the migration of a supplier came to. What happened is counted since a time, or from the beginning.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn summary(&self, code: &str, since: Option<DateTime<Utc>>) -> Result<Summary, OperatorError> {
        self.app.try_to_record_refused();
        let now = self.app.clock.now();
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            Ok(read(tx, &supplier, since, now)?)
        })
    }
}

fn read(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Summary, StoreError> {
    let progress = progress(tx.rows(), supplier, now)?;
    let zone = supplier.settings.time_zone;
    let local = |at: DateTime<Utc>| Timestamp(zone.local(at));
    // A node's clock may be ahead.
    let until = now + TimeDelta::days(1);
    let counts = tx.activity(supplier.id, since.unwrap_or(DateTime::UNIX_EPOCH), until)?;
    let shown: Vec<&ActivityCount> = counts.iter().filter(|count| is_shown(count)).collect();
    let mut ended = counts.iter().filter(|count| count.kind.known().is_some_and(|kind| kind.is_end()));
    let first = ended.next();
    let ends = first.map(|first| (first.minute, ended.next_back().unwrap_or(first).minute));
    let (bar_minutes, bars) = bars(&shown, zone);
    let in_state = |state| accounts(&progress.counts, state);
    Ok(Summary {
        import_supplier: supplier.code.to_string(),
        status: supplier.settings.status.to_string(),
        at: local(now),
        time_zone: zone.name().to_owned(),
        since: since.map(local),
        manifest: crate::account::shown_reconciliation(&progress.reconciliation),
        sent: progress.reconciliation.sent.into(),
        imported: progress.reconciliation.imported.into(),
        refused: progress.refused.accounts,
        failed: in_state(State::Errored) + in_state(State::DryRunErrored),
        waiting: in_state(State::Pending) + in_state(State::InProgress),
        activity: happened(&counts),
        first_at: ends.map(|(first, _)| local(first)),
        last_at: ends.map(|(_, last)| local(last)),
        duration_minutes: ends.map_or(0, |(first, last)| minutes(last - first) + 1),
        forced_releases: forced(tx, supplier, since)?,
        bar_minutes,
        bars,
    })
}

/// Returns true for what the chart shows.
fn is_shown(count: &ActivityCount) -> bool {
    count.kind.known().is_some_and(|kind| kind.is_success() || kind.is_failure())
}

fn minutes(time: TimeDelta) -> u64 {
    u64::try_from(time.num_minutes()).unwrap_or_default()
}

/// Sums what happened by kind, also kinds of which nothing did.
fn happened(counts: &[ActivityCount]) -> Vec<Happened> {
    let sum = |kind: &ActivityKind| {
        let of_kind = counts.iter().filter(|count| count.kind == *kind);
        Happened { kind: kind.as_str(), accounts: of_kind.map(|count| count.accounts).sum() }
    };
    ActivityKind::ALL.iter().map(sum).collect()
}

/// Returns the bars of a chart, and the minutes that each stands for: as few as give at most [`BARS`].
fn bars(counts: &[&ActivityCount], zone: Zone) -> (u64, Vec<SummaryBar>) {
    let Some((first, last)) = counts.first().zip(counts.last()) else { return (1, Vec::new()) };
    let length = (last.minute - first.minute).num_minutes() + 1;
    let fits = |width: &&i64| length <= BARS * **width;
    // Beyond 240 days a bar stands for as many days as are needed.
    let width = WIDTHS.iter().find(fits).copied().unwrap_or(1_440 * (length / 1_440 / BARS + 1));
    let step = TimeDelta::minutes(width);
    let start = |at: DateTime<Utc>| at.duration_trunc(step).unwrap_or(at);
    let mut bars = Vec::new();
    let (mut at, mut left) = (start(first.minute), counts);
    while at <= last.minute {
        let (of_bar, after) = left.split_at(left.partition_point(|count| count.minute < at + step));
        let sum = |is_wanted: fn(ActivityKind) -> bool| {
            let wanted = |count: &&&ActivityCount| count.kind.known().is_some_and(|kind| is_wanted(*kind));
            of_bar.iter().filter(wanted).map(|count| count.accounts).sum()
        };
        bars.push(SummaryBar {
            at: Timestamp(zone.local(at)),
            imported: sum(ActivityKind::is_success),
            failed: sum(ActivityKind::is_failure),
        });
        (at, left) = (at + step, after);
    }
    (u64::try_from(width).unwrap_or(1), bars)
}

fn forced(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    since: Option<DateTime<Utc>>,
) -> Result<Vec<ForcedRelease>, StoreError> {
    let mut filter = AuditFilter {
        supplier_id: Some(supplier.id),
        action: Some(AuditAction::SupplierReleased),
        since,
        ..AuditFilter::default()
    };
    let mut forced = Vec::new();
    loop {
        let records = tx.audit_records(filter.clone(), PAGE)?;
        filter.before = records.last().map(|last| last.id);
        let zone = supplier.settings.time_zone;
        forced.extend(records.iter().filter_map(|record| forced_release(record, zone)));
        if records.len() < PAGE as usize {
            forced.reverse();
            return Ok(forced);
        }
    }
}

fn forced_release(record: &AuditRecord, zone: Zone) -> Option<ForcedRelease> {
    let word = |name: &str| {
        let mut facts = record.detail.facts();
        facts.find(|(other, _)| *other == name).map(|(_, fact)| fact.to_string())
    };
    Some(ForcedRelease {
        at: Timestamp(zone.local(record.at)),
        by: record.by.clone(),
        checks: word("forced")?,
        because: word("because"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(minute: i64, kind: ActivityKind, accounts: u64) -> ActivityCount {
        let minute = DateTime::from_timestamp(1_795_003_200 + 60 * minute, 0).unwrap();
        ActivityCount { minute, kind: kind.into(), accounts }
    }

    fn widths(minutes: i64) -> (u64, usize, u64) {
        let counts = [count(0, ActivityKind::Imported, 3), count(minutes - 1, ActivityKind::Refused, 4)];
        let (width, bars) = bars(&counts.iter().collect::<Vec<_>>(), Zone::UTC);
        assert_eq!(bars.iter().map(|bar| bar.failed).sum::<u64>(), 4);
        (width, bars.len(), bars[0].imported)
    }

    #[test]
    fn a_chart_has_a_bounded_number_of_bars_without_gaps() {
        assert_eq!(widths(240), (1, 240, 3));
        assert_eq!(widths(480), (2, 240, 3));
        assert_eq!(widths(481), (5, 97, 3));
        assert!(widths(1_440 * 30).1 <= BARS as usize + 1);
        assert!(widths(1_440 * 1_000).1 <= BARS as usize + 1);
        assert_eq!(bars(&[], Zone::UTC), (1, Vec::new()));
    }
}
