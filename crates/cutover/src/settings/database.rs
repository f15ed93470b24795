use super::error::SettingsError;
use super::given::Given;
use super::table::Values;
use super::types::{DatabaseUrl, ServerUrl};
use cutover_store::{PostgresOptions, shown};
use std::fmt;
use std::path::PathBuf;

/// The database.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    /// A file, which one process serves.
    Sqlite(PathBuf),
    /// A server, which any number of processes use.
    Postgres(Box<PostgresOptions>),
}

/// Shows no secrets.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(options) => f.write_str(&shown(&options.url)),
        }
    }
}

impl Database {
    /// The database of the settings.
    ///
    /// # Errors
    /// [`SettingsError`] if settings of PostgreSQL are given for another database.
    pub(super) fn new(values: &Values, given: &Given) -> Result<Self, SettingsError> {
        let url = match &values.database_url {
            Some(DatabaseUrl::Server(ServerUrl(url))) => url,
            file => {
                let direct = values.database_direct_url.as_ref().map(|_| "database-direct-url");
                let replica = values.database_replica_url.as_ref().map(|_| "database-replica-url");
                if let Some(name) = direct.or(replica) {
                    return Err(given.refuse(name, "needs a database-url of PostgreSQL"));
                }
                return Ok(Self::Sqlite(match file {
                    Some(DatabaseUrl::File(file)) => file.clone(),
                    _ => values.data_dir.join("cutover.db"),
                }));
            }
        };
        let text = |url: &Option<ServerUrl>| url.as_ref().map(|ServerUrl(url)| url.clone());
        Ok(Self::Postgres(Box::new(PostgresOptions {
            direct_url: text(&values.database_direct_url),
            replica_url: text(&values.database_replica_url),
            connections: values.database_connections,
            pool_timeout: values.database_pool_timeout,
            statement_timeout: values.database_statement_timeout,
            ..PostgresOptions::new(url)
        })))
    }
}
