use crate::word::words;
use crate::{ProcessError, Submission};
use chrono::{DateTime, Utc};
use cutover_core::{Code, ServiceAccountNumber};

words! {
    "an event";
    /// What can happen to a process: a kind for each cause (contract D6). The history keeps the
    /// words; they never change their meaning.
    pub enum EventKind {
        /// The first create of the account.
        Created = "created",
        /// A create with other content, while none has claimed it.
        Replaced = "replaced",
        /// A worker took it.
        Claimed = "claimed",
        /// Its window closed before a worker took it.
        WindowMissed = "window_missed",
        /// The operator took it back.
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
        /// The worker is shutting down, or lacks the key that the payload is sealed with, and hands its claim back.
        ShutDown = "shut_down",
        /// Document storage or database could not be reached; the attempt does not count.
        Deferred = "deferred",
        /// The attempt panicked or failed by a defect, and there is another.
        Failed = "failed",
        /// A create after the process had ended.
        Resubmitted = "resubmitted",
        /// The operator had it run again.
        RetriedByOperator = "retried_by_operator",
    }
}

impl EventKind {
    /// What happened, for the reference; completes "on …".
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
        }
    }

    /// The code of the error that this event leaves behind (contract D6).
    pub fn error_code(self) -> Option<Code> {
        match self {
            Self::WindowMissed => Some(Code::ScheduleWindowMissed),
            Self::Rejected | Self::DryRunFailed => Some(Code::ImportProcessFailedValidation),
            Self::RetriesExhausted => Some(Code::ImportProcessRetriesExhausted),
            _ => None,
        }
    }

    /// Whether it needs another attempt to be left.
    pub(crate) fn tries_again(self) -> bool {
        matches!(self, Self::Released | Self::Failed)
    }
}

/// What happens to a process that exists, with what the event brings.
///
/// [`EventKind::Created`] has no counterpart: [`crate::Process::create`] is it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// See [`EventKind::Replaced`].
    Replaced(Submission),
    /// See [`EventKind::Claimed`]. Counts an attempt.
    Claimed,
    /// See [`EventKind::Claimed`]. Counts an attempt, and makes it a dry run: every import of its
    /// supplier is one now (contract D1).
    ClaimedForDryRun,
    /// See [`EventKind::WindowMissed`].
    WindowMissed,
    /// See [`EventKind::Cancelled`].
    Cancelled,
    /// See [`EventKind::Imported`]; with the number of the new account.
    Imported(ServiceAccountNumber),
    /// See [`EventKind::Rejected`].
    Rejected,
    /// See [`EventKind::RetriesExhausted`].
    RetriesExhausted,
    /// See [`EventKind::RetriesExhausted`]: an outage lasted longer than it is retried.
    OutageTooLong,
    /// See [`EventKind::DryRunPassed`].
    DryRunPassed,
    /// See [`EventKind::DryRunFailed`].
    DryRunFailed,
    /// See [`EventKind::Released`]. Refused in the last attempt.
    Released {
        /// When the next attempt may begin.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::ShutDown`]. The attempt is not held against the process.
    ShutDown,
    /// See [`EventKind::ShutDown`]: the worker goes on, but cannot do this one. The attempt is not held against the
    /// process.
    HandedBack {
        /// When another worker may try; this one does not try again before.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Deferred`]. The attempt is not held against the process; the outage is remembered.
    Deferred {
        /// When the next attempt may begin.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Failed`]. Refused in the last attempt.
    Failed {
        /// When the next attempt may begin.
        due_at: DateTime<Utc>,
    },
    /// See [`EventKind::Resubmitted`].
    Resubmitted(Submission),
    /// See [`EventKind::RetriedByOperator`]. Runs as before; a window that has closed is dropped.
    RetriedByOperator,
}

impl Event {
    /// Its kind.
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
        }
    }

    /// The error that it leaves behind.
    pub(crate) fn error(&self) -> Option<ProcessError> {
        match self {
            Self::OutageTooLong => Some(ProcessError::of_outage()),
            _ => self.kind().error_code().map(ProcessError::new),
        }
    }
}
