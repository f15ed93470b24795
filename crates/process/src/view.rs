use crate::word::words;
use crate::{Process, ProcessError, ShownEvent, State};
use chrono::{DateTime, FixedOffset};
use cutover_core::{ServiceAccountNumber, Word, Zone};

words! {
    "a version 1 status";
    /// The status of an account import in version 1 (contract 3).
    pub enum StateV1 {
        /// No account; the last attempt failed, was cancelled or was a dry run.
        Unknown = "UNKNOWN",
        /// The account exists.
        Completed = "COMPLETED",
        /// The account is on its way.
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

/// The version 1 status response (contract 2.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusV1 {
    /// The status.
    pub status: StateV1,
    /// The number of the account; empty while there is none.
    pub service_account_number: String,
}

/// What version 1 shows of a process.
pub fn v1(process: &Process) -> StatusV1 {
    StatusV1 {
        status: process.state().into(),
        service_account_number: process.service_account_number().map(ToString::to_string).unwrap_or_default(),
    }
}

/// The version 2 status response (contract 2.2). Datetimes have the supplier's offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusV2 {
    /// The status.
    pub status: State,
    /// The same as it is stored, for operators: a newer version may have written one that the API does not show.
    pub stored_status: Word<State>,
    /// The number of the account; only of `PROCESSED`.
    pub service_identifier: Option<ServiceAccountNumber>,
    /// When the account was first created.
    pub created_at: DateTime<FixedOffset>,
    /// When the last step was made.
    pub modified_at: DateTime<FixedOffset>,
    /// The event shown with the status.
    pub latest_event: LatestEvent,
    /// Why it ended without an account.
    pub latest_error: Option<ProcessError>,
}

/// The `latest_event` of the version 2 status response (contract 2.2, 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestEvent {
    /// Its name.
    pub event: ShownEvent,
    /// When it occurred.
    pub occurred_at: DateTime<FixedOffset>,
    /// The error of the errored event; of others nothing.
    pub data: Option<ProcessError>,
}

/// What version 2 shows of a process to a supplier in a time zone.
pub fn v2(process: &Process, zone: Zone) -> StatusV2 {
    let snapshot = process.snapshot();
    let error = snapshot.latest_error.as_ref().filter(|_| snapshot.state.is_error());
    StatusV2 {
        status: snapshot.state,
        stored_status: process.stored_state(),
        service_identifier: snapshot.service_account_number.clone(),
        created_at: zone.local(snapshot.created_at),
        modified_at: zone.local(snapshot.modified_at),
        latest_event: LatestEvent {
            event: snapshot.state.shown_event(),
            occurred_at: zone.local(snapshot.latest_event_at),
            data: error.cloned(),
        },
        latest_error: error.cloned(),
    }
}
