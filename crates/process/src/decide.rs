//! Decisions about a process, as pure functions: the use cases then take the step.

use crate::{Event, Failure, MAX_ATTEMPTS, Outage, Process, State, backoff};
use chrono::{DateTime, Duration, Utc};
use cutover_core::ServiceAccountNumber;

/// The effect of a create (contract D5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreateDecision {
    /// There is no process: [`Process::create`].
    New,
    /// The same content is already pending: the response is 201 and nothing changes.
    Unchanged,
    /// Other content is pending: [`Event::Replaced`].
    Replace,
    /// The process has ended without an account: [`Event::Resubmitted`].
    Resubmit,
    /// Refused: `account_import_process_already_imported` (contract 7.3).
    AlreadyImported {
        /// The existing account.
        account: ServiceAccountNumber,
    },
    /// Refused: `account_import_process_in_progress`.
    InProgress,
}

/// Decides the effect of a create on the existing process. `same_content` is true if the stored content
/// equals the new content by the rules of contract D5.
pub fn on_create(existing: Option<&Process>, same_content: bool) -> CreateDecision {
    let Some(process) = existing else { return CreateDecision::New };
    if let Some(account) = process.service_account_number() {
        return CreateDecision::AlreadyImported { account: account.clone() };
    }
    match process.known_state() {
        // A newer version wrote the status and may be working on the process.
        None | Some(State::InProgress) => CreateDecision::InProgress,
        Some(State::Pending) if same_content => CreateDecision::Unchanged,
        Some(State::Pending) => CreateDecision::Replace,
        Some(
            State::Cancelled
            | State::Processed
            | State::DryRunSucceeded
            | State::Errored
            | State::DryRunErrored,
        ) => CreateDecision::Resubmit,
    }
}

/// The event for a successful import. A dry run writes no account, so its number is dropped.
pub fn on_success(process: &Process, account: ServiceAccountNumber) -> Event {
    if process.is_dry_run() { Event::DryRunPassed } else { Event::Imported(account) }
}

/// The event for an account that failed the checks of the import.
pub fn on_rejection(process: &Process) -> Event {
    if process.is_dry_run() { Event::DryRunFailed } else { Event::Rejected }
}

/// The event for a failed attempt: another attempt after a [`backoff`], or the end.
///
/// Outages are retried for `retry_time`, whatever the number of attempts; other failures up to
/// [`MAX_ATTEMPTS`]. The attempt of a lost worker waits like any other, so that a payload that kills its
/// workers is separated from the accounts of the same batch.
pub fn on_failure(
    process: &Process,
    failure: Failure,
    retry_time: Duration,
    at: DateTime<Utc>,
    jitter: u64,
) -> Event {
    let snapshot = process.snapshot();
    let due_after = |tries| at.checked_add_signed(backoff(tries, jitter)).unwrap_or(at);
    match failure {
        Failure::Outage => {
            // The time that the step gets: it never goes back.
            let failed_at = at.max(snapshot.modified_at);
            let outage = Outage::after_failure(snapshot.outage, failed_at);
            let is_over = failed_at - outage.since >= retry_time;
            if is_over { Event::OutageTooLong } else { Event::Deferred { due_at: due_after(outage.tries) } }
        }
        _ if snapshot.tries >= MAX_ATTEMPTS => Event::RetriesExhausted,
        Failure::Defect | Failure::Panic => Event::Failed { due_at: due_after(snapshot.tries) },
        Failure::WorkerLost => Event::Released { due_at: due_after(snapshot.tries) },
    }
}
