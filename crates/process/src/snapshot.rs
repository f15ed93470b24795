use crate::{MAX_ATTEMPTS, Outage, ProcessError, State, Window};
use chrono::{DateTime, Utc};
use cutover_core::{Domain, ExternalAccountNumber, ServiceAccountNumber, SupplierCode, Word};

/// All data of a process, as the store writes it and reads it back; see
/// [`Process::restore`](crate::Process::restore).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The store's key.
    pub id: i64,
    /// The import supplier of the account.
    pub supplier: SupplierCode,
    /// The account's number at its previous supplier.
    pub external_account_number: ExternalAccountNumber,
    /// The status; the nearest known one if there is a `newer_state` ([`State::nearest`]).
    pub state: State,
    /// The status that a newer version wrote, if this one does not know it. Such a process takes no step.
    pub newer_state: Option<Box<str>>,
    /// The number of the current or last attempt: it counts claims over all submissions.
    pub attempt: u32,
    /// The number of attempts that the current submission has used, at most [`MAX_ATTEMPTS`]. New content and
    /// a new run start from 0. A claim that a worker returns, or that an outage ends, does not count.
    pub tries: u32,
    /// The outage that ended the latest attempts. Any other end of an attempt, and a new run, clear it.
    pub outage: Option<Outage>,
    /// The number of steps. A write succeeds only on the version before it.
    pub version: i64,
    /// If set, the import is only tried and nothing is stored.
    pub is_dry_run: bool,
    /// If set, the last step was an undo: the operator removed the account. Only with `CANCELLED`.
    pub is_undone: bool,
    /// The window in which it may run.
    pub window: Window,
    /// Earliest time of the next claim; relevant only while the process is pending.
    pub due_at: DateTime<Utc>,
    /// Time of the first create; never changes.
    pub created_at: DateTime<Utc>,
    /// Time of the last step; never before `created_at`.
    pub modified_at: DateTime<Utc>,
    /// Time of the event that the API shows. The status determines its name, and `latest_error` is its data.
    pub latest_event_at: DateTime<Utc>,
    /// The error that it ended with; only with an error status. Boxed because it is rare, and each step moves
    /// the snapshot.
    pub latest_error: Option<Box<ProcessError>>,
    /// The account; only with `PROCESSED`.
    pub service_account_number: Option<ServiceAccountNumber>,
}

/// Stored data that no sequence of steps leads to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("process {id} is corrupt: {problem}")]
pub struct CorruptProcess {
    /// The store's key of the process.
    pub id: i64,
    /// The problem found.
    pub problem: &'static str,
}

impl Snapshot {
    /// The first property that no sequence of steps leads to.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        // This version cannot tell which data fits a status that a newer version wrote.
        let state = self.newer_state.is_none().then_some(self.state);
        let error_code = self.latest_error.as_ref().map(|error| &error.code);
        let in_progress = state == Some(State::InProgress);
        let pending = state == Some(State::Pending);
        let problems = [
            (self.version < 1, "its version is less than 1"),
            (self.modified_at < self.created_at, "it was modified before its creation"),
            (self.latest_event_at < self.created_at, "its latest event is before its creation"),
            (self.tries > self.attempt, "it has used more attempts than it has had"),
            (state.is_some() && self.tries > MAX_ATTEMPTS, "it has used more attempts than the maximum"),
            (in_progress && self.tries == 0, "it is in progress without an attempt"),
            (pending && self.tries == MAX_ATTEMPTS, "it is pending without an attempt left"),
            (
                state.is_some_and(|state| state.is_error() != error_code.is_some()),
                "status and error contradict each other",
            ),
            (
                error_code.and_then(Word::known).is_some_and(|code| code.domain() != Domain::Process),
                "its error is not an error of a process",
            ),
            (
                state.is_some_and(|state| {
                    (state == State::Processed) != self.service_account_number.is_some()
                }),
                "status and account contradict each other",
            ),
            (
                self.is_undone && state.is_some_and(|state| state != State::Cancelled),
                "it was undone, and is not cancelled",
            ),
            (
                state.and_then(State::dry_run_only).is_some_and(|dry| dry != self.is_dry_run),
                "status and dry run contradict each other",
            ),
        ];
        problems.into_iter().find_map(|(wrong, problem)| wrong.then_some(problem))
    }
}
