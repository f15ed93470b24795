use crate::output::plain;
use serde::Serialize;

/// How well something is.
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

/// What a look at something found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) result: Health,
    pub(super) detail: String,
    /// What to do about it.
    pub(super) mend: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, detail: impl ToString) -> Self {
        Self { check, result: Health::Ok, detail: detail.to_string(), mend: None }
    }

    pub(super) fn warn(check: &'static str, detail: impl ToString, mend: impl ToString) -> Self {
        let (detail, mend) = (detail.to_string(), Some(mend.to_string()));
        Self { check, result: Health::Warn, detail, mend }
    }

    pub(super) fn fail(check: &'static str, detail: impl ToString, mend: impl ToString) -> Self {
        Self { result: Health::Fail, ..Self::warn(check, detail, mend) }
    }

    /// One line for people; what to mend on a second one.
    pub(super) fn line(&self) -> String {
        let line = format!("{:<5} {:<12} {}", self.result.word(), self.check, plain(&self.detail));
        match &self.mend {
            Some(mend) => format!("{line}\n{:19}mend: {}", "", plain(mend)),
            None => line,
        }
    }
}
