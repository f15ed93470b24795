//! Claims jobs and works on them.

use super::batch::{self, Batch, Then};
use super::erase;
use super::erase_rehearsed;
use super::undo::{self, Extent};
use crate::App;
use crate::fault::{self, Point};
use crate::operator::{Audited, record_action};
use crate::port::{
    AuditAction, Detail, Job, JobFilter, JobKind, JobPosition, JobState, MayConflict, Operator, StoreError,
    Subject, Supplier, Tx, read_committed, write, write_with_retry,
};
use chrono::{DateTime, Duration, Utc};
use cutover_process::Event;
use std::collections::BTreeMap;

/// Time for which a claim, or a batch, gives its owner a job.
pub(crate) const LEASE: Duration = Duration::seconds(10);
/// Time after which a job that waits for others is looked at again.
const WAIT: Duration = Duration::seconds(1);

/// Result of a batch.
#[derive(Debug)]
pub(crate) enum Ran {
    /// The job after the batch. Its state tells if it has ended.
    Job(Box<Job>),
    /// The job waits for others, for a second: nothing was done.
    Waits(Box<Job>),
    /// The job was stopped, or somebody else has claimed it: nothing was done.
    Lost,
}

impl App {
    /// Claims the running job that is due first, if there is one.
    pub(crate) fn claim_due_job(&self) -> Result<Option<Job>, StoreError> {
        let now = self.clock.now();
        match read_committed(&*self.store, |tx| tx.due_job(now))? {
            Some(job) => self.claim_job(job.id),
            None => Ok(None),
        }
    }

    /// Claims a job, unless it is not running or its lease has not ended.
    pub(crate) fn claim_job(&self, id: i64) -> Result<Option<Job>, StoreError> {
        let clock = self.clock.clone();
        write(&*self.store, move |tx| {
            let now = clock.now();
            let Some(mut job) = tx.lock_job(id, false)?.filter(|job| is_due(job, now)) else {
                return Ok(None);
            };
            job.claim += 1;
            job.due_at = Some(now + LEASE);
            let claimed = tx.change_job(&job)?;
            job.version += 1;
            Ok::<_, StoreError>(claimed.then_some(job))
        })
    }

    /// Works on the next processes of a job, in one transaction that moves its position too. At the end of the job it is
    /// recorded in the audit trail.
    ///
    /// If the import of an account cannot be undone, the accounts of the batch are undone one by one, and that one is
    /// passed over and counted.
    pub(crate) fn run_batch(&self, id: i64, claim: i64) -> Result<Ran, StoreError> {
        let mut ran = Err(Stopped::AtAccount(StoreError::Failed("nothing was tried".into())));
        for extent in [Extent::Batch, Extent::One, Extent::PassOver] {
            ran = self.run_extent(id, claim, extent);
            match &ran {
                Err(Stopped::AtAccount(error)) => {
                    tracing::warn!(job = id, %error, "an import could not be undone")
                }
                _ => break,
            }
        }
        ran.map_err(Stopped::cause)
    }

    fn run_extent(&self, id: i64, claim: i64, extent: Extent) -> Result<Ran, Stopped> {
        let clock = self.clock.clone();
        let ran = write_with_retry::<_, Stopped>(&*self.store, move |tx| {
            let Some(mut job) = lock_claimed(tx, id, claim)? else { return Ok((Ran::Lost, false)) };
            let now = clock.now();
            let Some(kind) = job.kind.known().copied() else {
                let newer = StoreError::Failed("a newer version of the program began this job".into());
                return Err(newer.into());
            };
            let batch = match kind {
                JobKind::Retry => batch::step(tx, &job, (kind, Event::RetriedByOperator), now)?,
                JobKind::Cancel => batch::step(tx, &job, (kind, Event::Cancelled), now)?,
                JobKind::Undo => undo::step(tx, &job, now, extent).map_err(Stopped::of_account)?,
                JobKind::Erase => erase_rehearsed::step(tx, &job, now)?,
                JobKind::EraseSupplier => erase::step(tx, &job, now)?,
            };
            let waits = matches!(batch.then, Then::Wait(_));
            let may_be_due = !kind.removes() && batch.changed > 0;
            add(tx, &mut job, kind, batch, now)?;
            if !tx.change_job(&job)? {
                return Err(StoreError::Conflict("a job was changed meanwhile".into()).into());
            }
            job.version += 1;
            let job = Box::new(job);
            Ok((if waits { Ran::Waits(job) } else { Ran::Job(job) }, may_be_due))
        });
        let (ran, may_be_due) = ran?;
        fault::reached(Point::JobBatchDone, "");
        if let Ran::Job(job) = &ran
            && job.kind.known().is_some_and(|kind| kind.removes())
            && job.state == JobState::Done
        {
            // The rows are removed even if this fails.
            let _ = self.store.scrub();
        }
        if may_be_due {
            self.wake.notify_one();
            self.store.notify_workers();
        }
        Ok(ran)
    }

    /// Returns the lease of a job: any process can claim it at once.
    pub(crate) fn give_back_job(&self, id: i64, claim: i64) -> Result<(), StoreError> {
        let clock = self.clock.clone();
        write_with_retry(&*self.store, move |tx| {
            let Some(mut job) = lock_claimed(tx, id, claim)? else { return Ok(()) };
            job.due_at = Some(clock.now());
            tx.change_job(&job).map(|_| ())
        })
    }

    /// Removes the lists of processes of jobs that have ended, up to a limit.
    ///
    /// # Errors
    /// [`StoreError`]; what was removed before remains so.
    pub fn clear_jobs(&self) -> Result<(), StoreError> {
        let before = self.clock.now() - PREPARATION;
        for _ in 0..CLEARINGS {
            if !write(&*self.store, move |tx| tx.clear_job_items(before, CLEARED))? {
                break;
            }
        }
        Ok(())
    }
}

/// Reason why a batch was not committed.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An account of the batch cannot be read or removed.
    #[error(transparent)]
    AtAccount(StoreError),
}

impl Stopped {
    /// Distinguishes what is wrong with an account from what passes or concerns all.
    fn of_account(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt(_) | StoreError::Failed(_) => Self::AtAccount(error),
            error => Self::Store(error),
        }
    }

    fn cause(self) -> StoreError {
        match self {
            Self::Store(error) | Self::AtAccount(error) => error,
        }
    }
}

impl MayConflict for Stopped {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

/// Time after which a job that is still being prepared was left by its command.
const PREPARATION: Duration = Duration::hours(1);
/// Maximum number of items that one transaction removes, and of such transactions in a call: other writers wait.
const CLEARED: u32 = 5_000;
const CLEARINGS: usize = 50;

/// Returns a job that has not begun and selects all.
pub(crate) fn new_job(
    name: String,
    kind: JobKind,
    supplier: &Supplier,
    by: &Operator,
    created_at: DateTime<Utc>,
) -> Job {
    Job {
        id: 0,
        name,
        kind: kind.into(),
        organisation_id: supplier.organisation_id,
        supplier_id: supplier.id,
        supplier: supplier.code.to_string(),
        actor: by.to_string(),
        filter: JobFilter::default(),
        because: None,
        created_at,
        state: JobState::Preparing.into(),
        ended_at: None,
        matched: 0,
        changed: 0,
        skipped: 0,
        failed: 0,
        removed: BTreeMap::new(),
        position: JobPosition::default(),
        due_at: None,
        claim: 0,
        version: 0,
    }
}

fn is_due(job: &Job, now: DateTime<Utc>) -> bool {
    job.state == JobState::Running && job.due_at.is_some_and(|due| due <= now)
}

/// Locks a running job; `None` if it has ended, or somebody else has claimed it since.
fn lock_claimed(tx: &mut dyn Tx, id: i64, claim: i64) -> Result<Option<Job>, StoreError> {
    Ok(tx.lock_job(id, true)?.filter(|job| job.state == JobState::Running && job.claim == claim))
}

/// Adds to a job what a batch has done.
fn add(
    tx: &mut dyn Tx,
    job: &mut Job,
    kind: JobKind,
    batch: Batch,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    job.changed += batch.changed;
    job.skipped += batch.skipped;
    job.failed += batch.failed;
    for (table, rows) in batch.removed {
        *job.removed.entry(table.to_owned()).or_default() += rows;
    }
    match batch.then {
        Then::Continue(next) => (job.position, job.due_at) = (next, Some(now + LEASE)),
        Then::Wait(next) => (job.position, job.due_at) = (next, Some(now + WAIT)),
        Then::End => end(tx, job, kind, now)?,
    }
    Ok(())
}

/// Ends a job. Processes that matched and took another step before the job came to them were skipped.
fn end(tx: &mut dyn Tx, job: &mut Job, kind: JobKind, now: DateTime<Utc>) -> Result<(), StoreError> {
    job.state = JobState::Done.into();
    (job.ended_at, job.due_at) = (Some(now), None);
    job.matched = job.matched.max(job.changed + job.skipped + job.failed);
    job.skipped = job.matched - job.changed - job.failed;
    let action = match kind {
        JobKind::Retry => AuditAction::ProcessRetried,
        JobKind::Cancel => AuditAction::ProcessCancelled,
        JobKind::Erase => AuditAction::AccountErased,
        JobKind::Undo => AuditAction::ImportsUndone,
        JobKind::EraseSupplier => AuditAction::SupplierErased,
    };
    let audited = Audited { subject: subject(job), detail: detail(job) };
    record_action(tx, now, Operator::read(&job.actor), action, audited)
}

/// Returns the subject of a job for the audit trail.
pub(crate) fn subject(job: &Job) -> Subject {
    Subject { supplier_id: Some(job.supplier_id), ..Subject::organisation(job.organisation_id) }
}

/// Returns what the audit trail tells of a job.
pub(crate) fn detail(job: &Job) -> Detail {
    let detail = Detail::default()
        .word("job", &job.name)
        .word_if("status", job.filter.status.as_ref())
        .word_if("undone", (job.filter.is_undone == Some(true)).then_some("yes"))
        .word_if("error_code", job.filter.error_code.as_ref())
        .word_if("before", job.filter.before.map(|before| before.to_rfc3339()))
        .word_if("run", job.filter.run.as_ref())
        .word_if("wave", job.filter.wave)
        .word_if("since", job.filter.imported_since.map(|since| since.to_rfc3339()))
        .word_if("because", job.because.as_ref());
    if job.kind == JobKind::EraseSupplier {
        // The audit trail names the supplier by its key, which leads nowhere once the supplier is erased.
        let detail = detail.word("supplier", &job.supplier);
        return job.removed.iter().fold(detail, |detail, (table, rows)| detail.count(table, *rows));
    }
    if job.kind == JobKind::Undo {
        return detail.count("undone", job.changed).count("kept", job.skipped).count("failed", job.failed);
    }
    detail.count("matched", job.matched).count("changed", job.changed).count("skipped", job.skipped)
}
