//! Use cases for jobs (contract D14).

use super::processes::check_code;
use super::reason::check_reason;
use super::scope::Scoped;
use super::{Audited, Operations, OperatorError};
use crate::job::{LEASE, Ran, detail, matching, new_job, subject};
use crate::port::{
    AuditAction, Job, JobFilter, JobKind, JobPosition, JobState, PageLimit, StoreError, Supplier,
};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, Level};
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
    /// Only processes in this state; `None` means those that have failed (retry), wait (cancel) or were rehearsed without an
    /// error (erase).
    pub status: Option<State>,
    /// Only cancelled processes whose import was undone. Without this, those are left out of a selection by the state.
    pub is_undone: bool,
    /// Only processes that ended with this error.
    pub error_code: Option<String>,
    /// Only processes whose last step was before this time.
    pub before: Option<DateTime<Utc>>,
    /// Only these accounts, in any state.
    pub numbers: Option<Vec<String>>,
}

impl BulkRequest {
    fn filter(&self) -> JobFilter {
        let status = self.state();
        JobFilter {
            status: status.map(Into::into),
            is_undone: (status == Some(State::Cancelled)).then_some(self.is_undone),
            error_code: self.error_code.clone(),
            before: self.before,
            is_list: self.numbers.is_some(),
            ..JobFilter::default()
        }
    }

    /// The state of the processes, if the request decides that.
    fn state(&self) -> Option<State> {
        self.status.or_else(|| self.is_undone.then_some(State::Cancelled))
    }

    fn check(&self) -> Result<(), OperatorError> {
        if matches!(self.kind, JobKind::Undo | JobKind::EraseSupplier) {
            return Err(OperatorError::Refused("this operation does not go by processes".into()));
        }
        if self.is_undone && self.state() != Some(State::Cancelled) {
            return Err(OperatorError::Refused("processes whose import was undone are CANCELLED".into()));
        }
        if let Some(status) = self.state().filter(|status| !self.kind.begins_from(*status)) {
            let doing = match self.kind {
                JobKind::Cancel => "cancelled",
                JobKind::Erase => "erased together",
                _ => "tried again",
            };
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
    /// The caller, who has to call [`Operations::run_job`] with the claim of the job.
    Caller,
    /// Any process with workers.
    Workers,
}

impl Operations<'_> {
    /// Counts the processes that a bulk operation matches. Changes nothing.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier, or the operation cannot begin from the status.
    pub fn count_bulk(&self, request: &BulkRequest) -> Result<u64, OperatorError> {
        request.check()?;
        let supplier = self.show_supplier(&request.supplier)?;
        Ok(self.select(&supplier, request, self.app.clock.now())?.0)
    }

    /// Begins a bulk operation as a job.
    ///
    /// # Errors
    /// As [`count_bulk`](Self::count_bulk); [`OperatorError::Refused`] for an erasure.
    pub fn begin_bulk(&self, request: &BulkRequest, owner: JobOwner) -> Result<Job, OperatorError> {
        if request.kind.removes() {
            return Err(OperatorError::Refused("an erasure needs a reason".into()));
        }
        self.begin_selected(request, None, owner)
    }

    /// Begins to erase accounts that were only rehearsed, as a job, which records the reason. They leave no mark, and can be
    /// sent again.
    ///
    /// # Errors
    /// As [`count_bulk`](Self::count_bulk); [`OperatorError::Refused`] if the reason is blank or too long.
    pub fn begin_bulk_erasure(
        &self,
        request: &BulkRequest,
        because: &str,
        owner: JobOwner,
    ) -> Result<Job, OperatorError> {
        self.show_supplier(&request.supplier)?;
        check_reason(Some(because))?;
        let request = BulkRequest { kind: JobKind::Erase, ..request.clone() };
        self.begin_selected(&request, Some(because.to_owned()), owner)
    }

    fn begin_selected(
        &self,
        request: &BulkRequest,
        because: Option<String>,
        owner: JobOwner,
    ) -> Result<Job, OperatorError> {
        request.check()?;
        let supplier = self.show_supplier(&request.supplier)?;
        let begun_at = self.app.clock.now();
        let (matched, listed) = self.select(&supplier, request, begun_at)?;
        let name = format!("job_{:016x}", self.app.random.number());
        let job = new_job(name, request.kind, &supplier, &self.operator, begun_at);
        self.begin_job(&supplier, Job { filter: request.filter(), because, matched, ..job }, &listed, owner)
    }

    /// Stores a job on a supplier with its list of processes, and begins it.
    pub(super) fn begin_job(
        &self,
        supplier: &Supplier,
        job: Job,
        listed: &[i64],
        owner: JobOwner,
    ) -> Result<Job, OperatorError> {
        let supplier = supplier.clone();
        let mut job = self.write(move |tx| {
            tx.again(&supplier)?;
            Ok(tx.add_job(&job)?)
        })?;
        for ids in listed.chunks(ITEMS) {
            let (id, ids) = (job.id, ids.to_vec());
            self.write(move |tx| Ok(tx.add_job_items(id, &ids)?))?;
        }
        job.state = JobState::Running.into();
        let now = self.app.clock.now();
        match owner {
            JobOwner::Caller => (job.due_at, job.claim) = (Some(now + LEASE), 1),
            JobOwner::Workers => job.due_at = Some(now),
        }
        let begun = job.clone();
        if !self.write(move |tx| Ok(tx.change_job(&begun)?))? {
            return Err(StoreError::Conflict("a job was changed while it was begun".into()).into());
        }
        job.version += 1;
        if owner == JobOwner::Workers {
            self.app.wake.notify_all();
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
                claim = self.app.claim_job(job.id)?.map(|job| job.claim);
            }
            let ran = match claim {
                Some(claim) => Some(self.app.run_batch(job.id, claim)),
                None => None,
            };
            match ran {
                Some(Ok(Ran::Job(ran))) => job = *ran,
                Some(Ok(Ran::Waits(ran))) => {
                    job = *ran;
                    self.app.wake.sleep(LOOK, || false);
                }
                Some(Ok(Ran::Lost)) => {
                    claim = None;
                    job = self.show_job(name)?;
                }
                // Other writers may hold the lock: the batch is tried again.
                Some(Err(StoreError::Busy(_))) | None => {
                    self.app.wake.sleep(LOOK, || false);
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
        self.read_committed(|tx| tx.jobs(organisation, MAX_JOBS))
    }

    /// Returns a job by its id.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none.
    pub fn show_job(&self, name: &str) -> Result<Job, OperatorError> {
        self.read_committed(|tx| tx.job(name))
    }

    /// Stops a running job after its current batch. What it has changed stays changed.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such job, or it has ended.
    pub fn stop_job(&self, name: &str) -> Result<Job, OperatorError> {
        self.change_job(name, AuditAction::JobStopped)
    }

    /// Resumes a job where it was stopped. Any process can claim it then.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such job, or it has ended.
    pub fn resume_job(&self, name: &str) -> Result<Job, OperatorError> {
        self.change_job(name, AuditAction::JobResumed)
    }

    /// Stops or resumes a job. If it is in that state already, nothing is changed or recorded.
    fn change_job(&self, name: &str, action: AuditAction) -> Result<Job, OperatorError> {
        let (by, name, clock) = (self.operator.clone(), name.to_owned(), self.app.clock.clone());
        let job = self.write_with_retry(move |tx| {
            let found = tx.job(&name)?;
            let missing = || OperatorError::not_found("job", &name);
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
            super::record_action(tx.rows(), now, by.clone(), action, audited)?;
            Ok(job)
        })?;
        self.app.wake.notify_all();
        Ok(job)
    }

    /// Returns the keys of the first processes that a bulk operation matches, by creation; all of those that a list of
    /// numbers names by their keys.
    pub(super) fn first_of_bulk(
        &self,
        supplier: &Supplier,
        request: &BulkRequest,
        most: usize,
    ) -> Result<Vec<i64>, OperatorError> {
        let begun_at = self.app.clock.now();
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
                self.read_committed(|tx| Ok(matching(tx.rows(), supplier.id, by, begun_at, from, limit)?))?;
            ids.extend(page.processes.iter().map(Process::id));
            position = page.next;
        }
        ids.truncate(most);
        Ok(ids)
    }

    /// Returns the number of processes that a request matches, and their keys if it has a list of numbers.
    fn select(
        &self,
        supplier: &Supplier,
        request: &BulkRequest,
        begun_at: DateTime<Utc>,
    ) -> Result<(u64, Vec<i64>), OperatorError> {
        let code = request.error_code.as_deref();
        self.read_committed(|tx| check_code(tx, supplier, "error code", Level::Error, code))?;
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
                    let page = self.read_committed(|tx| {
                        Ok(matching(tx.rows(), supplier.id, by, begun_at, from, limit)?)
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
            let look_up = |tx: &mut Scoped<'_>| {
                let mut ids = Vec::new();
                for number in &numbers {
                    let stored = tx.process(supplier.id, number)?;
                    let matches = |process: &cutover_process::Process| {
                        let status = &filter.status;
                        crate::job::is_old(process, &filter, begun_at)
                            && status.as_ref().is_none_or(|status| *status == process.stored_state())
                            && filter.is_undone.is_none_or(|is_undone| is_undone == process.is_undone())
                    };
                    ids.extend(stored.filter(|stored| matches(&stored.process)).map(|s| s.process.id()));
                }
                Ok(ids)
            };
            found.extend(self.read_committed(look_up)?);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
