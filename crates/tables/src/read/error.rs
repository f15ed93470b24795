use super::{MAX_COLUMNS, MAX_NAMES};
use std::io;

/// Reason why a file, or a row of it, cannot be read. No message has a value of a row.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A byte that is not UTF-8.
    #[error(
        "line {line}: byte {offset} of the file (0x{byte:02X}) is not UTF-8; if the file is in Windows-1252 or \
         Windows-1250, name that encoding"
    )]
    NotUtf8 {
        /// Its line, from 1 on.
        line: u64,
        /// Its place in the file, from 0 on.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// The file begins as UTF-16 does.
    #[error("the file is in UTF-16: name the encoding {0}, or write the file in UTF-8")]
    Utf16(&'static str),
    /// Bytes that the named encoding does not have.
    #[error("line {line}: there are bytes that {encoding} does not have")]
    NotInEncoding {
        /// The line, from 1 on.
        line: u64,
        /// The name of the encoding.
        encoding: &'static str,
    },
    /// There is no head line.
    #[error("the file has no head line with the names of the columns")]
    NoHead,
    /// The head line has several characters that could be the delimiter.
    #[error("the head line has several delimiters ({0}): name the one that counts")]
    AmbiguousDelimiter(String),
    /// The lines end with a carriage return alone.
    #[error("the head line has a carriage return inside: lines end with LF or CRLF")]
    CarriageReturn,
    /// A column without a name.
    #[error("column {0} has no name in the head line")]
    NamelessColumn(usize),
    /// Two columns of a name.
    #[error("the columns {0:?} and {1:?} have the same name but for case")]
    RepeatedColumn(String, String),
    /// A quote that is not closed.
    #[error("line {line}: a quote opens here and is not closed")]
    Unclosed {
        /// The line, from 1 on.
        line: u64,
    },
    /// A quote in a place where none may be.
    #[error("line {line}: a quote is not around a whole cell, or not doubled inside of one")]
    Quote {
        /// The line, from 1 on.
        line: u64,
    },
    /// A cell or a row that is too large.
    #[error("line {line}: the row that begins here is larger than {limit} MiB")]
    TooLarge {
        /// The line, from 1 on.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// More columns than a table may have, or longer names; or a row with more cells than that.
    #[error("line {line}: a table has at most {MAX_COLUMNS} columns, with names of {MAX_NAMES} MiB in all")]
    TooManyColumns {
        /// The line, from 1 on.
        line: u64,
    },
    /// A row with too few or too many cells.
    #[error("line {line}: the row has {found} cells, but there are {expected} columns")]
    Cells {
        /// The line on which the row begins, from 1 on.
        line: u64,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A line of NDJSON that is no JSON object.
    #[error("line {line}: this is no JSON object of one line")]
    NoObject {
        /// The line, from 1 on.
        line: u64,
    },
    /// A line of NDJSON with two members of a name.
    #[error("line {line}: the member {name:?} occurs twice")]
    RepeatedMember {
        /// The line, from 1 on.
        line: u64,
        /// The name.
        name: String,
    },
    /// The file is not Parquet, or has what a table has not.
    #[error("this is no table in Parquet: {0}")]
    Parquet(String),
}

impl ReadError {
    /// True if only one row is wrong, so that the rows after it can be read.
    pub fn is_of_row(&self) -> bool {
        matches!(self, Self::Cells { .. } | Self::NoObject { .. } | Self::RepeatedMember { .. })
    }

    /// The message without the line, for places that show it beside.
    pub fn without_line(&self) -> String {
        let text = self.to_string();
        let line = self.line().map(|line| format!("line {line}: "));
        line.and_then(|line| text.strip_prefix(&line).map(str::to_owned)).unwrap_or(text)
    }

    /// The line that it is about.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::NotUtf8 { line, .. }
            | Self::NotInEncoding { line, .. }
            | Self::Unclosed { line }
            | Self::Quote { line }
            | Self::TooLarge { line, .. }
            | Self::TooManyColumns { line }
            | Self::Cells { line, .. }
            | Self::NoObject { line }
            | Self::RepeatedMember { line, .. } => Some(*line),
            Self::NoHead
            | Self::AmbiguousDelimiter(_)
            | Self::CarriageReturn
            | Self::NamelessColumn(_)
            | Self::RepeatedColumn(..) => Some(1),
            Self::Io(_) | Self::Utf16(_) | Self::Parquet(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_can_be_left_out_of_the_message() {
        let quote = ReadError::Unclosed { line: 7 };
        assert_eq!(quote.without_line(), "a quote opens here and is not closed");
        let head = "the file has no head line with the names of the columns";
        assert_eq!(ReadError::NoHead.without_line(), head);
    }
}
