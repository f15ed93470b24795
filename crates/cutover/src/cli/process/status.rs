use crate::output::timestamp;
use cutover_model::{LatestEvent, ProcessError, ProcessStatus};
use cutover_process::StatusV2;
use serde::Serialize;

/// The status object of the API (contract 2.2).
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Status(ProcessStatus);

impl From<&StatusV2> for Status {
    fn from(status: &StatusV2) -> Self {
        let event = &status.latest_event;
        Self(ProcessStatus {
            status: status.status.as_str(),
            service_identifier: status.service_identifier.as_ref().map(ToString::to_string),
            created_at: timestamp(status.created_at),
            modified_at: timestamp(status.modified_at),
            latest_event: LatestEvent {
                event: event.event.as_str(),
                occurred_at: timestamp(event.occurred_at),
                data: event.data.as_ref().map(error),
            },
            latest_error: status.latest_error.as_ref().map(error),
        })
    }
}

fn error(error: &cutover_process::ProcessError) -> ProcessError {
    ProcessError { code: error.code.as_str(), detail: error.detail.to_string(), domain: error.domain() }
}

impl Status {
    /// The word of contract 3.
    pub(crate) fn word(&self) -> &'static str {
        self.0.status
    }

    /// The code of the latest error, if there is one.
    pub(crate) fn error_code(&self) -> Option<&'static str> {
        self.0.latest_error.as_ref().map(|error| error.code)
    }

    /// The number of the account, once it is imported.
    pub(crate) fn account(&self) -> Option<&str> {
        self.0.service_identifier.as_deref()
    }
}
