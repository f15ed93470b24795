use crate::copies::Earlier;
use crate::input::{Location, Source};
use cutover_core::{Code, Issue, Level, NON_FIELD_ERRORS};
use cutover_model::SyntaxError;
use std::borrow::Cow;

/// A fault or warning about an account: found by the rules, or by comparing accounts of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    /// Path in the account; never a value.
    pub(crate) attr: Cow<'static, str>,
    /// Stable code.
    pub(crate) code: &'static str,
    /// Text for people; never holds a value of the account.
    pub(crate) detail: Cow<'static, str>,
    /// The value as sent; `None` unless `--show-values` is given.
    pub(crate) value: Option<String>,
}

impl Finding {
    /// The account is not JSON; `line` is its position in the file.
    pub(crate) fn no_json(error: SyntaxError, line: u32) -> Self {
        let error = SyntaxError { line: error.line + line as usize - 1, ..error };
        Self::of_whole(Code::ParseError, format!("This is not JSON: {error}.").into())
    }

    /// The account is larger than the limit of the service.
    pub(crate) fn too_large() -> Self {
        Self::of_whole(Code::PayloadTooLarge, "The account is larger than 8 MiB.".into())
    }

    fn of_whole(code: Code, detail: Cow<'static, str>) -> Self {
        Self { level: Level::Error, attr: NON_FIELD_ERRORS.into(), code: code.as_str(), detail, value: None }
    }

    /// The account is in an earlier line already: a warning if it is the same, else an error. Only the client has
    /// these codes, because the service sees one account at a time.
    pub(crate) fn copy(earlier: Earlier, sources: &[Source]) -> Self {
        let Location { source, line } = earlier.location;
        let place = format!("{}, line {line}", sources[source as usize].name);
        let (level, code, detail) = match earlier.differs {
            false => {
                (Level::Warning, Code::RepeatedInInput, format!("The same account is already in {place}."))
            }
            true => {
                let detail =
                    format!("The account is already in {place}, with other content. The last one counts.");
                (Level::Error, Code::DiffersInInput, detail)
            }
        };
        let attr = "external_account_number".into();
        Self { level, attr, code: code.as_str(), detail: detail.into(), value: None }
    }
}

impl From<Issue> for Finding {
    fn from(issue: Issue) -> Self {
        let attr = issue.attr.to_string().into();
        Self { level: issue.level, attr, code: issue.code.as_str(), detail: issue.detail, value: None }
    }
}
