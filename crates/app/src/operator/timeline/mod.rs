//! The timeline of a supplier: what happened to its migration, for those who take over a shift.
//!
//! Every source is read with one query, the last rows first, and joined here by time. Nothing is kept twice.

mod event;
mod failures;
mod sources;

use super::reason::check_note;
use super::scope::Scoped;
use super::{Audited, Operations, OperatorError};
use crate::port::{AuditAction, StoreError, Subject, Supplier, SupplierNote};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::{Zone, string_enum};
use cutover_model::Timestamp;
use serde::Serialize;
use sources::Source;

string_enum! {
    "a kind of event of a timeline";
    /// The kind of an event of a timeline.
    pub enum TimelineKind {
        /// A wave began.
        Wave = "wave",
        /// The imports were held, or a reason was added to the hold.
        Hold = "hold",
        /// A hold was released.
        Release = "release",
        /// Many accounts failed or were refused.
        Failures = "failures",
        /// A job began, was stopped or resumed, or ended.
        Job = "job",
        /// Settings were changed.
        Settings = "settings",
        /// A run was started or ended.
        Run = "run",
        /// A certificate was issued.
        Certificate = "certificate",
        /// A person wrote a note.
        Note = "note",
        /// Any other action of an operator.
        Action = "action",
    }
}

/// Something that happened to the migration of a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineEvent {
    /// When it happened, in the zone of the supplier.
    pub at: Timestamp,
    /// Its kind.
    pub kind: TimelineKind,
    /// What happened.
    pub text: String,
    /// Who did it, as in the audit trail; `None` for the service and for suppliers.
    pub by: Option<String>,
    /// The reason that was given.
    pub because: Option<String>,
    /// True for a release that was forced although a check said stop.
    pub is_forced: bool,
}

/// The place in a timeline after which a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineCursor {
    /// Events before this time follow.
    pub before: DateTime<Utc>,
    /// Actions with a smaller key follow; `None`: with any.
    pub audit: Option<i64>,
}

/// A page of the timeline of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelinePage {
    /// The supplier.
    pub supplier: Supplier,
    /// The events, the last first.
    pub events: Vec<TimelineEvent>,
    /// The place where the next page begins; `None` if there is none.
    pub next: Option<TimelineCursor>,
}

impl TimelineCursor {
    /// Writes the place for a link.
    pub fn encode(self) -> String {
        let audit = self.audit.map(|id| format!("-{id}")).unwrap_or_default();
        format!("{}{audit}", self.before.timestamp_micros())
    }

    /// Reads a place from a link.
    pub fn decode(text: &str) -> Option<Self> {
        let (before, audit) = match text.split_once('-') {
            Some((before, audit)) => (before, Some(audit.parse().ok()?)),
            None => (text, None),
        };
        Some(Self { before: DateTime::from_timestamp_micros(before.parse().ok()?)?, audit })
    }
}

impl Operations<'_> {
    /// Returns a page of the timeline of a supplier, the last events first, since a time and after a place. A page has
    /// about `limit` events; it may have fewer although more follow.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn timeline(
        &self,
        code: &str,
        since: Option<DateTime<Utc>>,
        after: Option<TimelineCursor>,
        limit: u32,
    ) -> Result<TimelinePage, OperatorError> {
        self.app.try_to_record_refused();
        // Clocks of nodes differ.
        let last = self.app.clock.now() + TimeDelta::days(1);
        let from = after.unwrap_or(TimelineCursor { before: last, audit: None });
        self.read(|tx| {
            let supplier = tx.supplier(code)?;
            let (events, next) = page(tx, &supplier, since, from, limit)?;
            Ok(TimelinePage { supplier, events, next })
        })
    }

    /// Writes a note into the timeline of a supplier. It is erased with the supplier.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, or the note is blank or too long.
    pub fn note_supplier(&self, code: &str, text: &str) -> Result<TimelineEvent, OperatorError> {
        let (code, text, by) = (code.to_owned(), text.trim().to_owned(), self.operator.clone());
        check_note(&text)?;
        self.act(AuditAction::SupplierNoted, move |tx, clock| {
            let supplier = tx.supplier(&code)?;
            let note = SupplierNote { at: clock.now(), by, text };
            tx.add_supplier_note(supplier.id, &note)?;
            let event = event::of_note(note, supplier.settings.time_zone);
            Ok((event, Audited::of(Subject::supplier(&supplier))))
        })
    }
}

fn page(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    since: Option<DateTime<Utc>>,
    from: TimelineCursor,
    limit: u32,
) -> Result<(Vec<TimelineEvent>, Option<TimelineCursor>), StoreError> {
    let (audit, keys) = sources::audit(tx, supplier, from, limit)?;
    let mut all = vec![audit];
    all.extend(sources::others(tx.rows(), supplier, from.before, limit)?);
    // A source that has more may have events before its last row that was read, so the page ends there.
    let bound = all.iter().filter_map(|source| source.has_more_before).max();
    let mut events: Vec<TimelineEvent> = all.into_iter().flat_map(|source: Source| source.events).collect();
    events.retain(|event| {
        let at = event.at.to_utc();
        at < from.before && since.is_none_or(|since| at >= since) && bound.is_none_or(|bound| at >= bound)
    });
    events.sort_by_key(|event| std::cmp::Reverse(event.at.to_utc()));
    let bound = bound.filter(|bound| since.is_none_or(|since| *bound > since));
    let end = end(&events, limit as usize);
    let before = if end < events.len() { Some(events[end - 1].at.to_utc()) } else { bound };
    events.truncate(end);
    let next = before.map(|before| {
        let before = before.min(from.before);
        TimelineCursor { before, audit: keys.next(before).or(from.audit) }
    });
    Ok((events, next))
}

/// Returns the number of events of a page: those of the same time stay together.
fn end(events: &[TimelineEvent], limit: usize) -> usize {
    let Some(last) = limit.checked_sub(1).and_then(|last| events.get(last)) else { return events.len() };
    limit + events[limit..].iter().take_while(|event| event.at == last.at).count()
}

/// Returns the time as it is shown in a zone.
fn local(at: DateTime<Utc>, zone: Zone) -> Timestamp {
    Timestamp(zone.local(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_and_read() {
        let before = DateTime::from_timestamp_micros(1_795_003_200_000_001).unwrap();
        for audit in [None, Some(17)] {
            let place = TimelineCursor { before, audit };
            assert_eq!(TimelineCursor::decode(&place.encode()), Some(place));
        }
        for text in ["", "-", "x", "1-", "1-x", "9223372036854775807"] {
            assert_eq!(TimelineCursor::decode(text), None, "{text:?}");
        }
    }
}
