use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Word, string_enum};
use cutover_process::{EventKind, State, transition};
use std::collections::BTreeMap;

string_enum! {
    "a kind of job";
    /// The operation of a job (contract D14).
    pub enum JobKind {
        /// Start another attempt of each process.
        Retry = "process.retry",
        /// Cancel each process.
        Cancel = "process.cancel",
        /// Remove everything that is kept of each account that was only rehearsed.
        Erase = "process.erase",
        /// Undo the import of each account.
        Undo = "supplier.undo",
        /// Remove everything that is kept of the supplier.
        EraseSupplier = "supplier.erase",
    }
}

impl JobKind {
    /// Returns true if the operation removes data for good.
    pub fn removes(self) -> bool {
        matches!(self, Self::Erase | Self::EraseSupplier)
    }

    /// Returns true if an operation by processes can begin from a state.
    pub fn begins_from(self, state: State) -> bool {
        let event = match self {
            Self::Retry => EventKind::RetriedByOperator,
            Self::Cancel => EventKind::Cancelled,
            Self::Erase => return matches!(state, State::DryRunSucceeded | State::DryRunErrored),
            Self::Undo | Self::EraseSupplier => return false,
        };
        [false, true].iter().any(|is_dry_run| transition(Some(state), event, *is_dry_run).is_ok())
    }
}

string_enum! {
    "a state of a job";
    /// The state of a job.
    pub enum JobState {
        /// Its list of processes is being stored. It has not begun.
        Preparing = "preparing",
        /// It is being worked off, or waits for a worker.
        Running = "running",
        /// An operator stopped it. It can be resumed.
        Stopped = "stopped",
        /// It has come to its end.
        Done = "done",
    }
}

/// The selection of the processes of a job. They have to match all given criteria.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobFilter {
    /// In this state; `None` means those that the operation begins from.
    pub status: Option<Word<State>>,
    /// Ended with this error.
    pub error_code: Option<String>,
    /// Last step before this time.
    pub before: Option<DateTime<Utc>>,
    /// Of an undo: imported at this time or later.
    pub imported_since: Option<DateTime<Utc>>,
    /// Of an undo of a wave that has ended: its claims were made before this time.
    pub imported_until: Option<DateTime<Utc>>,
    /// Of an undo: the name of the run that imported the accounts.
    pub run: Option<String>,
    /// Of an undo: the number of the wave that imported the accounts.
    pub wave: Option<u32>,
    /// Cancelled because its import was undone, or anything else.
    pub is_undone: Option<bool>,
    /// If set, the job has a list of processes ([`Jobs::add_job_items`]).
    pub is_list: bool,
}

/// The last process that a job has come to. A job goes through one list for each part of its selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobPosition {
    /// Number of the part, from 0.
    pub part: u32,
    /// Time of creation of the process, of an undo that of its import; `None` at the beginning of a part, and in a list of
    /// processes.
    pub at: Option<DateTime<Utc>>,
    /// Key of the process; 0 at the beginning of a part.
    pub id: i64,
}

/// A bulk operation that is worked off in bounded transactions (contract D14). Each transaction changes some processes,
/// and moves the position behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The store's key; 0 before it is added.
    pub id: i64,
    /// Its id for operators, `job_…`.
    pub name: String,
    /// The operation.
    pub kind: Word<JobKind>,
    /// The store's key of the organisation.
    pub organisation_id: i64,
    /// The store's key of the supplier.
    pub supplier_id: i64,
    /// The code of the supplier.
    pub supplier: String,
    /// The operator who began it, as [`Operator`](super::Operator) is written.
    pub actor: String,
    /// The selection of processes.
    pub filter: JobFilter,
    /// The reason of the operator, for the audit trail.
    pub because: Option<String>,
    /// Time at which it was begun. Processes that took a step later are left out.
    pub created_at: DateTime<Utc>,
    /// The state.
    pub state: Word<JobState>,
    /// Time at which it came to its end.
    pub ended_at: Option<DateTime<Utc>>,
    /// Number of processes that matched when it was begun.
    pub matched: u64,
    /// Number of processes that it has changed.
    pub changed: u64,
    /// Number of processes that it has left as they are, because their state did not allow the change.
    pub skipped: u64,
    /// Of an undo: number of accounts that could not be undone.
    pub failed: u64,
    /// Of erasures: number of removed rows by table.
    pub removed: BTreeMap<String, u64>,
    /// The last process that it has come to.
    pub position: JobPosition,
    /// Of a running job: the time from which it may be claimed, which is the end of its lease.
    pub due_at: Option<DateTime<Utc>>,
    /// Identifies the claim that may work on it; 0 before the first.
    pub claim: i64,
    /// Grows with each change; changes are written only if it has not grown meanwhile.
    pub version: i64,
}

/// Bulk operations (contract D14).
pub trait Jobs {
    /// Adds a job, whose key is ignored, and returns it with its key.
    fn add_job(&mut self, job: &Job) -> Result<Job, StoreError>;

    /// Adds processes to the list of a job. Returns the number of those that were not in it.
    fn add_job_items(&mut self, job_id: i64, process_ids: &[i64]) -> Result<u64, StoreError>;

    /// Returns keys of the processes in the list of a job: those after a key, in their order, at most `limit`.
    fn job_items(&mut self, job_id: i64, after: i64, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Removes items of the lists of jobs that are done, and of those that were begun before a time and are still being
    /// prepared; at most `limit`. Returns true if there are more.
    fn clear_job_items(&mut self, prepared_before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError>;

    /// Returns the job that erases a supplier, unless it is done.
    fn erasure_of(&mut self, supplier_id: i64) -> Result<Option<Job>, StoreError>;

    /// Locks a job until the transaction ends, and returns it. `None` if there is none, or without waiting if another
    /// transaction has locked it and `waits` is false.
    fn lock_job(&mut self, id: i64, waits: bool) -> Result<Option<Job>, StoreError>;

    /// Writes the changed columns of a job and increases its version. Returns false if it has changed since it
    /// was read.
    fn change_job(&mut self, job: &Job) -> Result<bool, StoreError>;

    /// Releases the leases of all running jobs. Only for a database that no other node is using.
    fn release_jobs(&mut self, at: DateTime<Utc>) -> Result<usize, StoreError>;
}

/// Queries that find jobs of any organisation.
pub trait AnyJobs {
    /// Returns the job with this id for operators.
    fn job(&mut self, name: &str) -> Result<Option<Job>, StoreError>;

    /// Returns jobs of an organisation, or of all, the last first, at most `limit`.
    fn jobs(&mut self, organisation_id: Option<i64>, limit: u32) -> Result<Vec<Job>, StoreError>;

    /// Returns the running job that is due first, if it is due at this time.
    fn due_job(&mut self, at: DateTime<Utc>) -> Result<Option<Job>, StoreError>;
}
