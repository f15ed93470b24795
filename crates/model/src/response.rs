//! What the service answers (contract 2.2, 4.1, 7).

mod progress;
mod v1;

pub use progress::*;
pub use v1::*;

use serde::Serialize;
use std::borrow::Cow;

answers! {
    /// An error item of a refused request (contract 7).
    ErrorItem (Debug, Eq, Serialize) {
        /// Text for people; its wording may change.
        detail: String;
        /// The stable code.
        code: &'static str, code;
        /// The path of the offending input.
        attr: String;
    }

    /// A refused request with all that is wrong with it (contract 7.1, D4).
    ValidationError (Debug, Eq, Serialize) {
        /// Text for people.
        detail: &'static str;
        /// `account_failed_validation` for accounts, `validation_error` elsewhere.
        code: &'static str, code;
        /// Every fault, in the order of rules 1.4.
        errors: Vec<ErrorItem>;
    }

    /// An error of an import process (contract 2.2, 7.2).
    ProcessError (Debug, Eq, Serialize) {
        /// The stable code.
        code: Cow<'static, str>, code;
        /// Text for people.
        detail: String;
        /// The part of the service it comes from: `import_process`.
        domain: &'static str;
    }

    /// The latest event of an import process (contract 2.2).
    LatestEvent (Debug, Eq, Serialize) {
        /// One of the three names of contract 6.
        event: &'static str, words(
            "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED",
            "EVENT_ACCOUNT_IMPORT_PROCESS_PROCESSED",
            "EVENT_ACCOUNT_IMPORT_PROCESS_ERRORED"
        );
        /// With the offset of the supplier's zone.
        occurred_at: String, datetime;
        /// The error of an errored process.
        data: Option<ProcessError>;
    }

    /// The version 2 status of an import process (contract 2.2).
    ProcessStatus (Debug, Eq, Serialize) {
        /// A status word of contract 3.
        status: &'static str, words(
            "PENDING",
            "IN_PROGRESS",
            "PROCESSED",
            "ERRORED",
            "CANCELLED",
            "DRY_RUN_SUCCEEDED",
            "DRY_RUN_ERRORED"
        );
        /// The account's number, once it is imported.
        service_identifier: Option<String>;
        /// When the account was first sent, with the offset of the supplier's zone.
        created_at: String, datetime;
        /// When the process last took a step, with the offset of the supplier's zone.
        modified_at: String, datetime;
        /// What happened last.
        latest_event: LatestEvent;
        /// Why it failed, if it did.
        latest_error: Option<ProcessError>;
    }

    /// A process in a list (contract D12): its status, and the account it is of.
    ListedStatus (Debug, Eq, Serialize) {
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// A status word of contract 3.
        status: &'static str, words(
            "PENDING",
            "IN_PROGRESS",
            "PROCESSED",
            "ERRORED",
            "CANCELLED",
            "DRY_RUN_SUCCEEDED",
            "DRY_RUN_ERRORED"
        );
        /// The account's number, once it is imported.
        service_identifier: Option<String>;
        /// When the account was first sent, with the offset of the supplier's zone.
        created_at: String, datetime;
        /// When the process last took a step, with the offset of the supplier's zone.
        modified_at: String, datetime;
        /// What happened last.
        latest_event: LatestEvent;
        /// Why it failed, if it did.
        latest_error: Option<ProcessError>;
    }

    /// A create of an account that exists or is being imported (contract 7.3, D5).
    AlreadyThere (Debug, Eq, Serialize) {
        /// What is in the way.
        non_field_errors: Detail;
        /// The number of the existing account.
        account_id [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
    }

    /// The body of every other refusal: `{detail, code}` (rules 9).
    Detail (Debug, Eq, Serialize) {
        /// Text for people.
        detail: String;
        /// The stable code.
        code: &'static str, code;
    }
}

impl ListedStatus {
    /// The status of this account.
    pub fn new(external_account_number: String, status: ProcessStatus) -> Self {
        let ProcessStatus { status, service_identifier, created_at, modified_at, latest_event, latest_error } =
            status;
        Self {
            external_account_number,
            status,
            service_identifier,
            created_at,
            modified_at,
            latest_event,
            latest_error,
        }
    }
}
