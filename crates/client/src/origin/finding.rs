//! Findings about files, rows and cells of which accounts are made.

use super::Origin;
use cutover_core::Code;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A finding about a file, a row or a cell. It holds no value but the account's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFinding<'f> {
    /// The path of the file.
    #[serde(borrow)]
    pub file: Cow<'f, str>,
    /// The line on which the row begins, from 1 on; in Parquet the number of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The name of the column in the file.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub column: Option<Cow<'f, str>>,
    /// The table that the file belongs to.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub table: Option<Cow<'f, str>>,
    /// The account of the row.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub external_account_number: Option<Cow<'f, str>>,
    /// What it is about.
    #[serde(deserialize_with = "code")]
    pub code: Code,
    /// Text for people.
    #[serde(borrow)]
    pub detail: Cow<'f, str>,
}

impl<'f> TableFinding<'f> {
    /// A finding about a file.
    pub(crate) fn new(file: &'f str, code: Code, detail: impl Into<Cow<'f, str>>) -> Self {
        let (line, column, table, external_account_number) = Default::default();
        Self { file: file.into(), line, column, table, external_account_number, code, detail: detail.into() }
    }

    /// The table and the column, where it is about such.
    pub(crate) fn attr(&self) -> Option<String> {
        let table = self.table.as_deref()?;
        Some(self.column.as_ref().map_or(table.to_owned(), |column| format!("{table}.{column}")))
    }

    /// The place that it is about.
    pub(crate) fn origin(&self) -> Origin {
        let column = self.column.clone().map(Cow::into_owned);
        Origin { file: self.file.clone().into_owned(), line: self.line, column }
    }

    /// The same, independent of what it was read from.
    pub(crate) fn into_owned(self) -> TableFinding<'static> {
        let owned = |text: Option<Cow<'f, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        TableFinding {
            file: Cow::Owned(self.file.into_owned()),
            line: self.line,
            column: owned(self.column),
            table: owned(self.table),
            external_account_number: owned(self.external_account_number),
            code: self.code,
            detail: Cow::Owned(self.detail.into_owned()),
        }
    }
}

/// The code of a word.
fn code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
    let word = Cow::<str>::deserialize(deserializer)?;
    word.parse().map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_comes_back_from_its_line() {
        let finding = TableFinding {
            line: Some(7),
            column: Some("V\"ORNAME".into()),
            table: Some("customers".into()),
            ..TableFinding::new("k.csv", Code::LostZeros, "why")
        };
        let line = serde_json::to_string(&finding).unwrap();
        assert_eq!(serde_json::from_str::<TableFinding<'_>>(&line).unwrap(), finding);
        assert_eq!(finding.attr().as_deref(), Some("customers.V\"ORNAME"));
        assert_eq!(finding.origin().to_string(), "k.csv:7:V\"ORNAME");
    }
}
