use crate::word::words;

words! {
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
        /// Ended without an account; `latest_error` says why.
        Errored = "ERRORED",
        /// A dry run ended with an error; `latest_error` says which.
        DryRunErrored = "DRY_RUN_ERRORED",
    }
}

/// What is stored of a process beside its status, and tells which one is the nearest to one that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// Its account is there.
    pub has_account: bool,
    /// It keeps an error.
    pub has_error: bool,
    /// Nothing of its import is kept.
    pub is_dry_run: bool,
    /// A worker holds a lease on it.
    pub is_leased: bool,
}

impl State {
    /// The status that is shown for one that a newer version wrote: the API has these words alone. It promises no more
    /// than what is stored: an end only where there is an account or an error.
    pub fn nearest(of: Traits) -> Self {
        match of {
            Traits { has_account: true, .. } => Self::Processed,
            Traits { has_error: true, is_dry_run: true, .. } => Self::DryRunErrored,
            Traits { has_error: true, .. } => Self::Errored,
            Traits { is_leased: true, .. } => Self::InProgress,
            _ => Self::Pending,
        }
    }

    /// No step leads out of it (contract D6). The other end states can be submitted again.
    pub fn is_final(self) -> bool {
        self == Self::Processed
    }

    /// Neither waits nor is being imported: nothing happens to it unless somebody asks.
    pub fn has_ended(self) -> bool {
        !matches!(self, Self::Pending | Self::InProgress)
    }

    /// Whether work ended in it, rather than an operator's word: what progress is measured by (contract D12).
    pub fn is_outcome(self) -> bool {
        self.has_ended() && self != Self::Cancelled
    }

    /// A status that holds a `latest_error` (contract 3).
    pub fn is_error(self) -> bool {
        matches!(self, Self::Errored | Self::DryRunErrored)
    }

    /// The event that the API shows with this status (contract 3).
    pub fn shown_event(self) -> ShownEvent {
        match self {
            Self::Processed => ShownEvent::Processed,
            Self::Errored | Self::DryRunErrored => ShownEvent::Errored,
            Self::Pending | Self::InProgress | Self::Cancelled | Self::DryRunSucceeded => ShownEvent::Created,
        }
    }

    /// Whether it stands in the list of pending accounts: no account, and its data is still staged
    /// (contract D7).
    pub fn is_pending_entry(self) -> bool {
        !self.is_imported_entry() && self != Self::Cancelled
    }

    /// Whether it stands in the list of imported accounts (contract D7).
    pub fn is_imported_entry(self) -> bool {
        self == Self::Processed
    }

    /// Whether it can only be a dry run's (`true`) or a real import's (`false`) status.
    pub(crate) fn dry_run_only(self) -> Option<bool> {
        match self {
            Self::DryRunSucceeded | Self::DryRunErrored => Some(true),
            Self::Processed | Self::Errored => Some(false),
            Self::Pending | Self::InProgress | Self::Cancelled => None,
        }
    }
}

words! {
    "an event of a status";
    /// The three event names of `latest_event` (contract 6).
    pub enum ShownEvent {
        /// Of every status that is neither `PROCESSED` nor an error.
        Created = "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED",
        /// Of `PROCESSED`.
        Processed = "EVENT_ACCOUNT_IMPORT_PROCESS_PROCESSED",
        /// Of `ERRORED` and `DRY_RUN_ERRORED`; its `data` holds the error object.
        Errored = "EVENT_ACCOUNT_IMPORT_PROCESS_ERRORED",
    }
}

#[cfg(test)]
mod tests {
    use super::{State, Traits};
    use crate::{EventKind, TRANSITIONS};

    #[test]
    fn an_unknown_status_is_near_to_what_is_stored_of_it() {
        let none = Traits::default();
        let dry = Traits { is_dry_run: true, ..none };
        let error = Traits { has_error: true, ..none };
        for (of, nearest) in [
            (none, State::Pending),
            (dry, State::Pending),
            (Traits { is_leased: true, ..dry }, State::InProgress),
            (error, State::Errored),
            (Traits { has_error: true, is_leased: true, ..dry }, State::DryRunErrored),
            (Traits { has_account: true, is_leased: true, ..error }, State::Processed),
        ] {
            assert_eq!(State::nearest(of), nearest, "{of:?}");
        }
    }

    #[test]
    fn final_is_what_no_row_leaves() {
        for state in State::ALL {
            let left = TRANSITIONS.iter().any(|row| row.from == Some(*state));
            assert_eq!(state.is_final(), !left, "{state}");
        }
    }

    #[test]
    fn what_has_ended_goes_on_only_when_asked() {
        for row in TRANSITIONS.iter().filter(|row| row.from.is_some_and(State::has_ended)) {
            assert!(matches!(row.on, EventKind::Resubmitted | EventKind::RetriedByOperator), "{row:?}");
        }
        let going = State::ALL.iter().filter(|state| !state.has_ended());
        assert_eq!(going.map(|state| state.as_str()).collect::<Vec<_>>(), ["PENDING", "IN_PROGRESS"]);
    }

    #[test]
    fn lists_hold_all_but_the_cancelled() {
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
