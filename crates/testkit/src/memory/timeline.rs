use super::State;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use cutover_app::port::{
    ActivityKind, Job, JobState, ServiceHold, StoreError, StoredCertificate, SupplierNote, Timeline,
    TimelineRange,
};
use std::cmp::Reverse;

/// Returns those rows before a time, the last first.
fn last<T>(mut rows: Vec<(DateTime<Utc>, T)>, range: TimelineRange) -> Vec<T> {
    rows.reverse();
    rows.retain(|(at, _)| *at < range.before);
    rows.sort_by_key(|(at, _)| Reverse(*at));
    rows.into_iter().take(range.limit as usize).map(|(_, row)| row).collect()
}

impl State {
    /// Counts something that happened to an account.
    pub(super) fn count_activity(&mut self, supplier_id: i64, at: DateTime<Utc>, kind: Option<ActivityKind>) {
        let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
        self.activity.extend(kind.map(|kind| (supplier_id, minute, kind)));
    }
}

impl Timeline for State {
    fn add_supplier_note(&mut self, supplier_id: i64, note: &SupplierNote) -> Result<(), StoreError> {
        self.supplier_notes.push((supplier_id, note.clone()));
        Ok(())
    }

    fn add_service_hold(&mut self, supplier_id: i64, hold: &ServiceHold) -> Result<(), StoreError> {
        self.service_holds.push((supplier_id, hold.clone()));
        Ok(())
    }

    fn supplier_notes(&mut self, range: TimelineRange) -> Result<Vec<SupplierNote>, StoreError> {
        let own = self.supplier_notes.iter().filter(|(of, _)| *of == range.supplier_id);
        Ok(last(own.map(|(_, note)| (note.at, note.clone())).collect(), range))
    }

    fn service_holds(&mut self, range: TimelineRange) -> Result<Vec<ServiceHold>, StoreError> {
        let own = self.service_holds.iter().filter(|(of, _)| *of == range.supplier_id);
        Ok(last(own.map(|(_, hold)| (hold.at, hold.clone())).collect(), range))
    }

    fn wave_begins(&mut self, range: TimelineRange) -> Result<Vec<(DateTime<Utc>, u32)>, StoreError> {
        let own = self.waves.iter().filter(|(of, ..)| *of == range.supplier_id);
        Ok(last(own.map(|(_, wave, at)| (*at, (*at, *wave))).collect(), range))
    }

    fn begun_jobs(&mut self, range: TimelineRange) -> Result<Vec<Job>, StoreError> {
        let own = self.jobs.iter().map(|row| &row.job).filter(|job| job.supplier_id == range.supplier_id);
        let begun = own.filter(|job| job.state != JobState::Preparing);
        Ok(last(begun.map(|job| (job.created_at, job.clone())).collect(), range))
    }

    fn issued_certificates(&mut self, range: TimelineRange) -> Result<Vec<StoredCertificate>, StoreError> {
        let issued = self.certificates.of(range.supplier_id).filter(|of| of.document.is_some());
        Ok(last(issued.map(|of| (of.begun_at, of.clone())).collect(), range))
    }
}
