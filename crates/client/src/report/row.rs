use crate::origin::{Origin, TableFinding};
use crate::output::grouped;
use cutover_core::{Code, Level, plain};
use cutover_model::Others;
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write;

/// A row of a report. Unknown values are null in JSON and empty elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Row<'r> {
    /// Name of the input.
    pub(crate) file: Option<&'r str>,
    /// Line from 1; also 1 for a file that is one account.
    pub(crate) line: Option<u64>,
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
    /// The place in a table, if it is about what came from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<&'r Origin>,
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
            source: self.source.cloned(),
        }
    }

    /// A finding about tables and no account of the run.
    pub(crate) fn of_table(finding: &'r TableFinding<'_>, attr: Option<&'r str>, origin: &'r Origin) -> Self {
        Row {
            file: Some(&origin.file),
            line: origin.line,
            import_supplier: None,
            external_account_number: finding.external_account_number.as_deref(),
            level: Level::Error.as_str(),
            attr,
            code: finding.code.as_str(),
            detail: &finding.detail,
            source: Some(origin),
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
            source: None,
        }
    }
}

/// Findings of one code at one pattern of paths: their number, the text and place of the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CodeCount {
    pub(crate) code: String,
    /// Path with `#` for indexes.
    pub(crate) attr: String,
    pub(crate) count: u64,
    pub(crate) detail: String,
    pub(crate) example: Example,
}

/// The most frequent findings of a run, and what the others come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Causes {
    pub(crate) top_errors: Vec<CodeCount>,
    pub(crate) other_errors: Others,
    pub(crate) top_warnings: Vec<CodeCount>,
    pub(crate) other_warnings: Others,
}

impl Causes {
    /// The tables of a page.
    pub(crate) fn tops(&self) -> Vec<Top> {
        vec![
            ("Errors by code and path", self.top_errors.clone(), self.other_errors),
            ("Warnings by code and path", self.top_warnings.clone(), self.other_warnings),
        ]
    }

    /// Text for people; empty if there are no findings.
    pub(crate) fn text(&self) -> String {
        table("Errors", &self.top_errors, self.other_errors)
            + &table("Warnings", &self.top_warnings, self.other_warnings)
    }
}

/// A table of a page: title, rows, and what is left out.
pub(crate) type Top = (&'static str, Vec<CodeCount>, Others);

/// Formats the kinds, each with its place and, once for each code, its text.
fn table(title: &str, kinds: &[CodeCount], others: Others) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    let width = kinds.iter().map(|kind| kind.code.len()).max().unwrap_or_default();
    let mut text = format!("\n{title:>10}  {:width$}  path, and where it was found first\n", "code");
    let mut explained = HashSet::new();
    for CodeCount { code, attr, count, detail, example } in kinds {
        let number = example.external_account_number.as_deref().unwrap_or("no account number");
        let sent = example.value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
        let place = plain(&format!("{attr}{sent}  {}  {number}", example.place()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>10}  {code:width$}  {place}", grouped(*count));
        if explained.insert((code, detail)) && !detail.is_empty() {
            let _ = writeln!(text, "{:>10}    {}", "", plain(detail));
        }
    }
    if let Some(others) = others.words() {
        let _ = writeln!(text, "{:>10}  and {others}; a report has all of them", "");
    }
    text
}

/// Location of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Example {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) import_supplier: Option<String>,
    pub(crate) external_account_number: Option<String>,
    pub(crate) attr: String,
    /// The value as sent; `None` unless `--show-values` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// The place in a table, if it is about what came from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Origin>,
}

impl Example {
    /// The place, as people are shown it.
    pub(crate) fn place(&self) -> String {
        self.source.as_ref().map_or_else(|| format!("{}:{}", self.file, self.line), ToString::to_string)
    }
}
