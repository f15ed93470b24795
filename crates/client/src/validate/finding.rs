use super::check::Checked;
use super::top::Example;
use cutover_core::{Code, Issue, Level, NON_FIELD_ERRORS};
use cutover_model::SyntaxError;
use serde::Serialize;
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

/// Code of an account that occurs repeatedly in the inputs. Only the client has it, because the service sees
/// one account at a time.
const REPEATED: Code = Code::RepeatedInInput;

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

    /// The account occurs at an earlier position already.
    pub(crate) fn repeated(file: &str, line: u32) -> Self {
        Self {
            level: Level::Warning,
            attr: "external_account_number".into(),
            code: REPEATED.as_str(),
            detail: format!("The same account is already in {file}, line {line}.").into(),
            value: None,
        }
    }

    /// Converts to a row of a report.
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
        Self { level: issue.level, attr, code: issue.code.as_str(), detail: issue.detail, value: None }
    }
}

/// A row of a report. Unknown values are null in JSON and empty elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Row<'r> {
    /// Name of the input.
    pub(crate) file: Option<&'r str>,
    /// Line from 1; also 1 for a file that is one account.
    pub(crate) line: Option<u32>,
    /// Supplier of the account, trimmed.
    pub(crate) import_supplier: Option<&'r str>,
    /// Account number at the supplier, trimmed.
    pub(crate) external_account_number: Option<&'r str>,
    /// `error` or `warning`.
    pub(crate) level: &'static str,
    /// Path in the account.
    pub(crate) attr: Option<&'r str>,
    /// Stable code.
    pub(crate) code: &'r str,
    /// Text for people.
    pub(crate) detail: &'r str,
}

impl<'r> Row<'r> {
    /// Location of the finding, as the example of its code.
    pub(crate) fn example(&self) -> Example {
        Example {
            file: self.file.unwrap_or_default().to_owned(),
            line: self.line.unwrap_or_default(),
            import_supplier: self.import_supplier.map(str::to_owned),
            external_account_number: self.external_account_number.map(str::to_owned),
            attr: self.attr.unwrap_or_default().to_owned(),
            value: None,
        }
    }

    /// A row about the run rather than an account.
    pub(crate) fn of_run(file: Option<&'r str>, code: Code, detail: &'r str) -> Self {
        Row {
            file,
            line: None,
            import_supplier: None,
            external_account_number: None,
            level: Level::Error.as_str(),
            attr: None,
            code: code.as_str(),
            detail,
        }
    }
}
