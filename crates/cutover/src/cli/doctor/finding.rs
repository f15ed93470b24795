use crate::output::plain;
use serde::Serialize;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Health {
    Ok,
    Warn,
    Fail,
}

impl Health {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        }
    }
}

/// A check and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) result: Health,
    pub(super) detail: String,
    /// The remedy.
    pub(super) fix: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, detail: impl ToString) -> Self {
        Self { check, result: Health::Ok, detail: detail.to_string(), fix: None }
    }

    pub(super) fn warn(check: &'static str, detail: impl ToString, fix: impl ToString) -> Self {
        let (detail, fix) = (detail.to_string(), Some(fix.to_string()));
        Self { check, result: Health::Warn, detail, fix }
    }

    pub(super) fn fail(check: &'static str, detail: impl ToString, fix: impl ToString) -> Self {
        Self { result: Health::Fail, ..Self::warn(check, detail, fix) }
    }

    /// The finding as a line, with the fix on a second one.
    pub(super) fn line(&self) -> String {
        let line = format!("{:<5} {:<12} {}", self.result.word(), self.check, plain(&self.detail));
        match &self.fix {
            Some(fix) => format!("{line}\n{:19}fix: {}", "", plain(fix)),
            None => line,
        }
    }
}
