use super::check::Checked;
use cutover_core::{Code, Issue, Level, NON_FIELD_ERRORS};
use cutover_model::SyntaxError;
use serde::Serialize;
use std::borrow::Cow;

/// What is wrong with an account: what the service would say of it, or what only a whole run can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Error or warning.
    pub(crate) level: Level,
    /// The path in the account; never a value.
    pub(crate) attr: Cow<'static, str>,
    /// The stable code.
    pub(crate) code: &'static str,
    /// Text for people; never holds a value of the account.
    pub(crate) detail: Cow<'static, str>,
}

/// The code of an account that stood in the inputs before. The client's own: the service sees one at a time.
const REPEATED: &str = "repeated_in_input";

impl Finding {
    /// The account is not JSON; `line` is where it stands in its file.
    pub(crate) fn no_json(error: SyntaxError, line: u32) -> Self {
        let error = SyntaxError { line: error.line + line as usize - 1, ..error };
        Self::of_whole(Code::ParseError, format!("This is not JSON: {error}.").into())
    }

    /// The account is larger than the service takes.
    pub(crate) fn too_large() -> Self {
        Self::of_whole(Code::PayloadTooLarge, "The account is larger than 8 MiB.".into())
    }

    fn of_whole(code: Code, detail: Cow<'static, str>) -> Self {
        Self { level: Level::Error, attr: NON_FIELD_ERRORS.into(), code: code.as_str(), detail }
    }

    /// The account is in a file and line before this one.
    pub(crate) fn repeated(file: &str, line: u32) -> Self {
        Self {
            level: Level::Warning,
            attr: "external_account_number".into(),
            code: REPEATED,
            detail: format!("The same account stands in {file}, line {line}, already.").into(),
        }
    }

    /// As a line of a report.
    pub(crate) fn row<'r>(&'r self, file: &'r str, line: u32, account: &'r Checked) -> Row<'r> {
        Row {
            file: Some(file),
            line: Some(line),
            import_supplier: account.supplier(),
            external_account_number: account.number(),
            level: self.level.as_str(),
            attr: Some(&self.attr),
            code: self.code,
            detail: &self.detail,
        }
    }
}

impl From<Issue> for Finding {
    fn from(issue: Issue) -> Self {
        let attr = issue.attr.to_string().into();
        Self { level: issue.level, attr, code: issue.code.as_str(), detail: issue.detail }
    }
}

/// A line of a report. What is not known is null in JSON and empty elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Row<'r> {
    /// The input.
    pub(crate) file: Option<&'r str>,
    /// From 1; 1 too for a file that is one account.
    pub(crate) line: Option<u32>,
    /// The supplier that the account names, trimmed.
    pub(crate) import_supplier: Option<&'r str>,
    /// Its number there, trimmed.
    pub(crate) external_account_number: Option<&'r str>,
    /// `error` or `warning`.
    pub(crate) level: &'static str,
    /// The path in the account.
    pub(crate) attr: Option<&'r str>,
    /// The stable code.
    pub(crate) code: &'r str,
    /// Text for people.
    pub(crate) detail: &'r str,
}

impl<'r> Row<'r> {
    /// Something about the run, not about an account.
    pub(crate) fn of_run(file: Option<&'r str>, code: &'r str, detail: &'r str) -> Self {
        Row {
            file,
            line: None,
            import_supplier: None,
            external_account_number: None,
            level: Level::Error.as_str(),
            attr: None,
            code,
            detail,
        }
    }
}
