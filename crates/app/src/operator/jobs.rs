//! Use cases for jobs (contract D14). Commands act on any job, the console on those of its organisation.

use super::lookup::find;
use super::{Audited, OperatorError};
use crate::App;
use crate::auth::Caller;
use crate::job::{LEASE, Ran, detail, matching, new_job, subject};
use crate::port::{
    AuditAction, Job, JobFilter, JobKind, JobPosition, JobState, Operator, PageLimit, StoreError, Supplier,
    Tx, read_committed, write, write_with_retry,
};
use chrono::{DateTime, Utc};
use cutover_core::ExternalAccountNumber;
use cutover_process::{Process, State};
use std::collections::HashSet;
use std::time::Duration;

/// Maximum number of processes read per page of a count.
pub(super) const PAGE: u32 = 1_000;
/// Maximum number of numbers in a list.
pub(super) const MAX_NUMBERS: usize = 1_000_000;
/// Maximum number of items of a list that are stored in one transaction, or looked up in one read.
pub(super) const ITEMS: usize = 500;
/// Maximum number of jobs in a list.
const MAX_JOBS: u32 = 1_000;
/// Interval at which a command looks at a job that somebody else works on.
const LOOK: Duration = Duration::from_millis(200);

/// A bulk operation on processes of a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkRequest {
    /// The operation.
    pub kind: JobKind,
    /// Code of the supplier.
    pub supplier: String,
    /// Only processes in this state; `None` means those that have failed (retry) or wait (cancel).
    pub status: Option<State>,
    /// Only processes that ended with this error.
    pub error_code: Option<String>,
    /// Only processes whose last step was before this time.
    pub before: Option<DateTime<Utc>>,
    /// Only these accounts, in any state.
    pub numbers: Option<Vec<String>>,
}

impl BulkRequest {
    fn filter(&self) -> JobFilter {
        JobFilter {
            status: self.status.map(Into::into),
            error_code: self.error_code.clone(),
            before: self.before,
            is_list: self.numbers.is_some(),
            ..JobFilter::default()
        }
    }

    fn check(&self) -> Result<(), OperatorError> {
        if matches!(self.kind, JobKind::Undo | JobKind::EraseSupplier) {
            return Err(OperatorError::Refused("this operation does not go by processes".into()));
        }
        if let Some(status) = self.status.filter(|status| !self.kind.begins_from(*status)) {
            let doing = if self.kind == JobKind::Cancel { "cancelled" } else { "tried again" };
            return Err(OperatorError::Refused(format!("processes that are {status} cannot be {doing}")));
        }
        if self.numbers.as_ref().is_some_and(|numbers| numbers.len() > MAX_NUMBERS) {
            return Err(OperatorError::Refused(format!("there are more than {MAX_NUMBERS} numbers")));
        }
        Ok(())
    }
}

/// The worker of a job that is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOwner {
    /// The caller, who has to call [`App::run_job`] with the claim of the job.
    Caller,
    /// Any process with workers.
    Workers,
}

impl App {
    /// Counts the processes that a bulk operation matches. Changes nothing.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier, or the operation cannot begin from the status.
    pub fn count_bulk(&self, request: &BulkRequest) -> Result<u64, OperatorError> {
        self.count_bulk_of(None, request)
    }

    /// Like [`count_bulk`](Self::count_bulk), for a supplier of the caller's organisation.
    ///
    /// # Errors
    /// As `count_bulk`.
    pub fn count_own_bulk(&self, caller: &Caller, request: &BulkRequest) -> Result<u64, OperatorError> {
        self.count_bulk_of(Some(caller.organisation_id), request)
    }

    fn count_bulk_of(&self, of: Option<i64>, request: &BulkRequest) -> Result<u64, OperatorError> {
        request.check()?;
        let supplier = self.supplier_of(of, &request.supplier)?;
        Ok(self.select(&supplier, request, self.clock.now())?.0)
    }

    /// Begins a bulk operation as a job.
    ///
    /// # Errors
    /// As [`count_bulk`](Self::count_bulk).
    pub fn begin_bulk(&self, request: &BulkRequest, owner: JobOwner) -> Result<Job, OperatorError> {
        self.begin_bulk_by(&self.operator, None, request, owner)
    }

    /// Begins a bulk operation on a supplier of the caller's organisation. Workers work on it.
    ///
    /// # Errors
    /// As [`count_bulk`](Self::count_bulk).
    pub fn begin_own_bulk(&self, caller: &Caller, request: &BulkRequest) -> Result<Job, OperatorError> {
        self.begin_bulk_by(&Operator::of(caller), Some(caller.organisation_id), request, JobOwner::Workers)
    }

    fn begin_bulk_by(
        &self,
        by: &Operator,
        of: Option<i64>,
        request: &BulkRequest,
        owner: JobOwner,
    ) -> Result<Job, OperatorError> {
        request.check()?;
        let supplier = self.supplier_of(of, &request.supplier)?;
        let begun_at = self.clock.now();
        let (matched, listed) = self.select(&supplier, request, begun_at)?;
        let name = format!("job_{:016x}", self.random.number());
        let job = new_job(name, request.kind, &supplier, by, begun_at);
        self.begin_job(Job { filter: request.filter(), matched, ..job }, &listed, owner)
    }

    /// Stores a job with its list of processes, and begins it.
    pub(super) fn begin_job(&self, job: Job, listed: &[i64], owner: JobOwner) -> Result<Job, OperatorError> {
        let mut job = write(&*self.store, move |tx| tx.add_job(&job))?;
        for ids in listed.chunks(ITEMS) {
            let (id, ids) = (job.id, ids.to_vec());
            write(&*self.store, move |tx| tx.add_job_items(id, &ids))?;
        }
        job.state = JobState::Running.into();
        let now = self.clock.now();
        match owner {
            JobOwner::Caller => (job.due_at, job.claim) = (Some(now + LEASE), 1),
            JobOwner::Workers => job.due_at = Some(now),
        }
        let begun = job.clone();
        if !write(&*self.store, move |tx| tx.change_job(&begun))? {
            return Err(StoreError::Conflict("a job was changed while it was begun".into()).into());
        }
        job.version += 1;
        if owner == JobOwner::Workers {
            self.wake.notify_all();
        }
        Ok(job)
    }

    /// Works on a job until it has ended or was stopped: under a claim of the caller ([`JobOwner::Caller`]), or once it
    /// can be claimed. If another process works on it, waits for that one, and takes the job over if it stops working.
    /// Calls `progress` after each batch and at intervals.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such job; [`StoreError`]: the job goes on once its lease has ended.
    pub fn run_job(
        &self,
        name: &str,
        mut claim: Option<i64>,
        mut progress: impl FnMut(&Job),
    ) -> Result<Job, OperatorError> {
        let mut job = self.show_job(name)?;
        while job.state == JobState::Running {
            if claim.is_none() {
                claim = self.claim_job(job.id)?.map(|job| job.claim);
            }
            let ran = match claim {
                Some(claim) => Some(self.run_batch(job.id, claim)),
                None => None,
            };
            match ran {
                Some(Ok(Ran::Job(ran))) => job = *ran,
                Some(Ok(Ran::Waits(ran))) => {
                    job = *ran;
                    self.wake.sleep(LOOK, || false);
                }
                Some(Ok(Ran::Lost)) => {
                    claim = None;
                    job = self.show_job(name)?;
                }
                // Other writers may hold the lock: the batch is tried again.
                Some(Err(StoreError::Busy(_))) | None => {
                    self.wake.sleep(LOOK, || false);
                    job = self.show_job(name)?;
                }
                Some(Err(error)) => return Err(error.into()),
            }
            progress(&job);
        }
        Ok(job)
    }

    /// Returns the jobs of an organisation, or all, the last first.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation.
    pub fn jobs(&self, organisation: Option<&str>) -> Result<Vec<Job>, OperatorError> {
        let found = read_committed(&*self.store, |tx| {
            let organisation_id = match organisation {
                None => None,
                Some(name) => match tx.organisation(name)? {
                    Some(organisation) => Some(organisation.id),
                    None => return Ok(None),
                },
            };
            tx.jobs(organisation_id, MAX_JOBS).map(Some)
        })?;
        found.ok_or_else(|| OperatorError::not_found("organisation", organisation.unwrap_or_default()))
    }

    /// Returns the jobs of the caller's organisation, the last first.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn own_jobs(&self, caller: &Caller) -> Result<Vec<Job>, StoreError> {
        read_committed(&*self.store, |tx| tx.jobs(Some(caller.organisation_id), MAX_JOBS))
    }

    /// Returns a job by its id.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none.
    pub fn show_job(&self, name: &str) -> Result<Job, OperatorError> {
        let job = read_committed(&*self.store, |tx| tx.job(name))?;
        job.ok_or_else(|| OperatorError::not_found("job", name))
    }

    /// Returns a job of the caller's organisation by its id.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none.
    pub fn show_own_job(&self, caller: &Caller, name: &str) -> Result<Job, OperatorError> {
        let job = self.show_job(name)?;
        match job.organisation_id == caller.organisation_id {
            true => Ok(job),
            false => Err(OperatorError::not_found("job", name)),
        }
    }

    /// Stops a running job after its current batch. What it has changed stays changed.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such job, or it has ended.
    pub fn stop_job(&self, name: &str) -> Result<Job, OperatorError> {
        self.change_job(&self.operator, None, name, AuditAction::JobStopped)
    }

    /// Like [`stop_job`](Self::stop_job), for a job of the caller's organisation.
    ///
    /// # Errors
    /// As `stop_job`.
    pub fn stop_own_job(&self, caller: &Caller, name: &str) -> Result<Job, OperatorError> {
        let (by, of) = (Operator::of(caller), Some(caller.organisation_id));
        self.change_job(&by, of, name, AuditAction::JobStopped)
    }

    /// Resumes a job where it was stopped. Any process can claim it then.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such job, or it has ended.
    pub fn resume_job(&self, name: &str) -> Result<Job, OperatorError> {
        self.change_job(&self.operator, None, name, AuditAction::JobResumed)
    }

    /// Like [`resume_job`](Self::resume_job), for a job of the caller's organisation.
    ///
    /// # Errors
    /// As `resume_job`.
    pub fn resume_own_job(&self, caller: &Caller, name: &str) -> Result<Job, OperatorError> {
        let (by, of) = (Operator::of(caller), Some(caller.organisation_id));
        self.change_job(&by, of, name, AuditAction::JobResumed)
    }

    /// Stops or resumes a job. If it is in that state already, nothing is changed or recorded.
    fn change_job(
        &self,
        by: &Operator,
        of: Option<i64>,
        name: &str,
        action: AuditAction,
    ) -> Result<Job, OperatorError> {
        let (by, name, clock) = (by.clone(), name.to_owned(), self.clock.clone());
        let job = write_with_retry(&*self.store, move |tx| {
            let missing = || OperatorError::not_found("job", &name);
            let found = tx.job(&name)?.filter(|job| of.is_none_or(|of| job.organisation_id == of));
            let found = found.ok_or_else(missing)?;
            let mut job = tx.lock_job(found.id, true)?.ok_or_else(missing)?;
            let now = clock.now();
            let (to, due_at) = match action {
                AuditAction::JobStopped => (JobState::Stopped, None),
                _ => (JobState::Running, Some(now)),
            };
            if job.state == to {
                return Ok(job);
            }
            match job.state.known() {
                Some(JobState::Running | JobState::Stopped) => {}
                Some(JobState::Done) => return Err(OperatorError::Refused("the job has ended".into())),
                Some(JobState::Preparing) => {
                    return Err(OperatorError::Refused("the job is still being prepared".into()));
                }
                None => {
                    let newer = "a newer version of the program wrote the state of the job";
                    return Err(OperatorError::Refused(newer.into()));
                }
            }
            (job.state, job.due_at) = (to.into(), due_at);
            if !tx.change_job(&job)? {
                return Err(StoreError::Conflict("a job was changed meanwhile".into()).into());
            }
            job.version += 1;
            let audited = Audited { subject: subject(&job), detail: detail(&job) };
            super::record_action(tx, now, by.clone(), action, audited)?;
            Ok::<_, OperatorError>(job)
        })?;
        self.wake.notify_all();
        Ok(job)
    }

    /// Returns the supplier with this code, of this organisation if one is given.
    pub(super) fn supplier_of(&self, of: Option<i64>, code: &str) -> Result<Supplier, OperatorError> {
        let found = read_committed(&*self.store, |tx| find(tx, code))?;
        let own = found.filter(|supplier| of.is_none_or(|of| supplier.organisation_id == of));
        own.ok_or_else(|| OperatorError::not_found("supplier", code))
    }

    /// Returns the number of processes that a request matches, and their keys if it has a list of numbers.
    /// Returns the keys of the first processes that a bulk operation matches, by creation; all of those that a list of
    /// numbers names by their keys.
    pub(super) fn first_of_bulk(
        &self,
        supplier: &Supplier,
        request: &BulkRequest,
        most: usize,
    ) -> Result<Vec<i64>, OperatorError> {
        let begun_at = self.clock.now();
        if request.numbers.is_some() {
            let mut listed = self.select(supplier, request, begun_at)?.1;
            listed.truncate(most);
            return Ok(listed);
        }
        let (mut ids, mut position) = (Vec::new(), Some(JobPosition::default()));
        let (filter, limit) = (request.filter(), PageLimit::of(most as u32));
        while let Some(from) = position.filter(|_| ids.len() < most) {
            let by = (request.kind, &filter);
            let page =
                read_committed(&*self.store, |tx| matching(tx, supplier.id, by, begun_at, from, limit))?;
            ids.extend(page.processes.iter().map(Process::id));
            position = page.next;
        }
        ids.truncate(most);
        Ok(ids)
    }

    fn select(
        &self,
        supplier: &Supplier,
        request: &BulkRequest,
        begun_at: DateTime<Utc>,
    ) -> Result<(u64, Vec<i64>), OperatorError> {
        match &request.numbers {
            Some(numbers) if request.error_code.is_none() => {
                let listed = self.find_numbers(supplier, request, numbers, begun_at)?;
                Ok((listed.len() as u64, listed))
            }
            numbers => {
                let wanted: Option<HashSet<&str>> = numbers
                    .as_ref()
                    .map(|numbers| numbers.iter().map(|n| cutover_core::trimmed(n)).collect());
                let (mut matched, mut listed, mut position) = (0, Vec::new(), Some(JobPosition::default()));
                let filter = request.filter();
                while let Some(from) = position {
                    let by = (request.kind, &filter);
                    let limit = PageLimit::of(PAGE);
                    let page = read_committed(&*self.store, |tx| {
                        matching(tx, supplier.id, by, begun_at, from, limit)
                    })?;
                    for process in page.processes {
                        let number = process.snapshot().external_account_number.as_str();
                        match &wanted {
                            None => matched += 1,
                            Some(wanted) if wanted.contains(number) => listed.push(process.id()),
                            Some(_) => {}
                        }
                    }
                    position = page.next;
                }
                Ok((matched + listed.len() as u64, listed))
            }
        }
    }

    /// Returns the keys of the processes of accounts, without duplicates.
    fn find_numbers(
        &self,
        supplier: &Supplier,
        request: &BulkRequest,
        numbers: &[String],
        begun_at: DateTime<Utc>,
    ) -> Result<Vec<i64>, OperatorError> {
        let filter = request.filter();
        let mut found: Vec<i64> = Vec::new();
        for numbers in numbers.chunks(ITEMS) {
            let numbers: Vec<ExternalAccountNumber> =
                numbers.iter().filter_map(|number| number.parse().ok()).collect();
            let look_up = |tx: &mut dyn Tx| {
                let mut ids = Vec::new();
                for number in &numbers {
                    let stored = tx.process(supplier.id, number)?;
                    let matches = |process: &cutover_process::Process| {
                        let status = &filter.status;
                        crate::job::is_old(process, &filter, begun_at)
                            && status.as_ref().is_none_or(|status| *status == process.stored_state())
                    };
                    ids.extend(stored.filter(|stored| matches(&stored.process)).map(|s| s.process.id()));
                }
                Ok(ids)
            };
            found.extend(read_committed(&*self.store, look_up)?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
