use cutover_core::{Code, Level};
use serde::Serialize;
use std::borrow::Cow;

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

/// A code, its number of findings, and the first of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CodeCount {
    pub(crate) code: Cow<'static, str>,
    pub(crate) count: u64,
    pub(crate) example: Example,
}

/// Location of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Example {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) import_supplier: Option<String>,
    pub(crate) external_account_number: Option<String>,
    pub(crate) attr: String,
    /// The value as sent; `None` unless `--show-values` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}
