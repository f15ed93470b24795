//! What a transaction does for a job, and the steps of processes: retries and cancellations.

use super::select::next_of;
use crate::fault::{self, Point};
use crate::gate;
use crate::port::{
    ErasedRows, Job, JobKind, JobPosition, PageLimit, StepWrite, StoreError, StoredIssues, Tx,
};
use chrono::{DateTime, Duration, Utc};
use cutover_process::{Actor, Event, HistoryEntry, Process};
use std::collections::{HashMap, HashSet};

/// Maximum number of processes that one transaction changes: claims and creates wait for it.
const BATCH: PageLimit = PageLimit { items: 100, scanned: 1_000 };

/// What a transaction has done for a job.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Number of accounts that were changed.
    pub(super) changed: u64,
    /// Number of accounts that were left as they are.
    pub(super) skipped: u64,
    /// Number of accounts with which it failed.
    pub(super) failed: u64,
    /// Rows that were removed for good.
    pub(super) removed: Vec<ErasedRows>,
    pub(super) then: Then,
}

/// How a job goes on after a batch.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum Then {
    /// From this position.
    Continue(JobPosition),
    /// From this position, once others have ended what they do.
    Wait(JobPosition),
    /// It has ended.
    #[default]
    End,
}

impl Then {
    /// Goes on from a position; without one, the job has ended.
    pub(super) fn from_next(next: Option<JobPosition>) -> Self {
        next.map_or(Self::End, Self::Continue)
    }
}

/// Takes a step with the next processes of a job.
pub(super) fn step(
    tx: &mut dyn Tx,
    job: &Job,
    (kind, event): (JobKind, Event),
    now: DateTime<Utc>,
) -> Result<Batch, StoreError> {
    let selected = next_of(tx, job, kind, BATCH)?;
    let ids: Vec<i64> = selected.processes.iter().map(Process::id).collect();
    let mut issues: HashMap<i64, StoredIssues> = HashMap::new();
    if !ids.is_empty() {
        let all = tx.issues_of(&ids)?.into_iter();
        issues.extend(all.filter(|(.., is_archived)| !is_archived).map(|(id, issues, _)| (id, issues)));
    }
    // A step later than the job keeps the process out of it, whatever the clock does.
    let at = now.max(job.created_at + Duration::microseconds(1));
    let mut steps: Vec<(Process, HistoryEntry, StoredIssues)> = Vec::new();
    for process in selected.processes {
        // Without a payload there is nothing to try again.
        let Some(stored) = issues.remove(&process.id()) else { continue };
        if let Ok((process, entry)) = process.step(event.clone(), at, Actor::Operator) {
            // The stored errors belong to the attempt that ended.
            steps.push((process, entry, StoredIssues { errors: Vec::new(), ..stored }));
        }
    }
    let changed = write(tx, &steps)?;
    fault::reached(Point::JobStepped, "");
    let skipped = ids.len() as u64 - changed;
    Ok(Batch { changed, skipped, then: Then::from_next(selected.next), ..Batch::default() })
}

fn write(tx: &mut dyn Tx, steps: &[(Process, HistoryEntry, StoredIssues)]) -> Result<u64, StoreError> {
    if steps.is_empty() {
        return Ok(0);
    }
    let writes: Vec<StepWrite<'_>> = steps
        .iter()
        .map(|(process, entry, issues)| StepWrite { process, entry, issues: Some(issues), sent: None })
        .collect();
    let is_written = gate::step_processes(tx, &writes)?;
    let written: HashSet<i64> =
        steps.iter().zip(is_written).filter(|(_, is)| *is).map(|((process, ..), _)| process.id()).collect();
    // Read again now that the steps have locked the rows.
    let ids: Vec<i64> = written.iter().copied().collect();
    if tx.issues_of(&ids)?.iter().any(|(.., is_archived)| *is_archived) {
        return Err(StoreError::Conflict("a process was archived meanwhile".into()));
    }
    Ok(written.len() as u64)
}
