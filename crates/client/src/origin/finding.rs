//! What is lost or in doubt on the way from tables to accounts.

use super::Origin;
use cutover_core::{UnknownWord, string_enum};
use serde::{Deserialize, Serialize};
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
    /// A word for programs.
    pub kind: FindingKind,
    /// Text for people.
    #[serde(borrow)]
    pub detail: Cow<'f, str>,
}

impl<'f> TableFinding<'f> {
    /// A finding about a file.
    pub(crate) fn new(file: &'f str, kind: FindingKind, detail: impl Into<Cow<'f, str>>) -> Self {
        let (line, column, table, external_account_number) = Default::default();
        Self { file: file.into(), line, column, table, external_account_number, kind, detail: detail.into() }
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
            kind: self.kind,
            detail: Cow::Owned(self.detail.into_owned()),
        }
    }
}

string_enum! {
    "a finding about tables";
    /// What a finding is about, as a word for programs.
    #[derive(Deserialize)]
    #[serde(try_from = "Cow<'_, str>")]
    pub enum FindingKind {
        /// The file belongs to no table.
        UnreadFile = "unread_file",
        /// The file cannot be read, or not to its end.
        UnreadableFile = "unreadable_file",
        /// The row is not well-formed.
        UnreadableRow = "unreadable_row",
        /// The table has no such column.
        UnreadColumn = "unread_column",
        /// The row names no account.
        MissingKey = "missing_key",
        /// No row of the parent table has the keys of the row.
        OrphanRow = "orphan_row",
        /// Several rows of the parent table have them.
        AmbiguousParent = "ambiguous_parent",
        /// An earlier row has the same key.
        DuplicateKey = "duplicate_key",
        /// The row names no list of the parent.
        UnknownList = "unknown_list",
        /// A position is no number.
        InvalidPosition = "invalid_position",
        /// Something is said to be empty and is not.
        NotEmpty = "not_empty",
        /// The account has too many rows, or is too large.
        TooLarge = "too_large",
        /// The account would not come back from its tables.
        NoRows = "no_rows",
        /// The source system counted otherwise.
        NotAsExpected = "not_as_expected",
        /// A value has another form than the mapping says.
        UnexpectedForm = "unexpected_form",
        /// An identifier is written with an exponent.
        Exponent = "exponent",
        /// An identifier is written as a number with a fraction.
        Fraction = "fraction",
        /// A day is the number of a day of a spreadsheet.
        DayNumber = "day_number",
        /// A day is written in the order of a country.
        DayOrder = "day_order",
        /// A cell has the error of a formula, or a word for no value.
        ErrorValue = "error_value",
        /// A text was read in another encoding before.
        WrongEncoding = "wrong_encoding",
        /// An identifier has lost its leading zeros.
        LostZeros = "lost_zeros",
    }
}

impl TryFrom<Cow<'_, str>> for FindingKind {
    type Error = UnknownWord;

    fn try_from(word: Cow<'_, str>) -> Result<Self, UnknownWord> {
        word.parse()
    }
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
            ..TableFinding::new("k.csv", FindingKind::LostZeros, "why")
        };
        let line = serde_json::to_string(&finding).unwrap();
        assert_eq!(serde_json::from_str::<TableFinding<'_>>(&line).unwrap(), finding);
        assert_eq!(finding.attr().as_deref(), Some("customers.V\"ORNAME"));
        assert_eq!(finding.origin().to_string(), "k.csv:7:V\"ORNAME");
    }
}
