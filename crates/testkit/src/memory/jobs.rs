use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{AnyJobs, Job, JobKind, JobState, Jobs, StoreError};
use std::collections::BTreeSet;

/// A job with its list of processes.
#[derive(Debug, Clone)]
pub(super) struct JobRow {
    pub(super) job: Job,
    pub(super) items: BTreeSet<i64>,
}

impl Jobs for State {
    fn add_job(&mut self, job: &Job) -> Result<Job, StoreError> {
        let job = Job { id: next_id(self.jobs.len() + self.erased_jobs), ..job.clone() };
        self.jobs.push(JobRow { job: job.clone(), items: BTreeSet::new() });
        Ok(job)
    }

    fn add_job_items(&mut self, job_id: i64, process_ids: &[i64]) -> Result<u64, StoreError> {
        let Some(row) = self.jobs.iter_mut().find(|row| row.job.id == job_id) else { return Ok(0) };
        Ok(process_ids.iter().filter(|id| row.items.insert(**id)).count() as u64)
    }

    fn job_items(&mut self, job_id: i64, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        let row = self.jobs.iter().find(|row| row.job.id == job_id);
        let items = row.iter().flat_map(|row| row.items.range(after + 1..));
        Ok(items.take(limit as usize).copied().collect())
    }

    fn clear_job_items(&mut self, prepared_before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        let is_cleared = |job: &Job| {
            job.state == JobState::Done
                || job.state == JobState::Preparing && job.created_at < prepared_before
        };
        let mut rows = self.jobs.iter_mut();
        let Some(row) = rows.find(|row| is_cleared(&row.job) && !row.items.is_empty()) else {
            return Ok(false);
        };
        for _ in 0..limit {
            row.items.pop_first();
        }
        Ok(true)
    }

    fn erasure_of(&mut self, supplier_id: i64) -> Result<Option<Job>, StoreError> {
        let mut jobs = self.jobs.iter().map(|row| &row.job).filter(|job| job.supplier_id == supplier_id);
        let found = jobs.find(|job| job.kind == JobKind::EraseSupplier && job.state != JobState::Done);
        Ok(found.cloned())
    }

    fn lock_job(&mut self, id: i64, _: bool) -> Result<Option<Job>, StoreError> {
        Ok(self.jobs.iter().find(|row| row.job.id == id).map(|row| row.job.clone()))
    }

    fn change_job(&mut self, job: &Job) -> Result<bool, StoreError> {
        let same = |row: &&mut JobRow| row.job.id == job.id && row.job.version == job.version;
        let Some(row) = self.jobs.iter_mut().find(same) else { return Ok(false) };
        row.job = Job { version: job.version + 1, ..job.clone() };
        Ok(true)
    }

    fn release_jobs(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError> {
        let running = self.jobs.iter_mut().filter(|row| row.job.state == JobState::Running);
        let released = running.map(|row| {
            row.job.due_at = Some(at);
            row.job.version += 1;
        });
        Ok(released.count())
    }
}

impl AnyJobs for State {
    fn job(&mut self, name: &str) -> Result<Option<Job>, StoreError> {
        Ok(self.jobs.iter().find(|row| row.job.name == name).map(|row| row.job.clone()))
    }

    fn jobs(&mut self, organisation_id: Option<i64>, limit: u32) -> Result<Vec<Job>, StoreError> {
        let all = self.jobs.iter().rev().map(|row| row.job.clone());
        let own = all.filter(|job| organisation_id.is_none_or(|id| job.organisation_id == id));
        Ok(own.take(limit as usize).collect())
    }

    fn due_job(&mut self, at: DateTime<Utc>) -> Result<Option<Job>, StoreError> {
        let due = self.jobs.iter().filter(|row| row.job.due_at.is_some_and(|due| due <= at));
        Ok(due.min_by_key(|row| (row.job.due_at, row.job.id)).map(|row| row.job.clone()))
    }
}
