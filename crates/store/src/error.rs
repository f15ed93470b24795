use cutover_app::port::StoreError;
use diesel::result::{DatabaseErrorKind, Error as DieselError};

/// The reason why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no connection: the path, the permissions or the file is wrong.
    #[error("the database cannot be opened: {0}")]
    Connect(String),
    /// The database server cannot be reached or is read-only now. A later attempt may succeed.
    #[error("the database cannot be opened: {0}")]
    Unavailable(String),
    /// Its encoding is not UTF-8, so it cannot hold every text.
    #[error("the database is encoded in {0}, not in UTF8: create it again with ENCODING 'UTF8'")]
    Encoding(String),
    /// It refused a setting that durability needs.
    #[error("the database refused a setting: {0}")]
    Setting(String),
    /// Some migrations are pending.
    #[error("the database lacks migrations: {0}")]
    Pending(String),
    /// A migration failed; those before it are applied.
    #[error("the database could not be migrated: {0}")]
    Migration(String),
    /// The role may not do all that running needs: the role, and the rights that it lacks.
    #[error("the role {role} lacks rights: {rights}")]
    Rights {
        /// Its name.
        role: String,
        /// Rights that it lacks, such as `SELECT on manifests`.
        rights: String,
    },
    /// A thread could not be started.
    #[error("a thread of the store could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Failure of a query, before its meaning to a use case is known.
#[derive(Debug)]
pub(crate) enum Error {
    Database(DieselError),
    /// A row that no version of this program can have written.
    Corrupt(String),
    /// The name of the missing key that a value is sealed with.
    KeyMissing(String),
    /// A value that does not fit its column.
    Unfit(&'static str),
    /// A number that must not be used again.
    Taken(&'static str),
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<DieselError> for Error {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl Error {
    /// Returns true if the database refused a statement, rather than that a row was missing or unreadable.
    pub(crate) fn is_refusal(&self) -> bool {
        let Self::Database(error) = self else { return false };
        !matches!(error, DieselError::DeserializationError(_) | DieselError::NotFound)
    }

    pub(crate) fn corrupt(error: impl std::fmt::Display) -> Self {
        Self::Corrupt(error.to_string())
    }
}

/// Meaning of a message of the database. Each dialect knows its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The database is unavailable.
    Passing,
    /// Its disk is full or fails.
    Unwritable,
    /// It takes no writes.
    ReadOnly,
    /// The database answers, but a statement took too long or did not get a lock.
    Busy,
    /// Two writers were in conflict.
    Conflict,
    Corrupt,
    Other,
}

/// Converts a failure to its meaning for a use case. Messages of databases name tables and constraints, not
/// values.
pub(crate) fn store_error(error: Error, meaning: fn(&str) -> Meaning) -> StoreError {
    match error {
        Error::Corrupt(text) => StoreError::Corrupt(text),
        Error::KeyMissing(key) => StoreError::KeyMissing(key),
        Error::Unfit(fault) => StoreError::Failed(fault.to_owned()),
        Error::Taken(what) => StoreError::Conflict(what.to_owned()),
        Error::Database(DieselError::DatabaseError(kind, info)) => {
            of_database(&kind, info.message(), meaning)
        }
        Error::Database(DieselError::DeserializationError(e)) => StoreError::Corrupt(e.to_string()),
        Error::Database(other) => StoreError::Failed(other.to_string()),
    }
}

fn of_database(kind: &DatabaseErrorKind, message: &str, meaning: fn(&str) -> Meaning) -> StoreError {
    let message = message.to_owned();
    match kind {
        // A row refers to rows that exist, unless somebody has erased them meanwhile.
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::SerializationFailure => StoreError::Conflict(message),
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => {
            StoreError::Unavailable(message)
        }
        DatabaseErrorKind::ReadOnlyTransaction => StoreError::ReadOnly(message),
        DatabaseErrorKind::Unknown => match meaning(&message) {
            Meaning::Passing => StoreError::Unavailable(message),
            Meaning::Unwritable => StoreError::Unwritable(message),
            Meaning::ReadOnly => StoreError::ReadOnly(message),
            Meaning::Busy => StoreError::Busy(message),
            Meaning::Conflict => StoreError::Conflict(message),
            Meaning::Corrupt => StoreError::Corrupt(message),
            Meaning::Other => StoreError::Failed(message),
        },
        _ => StoreError::Failed(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_could_not_be_sent_is_reported_as_unavailable() {
        let lost = DieselError::DatabaseError(
            DatabaseErrorKind::UnableToSendCommand,
            Box::new("no connection to the server".to_owned()),
        );
        let error = store_error(lost.into(), |_| Meaning::Other);
        assert_eq!(error, StoreError::Unavailable("no connection to the server".into()));
    }
}
