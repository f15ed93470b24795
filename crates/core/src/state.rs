crate::string_enum! {
    "a status";
    /// The status of an import process, as version 2 of the API shows it (contract 3).
    pub enum State {
        /// Staged; waits for a worker.
        Pending = "PENDING",
        /// Claimed by a worker.
        InProgress = "IN_PROGRESS",
        /// Taken back by the operator before a worker claimed it.
        Cancelled = "CANCELLED",
        /// Imported: the account exists.
        Processed = "PROCESSED",
        /// A dry run ended without an error; nothing was written.
        DryRunSucceeded = "DRY_RUN_SUCCEEDED",
        /// Ended without an account; `latest_error` gives the reason.
        Errored = "ERRORED",
        /// A dry run ended with the error in `latest_error`.
        DryRunErrored = "DRY_RUN_ERRORED",
    }
}

/// The facts stored with a process that determine the nearest known status to an unknown one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredFacts {
    /// The account exists.
    pub has_account: bool,
    /// An error is stored.
    pub has_error: bool,
    /// The import is a dry run.
    pub is_dry_run: bool,
    /// A worker holds a lease.
    pub is_leased: bool,
}

impl State {
    /// The status shown in place of one that a newer version wrote: the API has only these words. It claims
    /// no more than the stored facts: the process has ended only if there is an account or an error.
    pub fn nearest(of: StoredFacts) -> Self {
        match of {
            StoredFacts { has_account: true, .. } => Self::Processed,
            StoredFacts { has_error: true, is_dry_run: true, .. } => Self::DryRunErrored,
            StoredFacts { has_error: true, .. } => Self::Errored,
            StoredFacts { is_leased: true, .. } => Self::InProgress,
            _ => Self::Pending,
        }
    }

    /// Returns true if the account exists: nothing but an undo leads out of it (contract D6, D18). The other end states
    /// can be submitted again.
    pub fn is_final(self) -> bool {
        self == Self::Processed
    }

    /// Returns true if a process neither waits nor is being imported: it changes only on request.
    pub fn has_ended(self) -> bool {
        match self {
            Self::Pending | Self::InProgress => false,
            Self::Cancelled
            | Self::Processed
            | Self::DryRunSucceeded
            | Self::Errored
            | Self::DryRunErrored => true,
        }
    }

    /// Returns true if work ended in it, and not a cancellation: progress counts these (contract D12).
    pub fn is_outcome(self) -> bool {
        match self {
            Self::Processed | Self::DryRunSucceeded | Self::Errored | Self::DryRunErrored => true,
            Self::Pending | Self::InProgress | Self::Cancelled => false,
        }
    }

    /// Returns true if a process has a `latest_error` (contract 3).
    pub fn is_error(self) -> bool {
        match self {
            Self::Errored | Self::DryRunErrored => true,
            Self::Pending | Self::InProgress | Self::Cancelled | Self::Processed | Self::DryRunSucceeded => {
                false
            }
        }
    }

    /// The event that the API shows with this status (contract 3).
    pub fn shown_event(self) -> ShownEvent {
        match self {
            Self::Processed => ShownEvent::Processed,
            Self::Errored | Self::DryRunErrored => ShownEvent::Errored,
            Self::Pending | Self::InProgress | Self::Cancelled | Self::DryRunSucceeded => ShownEvent::Created,
        }
    }

    /// Returns true if the list of pending accounts has it: there is no account, and the data is still staged
    /// (contract D7).
    pub fn is_pending_entry(self) -> bool {
        match self {
            Self::Pending
            | Self::InProgress
            | Self::DryRunSucceeded
            | Self::Errored
            | Self::DryRunErrored => true,
            Self::Cancelled | Self::Processed => false,
        }
    }

    /// Returns true if the list of imported accounts has it (contract D7).
    pub fn is_imported_entry(self) -> bool {
        self == Self::Processed
    }

    /// `Some(true)` if only a dry run can have it, `Some(false)` if only a real import can.
    pub fn dry_run_only(self) -> Option<bool> {
        match self {
            Self::DryRunSucceeded | Self::DryRunErrored => Some(true),
            Self::Processed | Self::Errored => Some(false),
            Self::Pending | Self::InProgress | Self::Cancelled => None,
        }
    }
}

crate::string_enum! {
    "an event of a status";
    /// The three event names of `latest_event` (contract 6).
    pub enum ShownEvent {
        /// Shown with every status other than `PROCESSED` and the errors.
        Created = "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED",
        /// Shown with `PROCESSED`.
        Processed = "EVENT_ACCOUNT_IMPORT_PROCESS_PROCESSED",
        /// Shown with `ERRORED` and `DRY_RUN_ERRORED`; its `data` is the error object.
        Errored = "EVENT_ACCOUNT_IMPORT_PROCESS_ERRORED",
    }
}

crate::string_enum! {
    "a version 1 status";
    /// The status of an account import in version 1 (contract 3).
    pub enum StateV1 {
        /// No account; the last attempt failed, was cancelled or was a dry run.
        Unknown = "UNKNOWN",
        /// The account exists.
        Completed = "COMPLETED",
        /// The account waits or is being imported.
        InProgress = "IN_PROGRESS",
    }
}

impl From<State> for StateV1 {
    /// The mapping of contract D6.
    fn from(state: State) -> Self {
        match state {
            State::Processed => Self::Completed,
            State::Pending | State::InProgress => Self::InProgress,
            State::Cancelled | State::DryRunSucceeded | State::Errored | State::DryRunErrored => {
                Self::Unknown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{State, StoredFacts};

    #[test]
    fn an_unknown_status_is_shown_by_its_stored_facts() {
        let none = StoredFacts::default();
        let dry = StoredFacts { is_dry_run: true, ..none };
        let error = StoredFacts { has_error: true, ..none };
        for (of, nearest) in [
            (none, State::Pending),
            (dry, State::Pending),
            (StoredFacts { is_leased: true, ..dry }, State::InProgress),
            (error, State::Errored),
            (StoredFacts { has_error: true, is_leased: true, ..dry }, State::DryRunErrored),
            (StoredFacts { has_account: true, is_leased: true, ..error }, State::Processed),
        ] {
            assert_eq!(State::nearest(of), nearest, "{of:?}");
        }
    }

    #[test]
    fn the_lists_together_hold_every_status_but_cancelled() {
        let words = |belongs: fn(State) -> bool| {
            State::ALL.iter().filter(|s| belongs(**s)).map(|s| s.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(State::is_imported_entry), "PROCESSED");
        assert_eq!(
            words(State::is_pending_entry),
            "PENDING IN_PROGRESS DRY_RUN_SUCCEEDED ERRORED DRY_RUN_ERRORED"
        );
    }
}
