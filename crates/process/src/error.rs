use cutover_core::{Code, Word};
use std::borrow::Cow;

/// Why a process ended without an account: the error object of `latest_error` and of the errored
/// event's `data` (contract 7.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessError {
    /// Stable code: one of the domain `Process` of the codes, or a newer version's.
    pub code: Word<Code>,
    /// Text for people; never holds a value of the payload.
    pub detail: Cow<'static, str>,
}

impl ProcessError {
    /// The `domain` of every one of them.
    pub const DOMAIN: &'static str = "import_process";

    /// The error of a code, in the code's own words.
    pub fn new(code: Code) -> Self {
        Self { code: code.into(), detail: Cow::Borrowed(code.detail()) }
    }

    /// The error of an import that an outage ended.
    pub(crate) fn of_outage() -> Self {
        let detail =
            "Document storage or the database could not be reached for as long as an import is retried.";
        Self { code: Word::Known(Code::ImportProcessRetriesExhausted), detail: Cow::Borrowed(detail) }
    }

    /// The `domain` of the error object.
    pub fn domain(&self) -> &'static str {
        Self::DOMAIN
    }
}
