use crate::{MAX_ATTEMPTS, Outage, ProcessError, State, Window};
use chrono::{DateTime, Utc};
use cutover_core::{Domain, ExternalAccountNumber, ServiceAccountNumber, SupplierCode, Word};

/// All that a process is, for the store to write and to read back; see
/// [`Process::restore`](crate::Process::restore).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The store's key.
    pub id: i64,
    /// The import supplier of the account.
    pub supplier: SupplierCode,
    /// The account's number at its previous supplier.
    pub external_account_number: ExternalAccountNumber,
    /// The status; where there is a `newer_state`, the nearest to that ([`State::nearest`]).
    pub state: State,
    /// The word of a status that a newer version gave it. The process is shown; it takes no step.
    pub newer_state: Option<Box<str>>,
    /// The claims so far, over all submissions: the number of the current or last attempt.
    pub attempt: u32,
    /// The attempts that the current submission has used, at most [`MAX_ATTEMPTS`]. New content and
    /// a new run start from 0; a claim that a worker hands back, or that an outage ends, is not counted.
    pub tries: u32,
    /// The outage that has ended its last attempts; a claim that ends otherwise, and a new run, clear it.
    pub outage: Option<Outage>,
    /// The number of steps. A write is only good on the version before it.
    pub version: i64,
    /// Whether nothing of the import is kept.
    pub is_dry_run: bool,
    /// When it may run.
    pub window: Window,
    /// When it may be claimed next; of meaning while it is pending.
    pub due_at: DateTime<Utc>,
    /// When the account was first created; never changes.
    pub created_at: DateTime<Utc>,
    /// When the last step was made; never before `created_at`.
    pub modified_at: DateTime<Utc>,
    /// When the event that the API shows occurred. Its name follows from the status, its data is
    /// `latest_error`.
    pub latest_event_at: DateTime<Utc>,
    /// Why it ended without an account; only of an error status.
    pub latest_error: Option<ProcessError>,
    /// The account; only of `PROCESSED`.
    pub service_account_number: Option<ServiceAccountNumber>,
}

/// What was stored is no process that steps can lead to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("process {id} is corrupt: {problem}")]
pub struct CorruptProcess {
    /// The store's key of it.
    pub id: i64,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Snapshot {
    /// The first thing that no sequence of steps leads to.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        // What goes with a status that a newer version wrote, this one cannot tell.
        let state = self.newer_state.is_none().then_some(self.state);
        let error_code = self.latest_error.as_ref().map(|error| &error.code);
        let in_progress = state == Some(State::InProgress);
        let pending = state == Some(State::Pending);
        let problems = [
            (self.version < 1, "its version is less than 1"),
            (self.modified_at < self.created_at, "it was modified before it was created"),
            (self.latest_event_at < self.created_at, "its latest event lies before it was created"),
            (self.tries > self.attempt, "it used more attempts than there were"),
            (state.is_some() && self.tries > MAX_ATTEMPTS, "it used more attempts than it has"),
            (in_progress && self.tries == 0, "it is in progress without an attempt"),
            (pending && self.tries == MAX_ATTEMPTS, "it is pending without an attempt left"),
            (
                state.is_some_and(|state| state.is_error() != error_code.is_some()),
                "status and error do not agree",
            ),
            (
                error_code.and_then(Word::known).is_some_and(|code| code.domain() != Domain::Process),
                "its error is no process's",
            ),
            (
                state.is_some_and(|state| {
                    (state == State::Processed) != self.service_account_number.is_some()
                }),
                "status and account do not agree",
            ),
            (
                state.and_then(State::dry_run_only).is_some_and(|dry| dry != self.is_dry_run),
                "status and dry run do not agree",
            ),
        ];
        problems.into_iter().find_map(|(wrong, problem)| wrong.then_some(problem))
    }
}
