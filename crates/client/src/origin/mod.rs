//! Where accounts that were made of tables come from: the file, the line and the column of each member.

mod finding;
mod store;

pub use finding::TableFinding;
pub(crate) use store::{AccountOrigins, OriginFile, Origins, OriginsWriter};

use serde::Serialize;
use std::fmt;

/// A place in the inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Origin {
    pub(crate) file: String,
    /// The line, from 1 on; in Parquet the number of the row. Null for what is about the whole file.
    pub(crate) line: Option<u64>,
    /// The name of the column in the file. Null for what is about a row.
    pub(crate) column: Option<String>,
}

/// As compilers write it: `customers.csv:7:given_name`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))?;
        self.column.as_ref().map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}
