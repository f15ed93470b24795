//! What a timeline is read from, one query each.

use super::event::{of_action, of_certificate, of_failures, of_hold, of_job, of_note, of_wave};
use super::failures::bursts;
use super::{TimelineCursor, TimelineEvent};
use crate::operator::Scoped;
use crate::port::{AuditFilter, Rows, StoreError, Supplier, TimelineRange};
use chrono::{DateTime, Utc};

/// Events of one source.
pub(super) struct Source {
    pub(super) events: Vec<TimelineEvent>,
    /// The time of the last row that was read, if there may be more before it.
    pub(super) has_more_before: Option<DateTime<Utc>>,
}

impl Source {
    /// Makes events of rows, the last first, of which there are as many as `limit` if there may be more.
    fn of<R>(
        rows: Vec<R>,
        limit: u32,
        at: impl Fn(&R) -> Option<DateTime<Utc>>,
        event: impl Fn(R) -> Option<TimelineEvent>,
    ) -> Self {
        let has_more = rows.len() >= limit as usize;
        let has_more_before = rows.last().filter(|_| has_more).and_then(at);
        Self { events: rows.into_iter().filter_map(event).collect(), has_more_before }
    }
}

/// The times and the keys of actions that were read, the last first. Keys are in the order of times but for differences of
/// clocks.
pub(super) struct AuditKeys(Vec<(DateTime<Utc>, i64)>);

impl AuditKeys {
    /// Returns the key before which the actions of the next page are, which begins before a time.
    pub(super) fn next(&self, before: DateTime<Utc>) -> Option<i64> {
        let left = self.0.iter().filter(|(at, _)| *at < before).map(|(_, id)| *id + 1).max();
        left.or_else(|| self.0.iter().map(|(_, id)| *id).min())
    }
}

pub(super) fn audit(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    from: TimelineCursor,
    limit: u32,
) -> Result<(Source, AuditKeys), StoreError> {
    let (zone, limit) = (supplier.settings.time_zone, limit.saturating_add(1));
    let filter = AuditFilter {
        supplier_id: Some(supplier.id),
        before: from.audit,
        is_without_accounts: true,
        ..AuditFilter::default()
    };
    let records = tx.audit_records(filter, limit)?;
    let keys = AuditKeys(records.iter().map(|record| (record.at, record.id)).collect());
    let source = Source::of(records, limit, |record| Some(record.at), |record| of_action(&record, zone));
    Ok((source, keys))
}

pub(super) fn others(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<Source>, StoreError> {
    let (zone, limit) = (supplier.settings.time_zone, limit.saturating_add(1));
    let range = TimelineRange { supplier_id: supplier.id, before, limit };
    let (failures, has_more_before) = bursts(tx, supplier.id, before, limit)?;
    let failures = failures.into_iter().map(|burst| of_failures(burst, zone)).collect();
    Ok(vec![
        Source { events: failures, has_more_before },
        Source::of(tx.supplier_notes(range)?, limit, |note| Some(note.at), |note| Some(of_note(note, zone))),
        Source::of(tx.service_holds(range)?, limit, |hold| Some(hold.at), |hold| Some(of_hold(hold, zone))),
        Source::of(tx.wave_begins(range)?, limit, |(at, _)| Some(*at), |wave| Some(of_wave(wave, zone))),
        Source::of(tx.begun_jobs(range)?, limit, |job| Some(job.created_at), |job| Some(of_job(&job, zone))),
        Source::of(
            tx.issued_certificates(range)?,
            limit,
            |of| Some(of.begun_at),
            |of| Some(of_certificate(&of, zone)),
        ),
    ])
}
