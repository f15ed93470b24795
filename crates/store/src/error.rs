use cutover_app::port::StoreError;
use diesel::result::{DatabaseErrorKind, Error as DieselError};

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no connection: the path, its rights, or the file.
    #[error("the database cannot be opened: {0}")]
    Connect(String),
    /// It is encoded otherwise than in UTF-8, and could not hold every text.
    #[error("the database is encoded in {0}, and has to be in UTF8: make it anew with ENCODING 'UTF8'")]
    Encoding(String),
    /// A setting that durability needs was refused.
    #[error("the database refused a setting: {0}")]
    Setting(String),
    /// There are migrations to be applied first.
    #[error("the database lacks migrations: {0}")]
    Pending(String),
    /// A migration failed; those before it are applied.
    #[error("the database could not be migrated: {0}")]
    Migration(String),
    /// A thread could not be started.
    #[error("a thread of the store could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Why a query failed, before it is known what that means to a use case.
#[derive(Debug)]
pub(crate) enum Error {
    Database(DieselError),
    /// A row that no program of ours can have written.
    Corrupt(String),
    /// The name of the key that a value is sealed with; it is not among ours.
    KeyMissing(String),
    /// A value that no column can hold.
    Unfit(&'static str),
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<DieselError> for Error {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl Error {
    /// Whether the database refused a statement, rather than that something of it or of what it found was none.
    pub(crate) fn is_refusal(&self) -> bool {
        let Self::Database(error) = self else { return false };
        !matches!(error, DieselError::DeserializationError(_) | DieselError::NotFound)
    }

    pub(crate) fn corrupt(error: impl std::fmt::Display) -> Self {
        Self::Corrupt(error.to_string())
    }
}

/// What a database's own message means; each dialect knows its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The database is away, or full.
    Passing,
    /// It answers: a statement took too long, or did not get a lock.
    Busy,
    /// Two writers met.
    Conflict,
    Corrupt,
    Other,
}

/// What a failure means to a use case. Messages of databases name tables and constraints, not values.
pub(crate) fn store_error(error: Error, meaning: fn(&str) -> Meaning) -> StoreError {
    match error {
        Error::Corrupt(text) => StoreError::Corrupt(text),
        Error::KeyMissing(key) => StoreError::KeyMissing(key),
        Error::Unfit(what) => StoreError::Failed(what.to_owned()),
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
        // What a row refers to is there, unless it was erased by somebody meanwhile.
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::SerializationFailure => StoreError::Conflict(message),
        DatabaseErrorKind::ClosedConnection
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ReadOnlyTransaction => StoreError::Unavailable(message),
        DatabaseErrorKind::Unknown => match meaning(&message) {
            Meaning::Passing => StoreError::Unavailable(message),
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
    fn a_command_that_could_not_be_sent_may_be_sent_again() {
        let lost = DieselError::DatabaseError(
            DatabaseErrorKind::UnableToSendCommand,
            Box::new("no connection to the server".to_owned()),
        );
        let error = store_error(lost.into(), |_| Meaning::Other);
        assert_eq!(error, StoreError::Unavailable("no connection to the server".into()));
    }
}
