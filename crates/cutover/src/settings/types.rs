use cutover_store::shown;
use std::fmt;
use std::path::PathBuf;

/// The tasks of a process of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Both of the others.
    All,
    /// Accepts accounts.
    Api,
    /// Imports them.
    Worker,
}

impl Role {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// The URL of a PostgreSQL server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ServerUrl(pub(super) String);

/// Leaves out the password.
impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.0))
    }
}

/// The URL of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {
    File(PathBuf),
    Server(ServerUrl),
}
