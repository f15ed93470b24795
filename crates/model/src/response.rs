//! What the service answers (contract 2.2, 4.1, 7).

mod v1;

pub use v1::*;

use serde::Serialize;

/// An error item of a refused request (contract 7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorItem {
    /// Text for people; its wording may change.
    pub detail: String,
    /// The stable code.
    pub code: &'static str,
    /// The path of the offending input.
    pub attr: String,
}

/// A refused request with all that is wrong with it (contract 7.1, decisions D4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationError {
    /// Text for people.
    pub detail: &'static str,
    /// `account_failed_validation` for accounts, `validation_error` elsewhere.
    pub code: &'static str,
    /// Every fault, in the order of rules 1.4.
    pub errors: Vec<ErrorItem>,
}

/// An error of an import process (contract 2.2, 7.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcessError {
    /// The stable code.
    pub code: &'static str,
    /// Text for people.
    pub detail: String,
    /// The part of the service it comes from: `import_process`.
    pub domain: &'static str,
}

/// The latest event of an import process (contract 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LatestEvent {
    /// One of the three names of contract 6.
    pub event: &'static str,
    /// With the offset of the supplier's zone.
    pub occurred_at: String,
    /// The error of an errored process.
    pub data: Option<ProcessError>,
}

/// The version 2 status of an import process (contract 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcessStatus {
    /// A status word of contract 3.
    pub status: &'static str,
    /// The account's number, once it is imported.
    pub service_identifier: Option<String>,
    /// When the account was first sent, with the offset of the supplier's zone.
    pub created_at: String,
    /// When the process last took a step, with the offset of the supplier's zone.
    pub modified_at: String,
    /// What happened last.
    pub latest_event: LatestEvent,
    /// Why it failed, if it did.
    pub latest_error: Option<ProcessError>,
}

/// A create of an account that exists or is being imported (contract 7.3, decisions D5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlreadyThere {
    /// What is in the way.
    pub non_field_errors: Detail,
    /// The number of the existing account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
}

/// The body of every other refusal: `{detail, code}` (rules 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// Text for people.
    pub detail: String,
    /// The stable code.
    pub code: &'static str,
}
