//! SQLite, as far as queries see it.

use crate::error::Meaning;

pub(crate) type Conn = diesel::SqliteConnection;
pub(crate) type Db = diesel::sqlite::Sqlite;

/// What the columns of our own types are here.
pub(crate) mod columns {
    pub(crate) type Instant = diesel::sql_types::BigInt;
    pub(crate) type Day = diesel::sql_types::Text;
    pub(crate) type Digits = diesel::sql_types::Text;
    pub(crate) type Json = diesel::sql_types::Text;
}

/// Writes the rows of a table. A statement a row: it is prepared once for all accounts, and to run it
/// costs less than to parse one statement of many rows.
macro_rules! insert_rows {
    ($conn:expr, $table:path, $rows:expr) => {
        for row in $rows {
            diesel::insert_into($table).values(row).execute($conn)?;
        }
    };
}

/// Messages of `sqlite3_errmsg`: texts of `sqlite3_errstr`, which diesel hands on without their codes.
const PASSING: [&str; 9] = [
    "database is locked",
    "database table is locked",
    "database or disk is full",
    "disk I/O error",
    "attempt to write a readonly database",
    "unable to open database file",
    "locking protocol",
    "out of memory",
    "interrupted",
];
const CORRUPT: [&str; 2] = ["database disk image is malformed", "file is not a database"];

/// What an error without a kind means.
pub(crate) fn meaning(message: &str) -> Meaning {
    let is = |texts: &[&str]| texts.iter().any(|text| message.starts_with(text));
    match () {
        () if is(&PASSING) => Meaning::Passing,
        () if is(&CORRUPT) => Meaning::Corrupt,
        () => Meaning::Other,
    }
}
