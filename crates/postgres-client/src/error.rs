use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorResponseBody;
use std::io;

/// Failure of a connection or of a statement.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server answered with an error.
    #[error(transparent)]
    Server(Box<ServerError>),
    /// The connection is lost.
    #[error("{0}")]
    Lost(#[from] io::Error),
    /// The server cannot be reached in the way that the URL asks for.
    #[error("{0}")]
    Refused(String),
    /// No server takes the session now, and one may later: it is down, starts, has no room, or is not yet of the wanted
    /// kind.
    #[error("{0}")]
    Unavailable(String),
}

impl ClientError {
    /// Returns true if another attempt to connect may succeed although nobody changes a setting.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            // PgBouncer has one code for a server that is down and for a parameter that it does not know.
            Self::Server(error) if error.message.starts_with("unsupported startup parameter") => false,
            Self::Server(error) => ["08", "53", "57P"].iter().any(|class| error.code.starts_with(class)),
            // A server that does not speak the protocol will not learn it.
            Self::Lost(error) => error.kind() != io::ErrorKind::InvalidData,
            Self::Refused(_) => false,
            Self::Unavailable(_) => true,
        }
    }
}

/// The fault of a URL, without any part of the URL, which may belong to a password: `has a port that is no
/// number`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UrlError(pub(super) String);

/// An error that a server reported.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServerError {
    /// Its five characters: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    code: String,
    /// The server's message and its code, as in `canceling statement (SQLSTATE 57014)`.
    message: String,
    details: Option<String>,
    hint: Option<String>,
    table: Option<String>,
    column: Option<String>,
    constraint: Option<String>,
}

const CODE: &str = " (SQLSTATE ";

impl ServerError {
    pub(super) fn new(body: &ErrorResponseBody) -> io::Result<Self> {
        let mut fields = body.fields();
        let (mut code, mut message) = (String::new(), String::new());
        let (mut details, mut hint, mut table, mut column, mut constraint) = (None, None, None, None, None);
        while let Some(field) = fields.next()? {
            let value = String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => code = value,
                b'M' => message = value,
                b'D' => details = Some(value),
                b'H' => hint = Some(value),
                b't' => table = Some(value),
                b'c' => column = Some(value),
                b'n' => constraint = Some(value),
                _ => {}
            }
        }
        let message = format!("{message}{CODE}{code})");
        Ok(Self { code, message, details, hint, table, column, constraint })
    }

    fn kind(&self) -> DatabaseErrorKind {
        match self.code.as_str() {
            "23001" => DatabaseErrorKind::RestrictViolation,
            "23502" => DatabaseErrorKind::NotNullViolation,
            "23503" => DatabaseErrorKind::ForeignKeyViolation,
            "23505" => DatabaseErrorKind::UniqueViolation,
            "23514" => DatabaseErrorKind::CheckViolation,
            "23P01" => DatabaseErrorKind::ExclusionViolation,
            "25006" => DatabaseErrorKind::ReadOnlyTransaction,
            "40001" => DatabaseErrorKind::SerializationFailure,
            _ => DatabaseErrorKind::Unknown,
        }
    }
}

/// Returns the code at the end of the message of a server's error.
pub fn sqlstate(message: &str) -> Option<&str> {
    message.strip_suffix(')')?.rsplit_once(CODE).map(|(_, code)| code)
}

impl DatabaseErrorInformation for ServerError {
    fn message(&self) -> &str {
        &self.message
    }

    fn details(&self) -> Option<&str> {
        self.details.as_deref()
    }

    fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    fn table_name(&self) -> Option<&str> {
        self.table.as_deref()
    }

    fn column_name(&self) -> Option<&str> {
        self.column.as_deref()
    }

    fn constraint_name(&self) -> Option<&str> {
        self.constraint.as_deref()
    }

    fn statement_position(&self) -> Option<i32> {
        None
    }
}

impl From<ServerError> for ClientError {
    fn from(error: ServerError) -> Self {
        Self::Server(Box::new(error))
    }
}

impl From<ClientError> for DieselError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Server(error) => Self::DatabaseError(error.kind(), error),
            error => Self::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_helps_a_server_that_is_down_and_not_one_that_refuses() {
        let server = |code: &str| {
            let (code, message) = (code.to_owned(), String::new());
            let (details, hint, table, column, constraint) = (None, None, None, None, None);
            ClientError::from(ServerError { code, message, details, hint, table, column, constraint })
        };
        for (code, is_passing) in [
            ("57P03", true),
            ("53300", true),
            ("08P01", true),
            ("28P01", false),
            ("3D000", false),
            ("57014", false),
        ] {
            assert_eq!(server(code).is_passing(), is_passing, "{code}");
        }
        let unsupported = ServerError {
            code: "08P01".to_owned(),
            message: "unsupported startup parameter: synchronous_commit".to_owned(),
            details: None,
            hint: None,
            table: None,
            column: None,
            constraint: None,
        };
        assert!(!ClientError::from(unsupported).is_passing());
        let lost = |kind: io::ErrorKind| ClientError::Lost(kind.into()).is_passing();
        assert!(lost(io::ErrorKind::ConnectionRefused) && lost(io::ErrorKind::TimedOut));
        assert!(!lost(io::ErrorKind::InvalidData));
        assert!(!ClientError::Refused(String::new()).is_passing());
    }

    #[test]
    fn a_code_is_found_in_any_language() {
        assert_eq!(sqlstate("storniere Anfrage (wegen Zeit) (SQLSTATE 57014)"), Some("57014"));
        assert_eq!(sqlstate("connection reset by peer"), None);
    }
}
