use crate::{Code, Word};
use std::borrow::Cow;

/// The reason why a process ended without an account: the error object of `latest_error` and of the errored
/// event's `data` (contract 7.4).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ProcessError {
    /// Stable code: one of the domain `Process` of the codes, or one of a newer version.
    pub code: Word<Code>,
    /// Text for people; never holds a value of the payload.
    pub detail: Cow<'static, str>,
    /// The part of the service that it comes from.
    pub domain: &'static str,
}

impl ProcessError {
    /// The domain of the errors of import processes.
    pub const DOMAIN: &'static str = "import_process";

    /// The error of a code with the detail of that code.
    pub fn new(code: Code) -> Self {
        Self::stored(code.into(), code.detail())
    }

    /// The error of an import process with this code and detail.
    pub fn stored(code: Word<Code>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, detail: detail.into(), domain: Self::DOMAIN }
    }
}
