use crate::Submission;
use chrono::{DateTime, Utc};
use cutover_core::{Code, ProcessError, ServiceAccountNumber};
use std::borrow::Cow;

cutover_core::string_enum! {
    "an event";
    /// The kind of an event of a process, one for each cause (contract D6). The history keeps the words; they
    /// never change their meaning.
    pub enum EventKind {
        /// The first create of the account.
        Created = "created",
        /// A create with other content before a worker claimed the process.
        Replaced = "replaced",
        /// A worker claimed the process.
        Claimed = "claimed",
        /// The window closed before a worker claimed the process.
        WindowMissed = "window_missed",
        /// The operator cancelled the process.
        Cancelled = "cancelled",
        /// The account is written.
        Imported = "imported",
        /// The account failed the checks of the import.
        Rejected = "rejected",
        /// The last attempt failed too, or an outage lasted too long.
        RetriesExhausted = "retries_exhausted",
        /// A dry run found no error.
        DryRunPassed = "dry_run_passed",
        /// A dry run found an error.
        DryRunFailed = "dry_run_failed",
        /// The worker's lease ran out.
        Released = "released",
        /// The worker returned its claim: it is shutting down, or lacks the key that the payload is sealed
        /// with.
        ShutDown = "shut_down",
        /// Document storage or the database could not be reached; the attempt does not count.
        Deferred = "deferred",
        /// The attempt panicked or failed because of a defect, and another attempt is left.
        Failed = "failed",
        /// A create after the process had ended.
        Resubmitted = "resubmitted",
        /// The operator started it again.
        RetriedByOperator = "retried_by_operator",
        /// The operator removed the account, to which nothing had been added.
        Undone = "undone",
    }
}

/// The detail of the error of an import that an outage ended.
const OUTAGE_TOO_LONG: &str =
    "Document storage or the database could not be reached for as long as an import is retried.";

impl EventKind {
    /// Description of the event for the reference; completes "on …".
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Created => "first created",
            Self::Replaced => "created again with other content",
            Self::Claimed => "claimed by a worker",
            Self::WindowMissed => "its window closed",
            Self::Cancelled => "cancelled by the operator",
            Self::Imported => "account written",
            Self::Rejected => "account rejected",
            Self::RetriesExhausted => "last attempt failed, or an outage lasted too long",
            Self::DryRunPassed => "dry run found no error",
            Self::DryRunFailed => "dry run found an error",
            Self::Released => "worker lost, its lease ran out",
            Self::ShutDown => "worker shut down or lacks a key, claim handed back",
            Self::Deferred => "storage or database out of reach, put off",
            Self::Failed => "attempt failed or panicked, put off",
            Self::Resubmitted => "created again after its end",
            Self::RetriedByOperator => "retried by the operator",
            Self::Undone => "undone by the operator, account removed",
        }
    }

    /// The code of the error that this event stores with the process (contract D6).
    pub fn error_code(self) -> Option<Code> {
        match self {
            Self::WindowMissed => Some(Code::ScheduleWindowMissed),
            Self::Rejected | Self::DryRunFailed => Some(Code::ImportProcessFailedValidation),
            Self::RetriesExhausted => Some(Code::ImportProcessRetriesExhausted),
            _ => None,
        }
    }

    /// Returns true if the event leads to another attempt, so that one must be left.
    pub(crate) fn tries_again(self) -> bool {
        matches!(self, Self::Released | Self::Failed)
    }
}

/// An event of an existing process with its data.
///
/// [`EventKind::Created`] has no counterpart here: see [`crate::Process::create`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// See [`EventKind::Replaced`].
    Replaced(Submission),
    /// See [`EventKind::Claimed`]. Counts an attempt.
    Claimed,
    /// See [`EventKind::Claimed`]. Counts an attempt and makes the process a dry run, as every import of its
    /// supplier now is (contract D1).
    ClaimedForDryRun,
    /// See [`EventKind::WindowMissed`].
    WindowMissed,
    /// See [`EventKind::Cancelled`].
    Cancelled,
    /// See [`EventKind::Imported`]. Carries the number of the new account.
    Imported(ServiceAccountNumber),
    /// See [`EventKind::Rejected`].
    Rejected,
    /// See [`EventKind::RetriesExhausted`].
    RetriesExhausted,
    /// See [`EventKind::RetriesExhausted`]: an outage lasted longer than the retry time.
    OutageTooLong,
    /// See [`EventKind::DryRunPassed`].
    DryRunPassed,
    /// See [`EventKind::DryRunFailed`].
    DryRunFailed,
    /// See [`EventKind::Released`]. Refused in the last attempt.
    Released {
        /// Earliest time of the next attempt.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::ShutDown`]. The attempt does not count.
    ShutDown,
    /// See [`EventKind::ShutDown`]: the worker keeps running but cannot import this account. The attempt does
    /// not count.
    HandedBack {
        /// Earliest time at which any worker may claim it again.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Deferred`]. The attempt does not count; the outage is recorded.
    Deferred {
        /// Earliest time of the next attempt.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Failed`]. Refused in the last attempt.
    Failed {
        /// Earliest time of the next attempt.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Resubmitted`].
    Resubmitted(Submission),
    /// See [`EventKind::RetriedByOperator`]. Runs as before; a window that has closed is dropped.
    RetriedByOperator,
    /// See [`EventKind::Undone`]. The only step that leaves `PROCESSED`.
    Undone,
}

impl Event {
    /// The kind of the event.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Replaced(_) => EventKind::Replaced,
            Self::Claimed | Self::ClaimedForDryRun => EventKind::Claimed,
            Self::WindowMissed => EventKind::WindowMissed,
            Self::Cancelled => EventKind::Cancelled,
            Self::Imported(_) => EventKind::Imported,
            Self::Rejected => EventKind::Rejected,
            Self::RetriesExhausted | Self::OutageTooLong => EventKind::RetriesExhausted,
            Self::DryRunPassed => EventKind::DryRunPassed,
            Self::DryRunFailed => EventKind::DryRunFailed,
            Self::Released { .. } => EventKind::Released,
            Self::ShutDown | Self::HandedBack { .. } => EventKind::ShutDown,
            Self::Deferred { .. } => EventKind::Deferred,
            Self::Failed { .. } => EventKind::Failed,
            Self::Resubmitted(_) => EventKind::Resubmitted,
            Self::RetriedByOperator => EventKind::RetriedByOperator,
            Self::Undone => EventKind::Undone,
        }
    }

    /// The error that the event stores with the process.
    pub(crate) fn error(&self) -> Option<ProcessError> {
        match self {
            Self::OutageTooLong => Some(ProcessError {
                detail: Cow::Borrowed(OUTAGE_TOO_LONG),
                ..ProcessError::new(Code::ImportProcessRetriesExhausted)
            }),
            _ => self.kind().error_code().map(ProcessError::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn event_words_are_distinct_snake_case_and_read_back() {
        for (i, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert!(kind.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{kind}");
            assert!(!EventKind::WORDS[..i].contains(&kind.as_str()), "{kind} is declared twice");
        }
    }
}
